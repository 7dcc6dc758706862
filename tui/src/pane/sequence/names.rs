//! The names of lifelines and events, as seen by the row that they are in.

use std::sync::RwLockReadGuard;

use spytui_engine::{
    analysis::{Key, lifelines::LifelineNames},
    present::{
        sanitise,
        words::{key_word, kind_tag},
    },
    store::{BlockNames, Dictionary, View},
    trace::{list::RowList, session::decoding::DecodingState},
};
use spytui_plugin_api::{Info, Row, RowKind, render::Lookup};

/// Names as in the list.
pub(super) struct ListNames<'a> {
    info: &'a Info,
    states: Vec<RwLockReadGuard<'a, DecodingState>>,
    short: bool,
}

impl<'a> ListNames<'a> {
    /// Locks the sources of a list.
    pub(super) fn new(rows: &'a RowList, short: bool) -> ListNames<'a> {
        ListNames { info: &rows.source(0).decoder.info, states: rows.read_all(), short }
    }

    /// The names of a lifeline as seen by a row of a source.
    pub(super) fn called(&self, at: (usize, u64), key: Key) -> LifelineNames {
        let class = self.info.space(key.space).map_or_else(String::new, |space| space.name.to_string());
        LifelineNames { name: self.find(at, key, self.short), other: self.find(at, key, false), class }
    }

    /// The name of a key, or the key.
    pub(super) fn name(&self, at: (usize, u64), key: Key) -> String {
        self.find(at, key, self.short)
    }

    fn find(&self, (source, row): (usize, u64), key: Key, short: bool) -> String {
        let found =
            self.with_names((source, row), short, |names| names.get(0, key.space, key.key, key.scope).map(sanitise));
        found.flatten().unwrap_or_else(|| key_word(self.info.space(key.space), key.key))
    }

    pub(super) fn kind(&self, at: (usize, u64), kind: RowKind) -> String {
        let row = Row { kind, ..Row::default() };
        self.with_names(at, false, |names| kind_tag(self.info, &row, names, 0)).unwrap_or_default()
    }

    fn with_names<T>(
        &self,
        (source, row): (usize, u64),
        short: bool,
        look: impl FnOnce(&BlockNames<'_>) -> T,
    ) -> Option<T> {
        let own = self.states.get(source)?;
        let others = self.states.iter().enumerate().filter(|(other, _)| *other != source);
        let others: Vec<&Dictionary> = others.map(|(_, state)| &*state.dictionary).collect();
        let names =
            BlockNames { dictionary: &own.dictionary, others: &others, row, rows: &[], view: View::Effective, short };
        Some(look(&names))
    }
}
