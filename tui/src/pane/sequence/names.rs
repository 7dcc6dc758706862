//! The names of lifelines and events, as seen by the row that they are in.

use spytui_engine::{
    analysis::{Key, lifelines::LifelineNames},
    trace::list::{RowList, walk::worded_in},
};
use spytui_plugin_api::RowKind;

/// Names as in the list.
#[derive(Clone, Copy)]
pub(super) struct ListNames<'a> {
    pub(super) rows: &'a RowList,
    pub(super) short: bool,
}

impl ListNames<'_> {
    /// The names of a lifeline as seen by a row of a source.
    pub(super) fn called(self, at: (usize, u64), key: Key) -> LifelineNames {
        let other = worded_in(self.rows, at, false, |wording| wording.name_or_key(key));
        let class = self.rows.source(0).decoder.info.space(key.space);
        let class = class.map_or_else(String::new, |space| space.name.to_string());
        LifelineNames { name: self.name(at, key), other, class }
    }

    pub(super) fn name(self, at: (usize, u64), key: Key) -> String {
        worded_in(self.rows, at, self.short, |wording| wording.name_or_key(key))
    }

    pub(super) fn kind(self, at: (usize, u64), kind: RowKind) -> String {
        worded_in(self.rows, at, false, |wording| wording.record_kind(kind))
    }
}
