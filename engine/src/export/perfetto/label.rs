//! Slice names given by the decoder.

use spytui_plugin_api::{Activity, DecoderRef, DictView, Rendered, render::label};

use super::words::{Words, push_text};
use crate::render::Item;

/// Asks the decoder for slice names.
#[derive(Debug)]
pub(super) struct SliceLabels {
    table: DecoderRef,
    rendered: Rendered,
}

impl SliceLabels {
    pub(super) fn new(table: DecoderRef) -> SliceLabels {
        SliceLabels { table, rendered: Rendered::default() }
    }

    /// Puts the decoder's name of an activity into `out`; `false` if it has none.
    pub(super) fn ask(&mut self, item: &Item<'_>, activity: &Activity, words: &Words<'_>, out: &mut String) -> bool {
        out.clear();
        self.rendered.clear();
        let (names, input) = (words.names(), item.row_in());
        let view = DictView::new(&names);
        let answer = self.table.label(item.cfg, &input, activity, label::SLICE, &view, &mut self.rendered);
        if answer.is_err() || self.rendered.text.is_empty() {
            return false;
        }
        push_text(out, &self.rendered.text);
        true
    }
}
