//! Uses of names: which records refer to each key, counted in pieces while the pane is in front.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use spytui_engine::{
    row::RowView,
    store::View,
    trace::{
        list::{RenderRequest, RowList, RowRenderer, Walking},
        session::Decoding,
    },
};
use spytui_plugin_api::{
    NONE,
    info::space,
    render::{Tag, Want},
    row::{RowFlags, RowKind},
};

/// Rows counted at once.
const PIECE: u64 = 4096;
/// Maximum number of keys counted; noise has any number of them.
const MOST_KEYS: usize = 200_000;

/// Key as in a record: space, key, scope.
pub(super) type Key = (u16, u64, u64);

/// Uses of a key. Only rendering reveals the keys in a record, so they are counted in pieces while the pane is in
/// front.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Uses {
    /// Number of records that refer to it.
    pub(super) count: u64,
    /// The last of these: row, source if there are several, and number.
    pub(super) last: (u64, Option<u16>, u64),
}

impl Uses {
    fn add(&mut self, last: (u64, Option<u16>, u64)) {
        self.count += 1;
        self.last = last;
    }

    /// Adds the uses of the same key under another scope.
    pub(super) fn join(&mut self, other: Uses) {
        self.count += other.count;
        self.last = self.last.max(other.last);
    }
}

#[derive(Debug, Default)]
pub(in crate::pane) struct UseCounter {
    parts: Vec<Arc<Decoding>>,
    counted: u64,
    keys: FxHashMap<Key, Uses>,
    kinds: FxHashMap<RowKind, Uses>,
    pub(super) is_full: bool,
    renderer: RowRenderer,
}

impl Walking for UseCounter {
    fn new(list: &RowList) -> UseCounter {
        UseCounter { parts: list.parts.to_vec(), ..UseCounter::default() }
    }

    fn is_of(&self, list: &RowList) -> bool {
        list.is_of(&self.parts)
    }

    fn walked(&self) -> u64 {
        self.counted
    }

    fn failure(&self) -> Option<&str> {
        None
    }

    fn work(&mut self, rows: &RowList) -> bool {
        let len = rows.len();
        let end = len.min(self.counted + PIECE);
        let ask = RenderRequest { want: Want::FIELDS, view: View::Effective, short: false, before: None };
        let mut renderer = std::mem::take(&mut self.renderer);
        renderer.views(rows, self.counted..end, ask, |row, item| {
            self.add(row, item);
            true
        });
        self.renderer = renderer;
        self.counted = end;
        end < len
    }
}

impl UseCounter {
    /// All keys with their uses, records by kind first.
    pub(super) fn all(&self) -> impl Iterator<Item = (Key, Uses)> + '_ {
        let kinds = self.kinds.iter().map(|(kind, uses)| ((space::KINDS, u64::from(kind.0), 0), *uses));
        kinds.chain(self.keys.iter().map(|(key, uses)| (*key, *uses)))
    }

    fn add(&mut self, row: u64, item: &RowView<'_>) {
        let kind = item.row.kind;
        let Some(n) = item.n else { return };
        let here = (row, item.source, n);
        self.kinds.entry(kind).or_default().add(here);
        // Naming records don't use names.
        if item.row.has(RowFlags::NAMING) {
            return;
        }
        for key in keys_of(item) {
            let is_full = self.keys.len() >= MOST_KEYS;
            match self.keys.get_mut(&key) {
                Some(uses) => uses.add(here),
                None if is_full => self.is_full = true,
                None => self.keys.entry(key).or_default().add(here),
            }
        }
    }
}

/// The keys in a record without duplicates: object, item and fields.
fn keys_of(item: &RowView<'_>) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    let is_key = |tag| matches!(tag, Tag::KEY | Tag::ENUM | Tag::POINTER);
    let fields = item.fields().filter(|(_, field)| is_key(field.tag) && field.space != NONE);
    keys.extend(fields.map(|(_, field)| (field.space, field.num, field.scope)));
    let item_space = item.info.kind(item.row.kind).map_or(NONE, |spec| spec.item_space);
    let object = item.object_place().map(|(space, scope)| (space, item.row.obj, scope));
    let second = item.row.has(RowFlags::HAS_ITEM).then_some((item_space, item.row.item, 0));
    for (space, key, scope) in object.into_iter().chain(second) {
        // A field knows its scope better.
        if space != NONE && !keys.iter().any(|known| (known.0, known.1) == (space, key)) {
            keys.push((space, key, scope));
        }
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}
