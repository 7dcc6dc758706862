//! Text of a row as in the list (kind, object, text), but with the final names of the trace; slice names given by the decoder
//! or a formatter.

use spytui_plugin_api::{Activity, DecoderRef, Dict, Rendered};

use crate::{
    export::words::{EntityNames, push_text},
    present::words::kind_tag,
    replay::Key,
    row::{GivenText, Renderer, RowView},
};

#[derive(Debug, Default)]
pub(super) struct RowText {
    /// Words of kinds, by number.
    kinds: Vec<Option<Box<str>>>,
    /// Direct-mapped cache of object names.
    objects: Vec<Option<(Key, Box<str>)>>,
}

const PLACES: usize = 256;

impl RowText {
    /// Replaces `out` by `prefix` and the text of a row.
    pub(super) fn put(&mut self, item: &RowView<'_>, words: &EntityNames<'_>, prefix: &str, out: &mut String) {
        out.clear();
        out.push_str(prefix);
        let what = item.rendered.text;
        if !item.row.kind.is_note() {
            match item.rendered.kind_word {
                Some(word) => push_text(out, word),
                None => out.push_str(self.kind(item, words)),
            }
            if let Some((space, scope)) = item.object_place() {
                out.push(' ');
                out.push_str(self.object(Key { space, key: item.row.obj, scope }, words));
            }
            if !what.is_empty() {
                out.push(' ');
            }
        }
        push_text(out, what);
    }

    fn object(&mut self, key: Key, words: &EntityNames<'_>) -> &str {
        if self.objects.is_empty() {
            self.objects.resize(PLACES, None);
        }
        let mixed = (key.key ^ u64::from(key.space) << 32 ^ key.scope << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = &mut self.objects[(mixed >> 56) as usize % PLACES];
        if place.as_ref().is_none_or(|(known, _)| *known != key) {
            let mut name = String::new();
            words.push_name(&mut name, key);
            *place = Some((key, name.into()));
        }
        place.as_ref().map_or("", |(_, name)| name)
    }

    fn kind(&mut self, item: &RowView<'_>, words: &EntityNames<'_>) -> &str {
        let at = usize::from(item.row.kind.0);
        if at >= self.kinds.len() {
            self.kinds.resize(at + 1, None);
        }
        self.kinds[at].get_or_insert_with(|| kind_tag(item.info, item.row, &words.names(), 0).into())
    }
}

/// Asks the decoder and its formatters for slice names.
#[derive(Debug)]
pub(super) struct SliceLabels {
    table: DecoderRef,
    renderer: Renderer,
    rendered: Rendered,
}

impl SliceLabels {
    pub(super) fn new(table: DecoderRef, renderer: Renderer) -> SliceLabels {
        SliceLabels { table, renderer, rendered: Rendered::default() }
    }

    /// Puts a formatter's word and text for an application record into `out`; `false` if there are none.
    pub(super) fn given(&self, item: &RowView<'_>, words: &EntityNames<'_>, out: &mut String) -> bool {
        let Some(given) = GivenText::of(item, &self.renderer, &words.names()) else { return false };
        out.clear();
        push_text(out, &given.word.unwrap_or_default());
        if !out.is_empty() && !given.text.is_empty() {
            out.push(' ');
        }
        push_text(out, &given.text);
        !out.is_empty()
    }

    /// Puts the decoder's name of an activity into `out`; `false` if it has none.
    pub(super) fn ask(
        &mut self,
        item: &RowView<'_>,
        activity: &Activity,
        words: &EntityNames<'_>,
        out: &mut String,
    ) -> bool {
        out.clear();
        self.rendered.clear();
        let (names, input) = (words.names(), item.row_in());
        let view = Dict::new(&names);
        let answer = self.table.label(item.cfg, &input, activity, &view, &mut self.rendered);
        if let Err(fault) = &answer {
            self.renderer.failed("label", &input, fault);
        }
        if answer.is_err() || self.rendered.text.is_empty() {
            return false;
        }
        push_text(out, &self.rendered.text);
        true
    }
}
