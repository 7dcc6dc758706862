//! Names that the decoder gives to slices.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{DecoderRef, DictView, Rendered, render::label};

use super::{
    exporter::Doing,
    words::{Words, push_text},
};
use crate::analysis::Id;

/// Asks the decoder.
#[derive(Debug)]
pub(super) struct Labels {
    table: DecoderRef,
    rendered: Rendered,
    /// States that were announced: their names, until they begin.
    kept: FxHashMap<Id, String>,
}

impl Labels {
    pub(super) fn new(table: DecoderRef) -> Labels {
        Labels { table, rendered: Rendered::default(), kept: FxHashMap::default() }
    }

    /// Puts the name of an activity into `out`; `false` = the decoder leaves it to the host.
    pub(super) fn ask(&mut self, doing: &Doing<'_>, words: &Words<'_>, out: &mut String) -> bool {
        out.clear();
        self.rendered.clear();
        let (names, input) = (words.names(), doing.item.row_in());
        let view = DictView::new(&names);
        let answer = self.table.name_of(doing.item.cfg, &input, &doing.act, label::SLICE, &view, &mut self.rendered);
        if answer.is_err() || self.rendered.text.is_empty() {
            return false;
        }
        push_text(out, &self.rendered.text);
        true
    }

    /// Keeps the name of a state that will begin later.
    pub(super) fn keep(&mut self, task: Id, doing: &Doing<'_>, words: &Words<'_>) {
        let mut text = self.kept.remove(&task).unwrap_or_default();
        self.ask(doing, words, &mut text);
        self.kept.insert(task, text);
    }

    /// The kept name of a state that begins; `false` = the decoder gave none.
    pub(super) fn kept(&mut self, task: Id, out: &mut String) -> bool {
        match self.kept.get(&task).filter(|text| !text.is_empty()) {
            Some(text) => {
                out.clear();
                out.push_str(text);
                true
            }
            None => false,
        }
    }
}
