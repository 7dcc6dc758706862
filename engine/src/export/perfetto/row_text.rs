//! Text of a row as in the list (kind, object, text), but with the final names of the trace; slice names given by the decoder
//! or a formatter.

use spytui_plugin_api::{Activity, DecoderRef, Dict, NONE, Rendered, info::space, row::RowFlags};

use crate::{
    export::words::{EntityNames, push_text},
    present::words::kind_tag,
    replay::Key,
    row::{GivenText, Renderer, RowView},
};

#[derive(Debug, Clone)]
struct KindText {
    tag: Box<str>,
    object: u16,
    /// Object names are per core.
    per_core: bool,
}

#[derive(Debug, Default)]
pub(super) struct RowText {
    kinds: Vec<Option<KindText>>,
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
            let kind = self.kind_of(item, words);
            match item.rendered.kind_word {
                Some(word) => push_text(out, word),
                None => out.push_str(&kind.tag),
            }
            let scope = if kind.per_core { item.row.core.into() } else { 0 };
            let object = Key { space: kind.object, key: item.row.obj, scope };
            if object.space != NONE && item.row.has(RowFlags::HAS_OBJECT) {
                out.push(' ');
                out.push_str(self.object(object, words));
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

    fn kind_of(&mut self, item: &RowView<'_>, words: &EntityNames<'_>) -> &KindText {
        let at = usize::from(item.row.kind.0);
        if at >= self.kinds.len() {
            self.kinds.resize(at + 1, None);
        }
        self.kinds[at].get_or_insert_with(|| {
            let object = item.info.kind(item.row.kind).map_or(NONE, |k| k.obj_space);
            let per_core = item.info.space(object).is_some_and(|s| s.scope_space == space::CORES);
            KindText { tag: kind_tag(item.info, item.row, &words.names(), 0).into(), object, per_core }
        })
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
