//! Slice names given by the decoder or a formatter.

use spytui_plugin_api::{Activity, DecoderRef, Dict, Rendered};

use crate::{
    export::words::{EntityNames, push_text},
    row::{GivenText, Renderer, RowView},
};

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

    /// Puts a formatter's word and text for an application record into `out`; `false` if it has none.
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
