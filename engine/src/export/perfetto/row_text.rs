//! The text of a row: kind, object and the rest, as in the list, but with the names of the whole trace.

use spytui_plugin_api::{
    DecoderRef, DictView, NONE, Rendered,
    batch::extra,
    render::want,
    row::{flag, note},
};

use super::words::{Words, push_text};
use crate::{
    analysis::Key,
    present::word::kind_tag,
    stream::{Item, item::not_rendered},
};

/// What rows of a kind have in common.
#[derive(Debug, Clone)]
struct Kind {
    tag: Box<str>,
    object: u16,
}

/// Renders rows one by one.
#[derive(Debug)]
pub(super) struct RowText {
    table: DecoderRef,
    kinds: Vec<Option<Kind>>,
    rendered: Rendered,
}

impl RowText {
    pub(super) fn new(table: DecoderRef) -> RowText {
        RowText { table, kinds: Vec::new(), rendered: Rendered::default() }
    }

    /// Puts the text of a row behind `prefix` into `out`, in place of what was there.
    pub(super) fn render(&mut self, item: &Item<'_>, words: &Words<'_>, prefix: &str, out: &mut String) {
        out.clear();
        out.push_str(prefix);
        if item.row.kind >= note::LINK {
            let text = item.extras.iter().find(|e| e.id == extra::TEXT).map(|e| e.bytes(item.blob));
            return push_text(out, text.unwrap_or_default());
        }
        self.rendered.clear();
        let (names, input) = (words.names(), item.row_in());
        let rows = std::slice::from_ref(&input);
        let answer = self.table.rows(item.cfg, rows, &DictView::new(&names), want::TEXT, &mut self.rendered);
        if let Err(fault) = answer {
            return out.push_str(&not_rendered(&fault));
        }
        let text = self.rendered.text.as_slice();
        let (word, what) = match memchr::memchr(b'\t', text) {
            Some(tab) => (Some(&text[..tab]), &text[tab + 1..]),
            None => (None, text),
        };
        if item.row.kind < note::FIRST {
            let kind = kind_of(&mut self.kinds, item, words);
            match word {
                Some(word) => push_text(out, word),
                None => out.push_str(&kind.tag),
            }
            if kind.object != NONE && item.row.has(flag::HAS_OBJ) {
                out.push(' ');
                words.push_name(out, Key { space: kind.object, key: item.row.obj, scope: 0 });
            }
            if !what.is_empty() {
                out.push(' ');
            }
        }
        push_text(out, what);
    }
}

fn kind_of<'k>(kinds: &'k mut Vec<Option<Kind>>, item: &Item<'_>, words: &Words<'_>) -> &'k Kind {
    let at = usize::from(item.row.kind);
    if at >= kinds.len() {
        kinds.resize(at + 1, None);
    }
    kinds[at].get_or_insert_with(|| Kind {
        tag: kind_tag(item.info, item.row, &words.names(), 0).into(),
        object: item.info.kind(item.row.kind).map_or(NONE, |k| k.obj_space),
    })
}
