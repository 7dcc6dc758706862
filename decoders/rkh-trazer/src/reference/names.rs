//! The reference host's name tables, and how it prints names.

use std::{io::Write, sync::Arc};

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Output, TextWriter, info::space as host_space};

use crate::{
    layout::space,
    text::{Context, number},
};

/// Maximum number of entries of a table.
const MOST: usize = 1 << 20;
/// Number of keys remembered as entered.
const SEEN: usize = 64;
/// No key.
const UNSEEN: u64 = u64::MAX;

/// A table of the reference host: entries in the order in which they were made.
#[derive(Clone, Debug, Default)]
struct Table {
    entries: Vec<(u64, Box<[u8]>)>,
    /// Places of a key, and of a name, in order.
    keys: FxHashMap<u64, Vec<u32>>,
    names: FxHashMap<Box<[u8]>, Vec<u32>>,
}

impl Table {
    /// Enters a name: the first entry with this key gets the name, or the first with this name gets the key, whichever
    /// comes first. Returns the key that lost its first entry.
    fn enter(&mut self, key: u64, name: &[u8]) -> Option<u64> {
        let by_key = self.keys.get(&key).and_then(|places| places.first()).copied();
        let by_name = self.names.get(name).and_then(|places| places.first()).copied();
        match (by_key, by_name) {
            (None, None) => self.push(key, name),
            (key_at, Some(at)) if key_at.is_none_or(|key_at| at < key_at) => return self.move_to(at, key),
            (Some(at), _) => self.rename(at, name),
            (None, Some(_)) => {}
        }
        None
    }

    fn push(&mut self, key: u64, name: &[u8]) {
        if self.entries.len() < MOST {
            let at = self.entries.len() as u32;
            self.entries.push((key, name.into()));
            self.keys.entry(key).or_default().push(at);
            self.names.entry(name.into()).or_default().push(at);
        }
    }

    fn move_to(&mut self, at: u32, key: u64) -> Option<u64> {
        let entry = self.entries.get_mut(at as usize)?;
        let before = std::mem::replace(&mut entry.0, key);
        leave(&mut self.keys, &before, at);
        join(self.keys.entry(key).or_default(), at);
        Some(before)
    }

    fn rename(&mut self, at: u32, name: &[u8]) {
        let Some(entry) = self.entries.get_mut(at as usize).filter(|entry| *entry.1 != *name) else { return };
        let before = std::mem::replace(&mut entry.1, name.into());
        leave(&mut self.names, &before, at);
        join(self.names.entry(name.into()).or_default(), at);
    }

    /// The name that the host finds for a key.
    fn name(&self, key: u64) -> Option<&[u8]> {
        let at = *self.keys.get(&key)?.first()?;
        self.entries.get(at as usize).map(|entry| &*entry.1)
    }
}

fn join(places: &mut Vec<u32>, at: u32) {
    places.insert(places.partition_point(|place| *place < at), at);
}

fn leave<K: std::hash::Hash + Eq + Clone>(map: &mut FxHashMap<K, Vec<u32>>, key: &K, at: u32) {
    if let Some(places) = map.get_mut(key) {
        places.retain(|place| *place != at);
        if places.is_empty() {
            map.remove(key);
        }
    }
}

/// A table whose keys have a place from their first look-up on.
#[derive(Clone, Debug)]
struct Lookups {
    table: Arc<Table>,
    /// Keys that are entered, by their low bits.
    seen: [u64; SEEN],
}

impl Default for Lookups {
    fn default() -> Lookups {
        Lookups { table: Arc::default(), seen: [UNSEEN; SEEN] }
    }
}

impl Lookups {
    fn enter(&mut self, space: u16, key: u64, name: &[u8], out: &mut Output<'_>) {
        let table = Arc::make_mut(&mut self.table);
        let known = table.name(key).is_some_and(|known| known == name);
        if let Some(before) = table.enter(key, name) {
            report(table, space, before, out);
            self.seen = [UNSEEN; SEEN];
        }
        if !known {
            report(table, space, key, out);
        }
    }

    /// The host looks up a key: one that it does not know is entered under its own text.
    #[inline]
    fn look_up(&mut self, space: u16, key: u64, out: &mut Output<'_>) {
        let seen = &mut self.seen[(key ^ key >> 2) as usize % SEEN];
        if *seen == key {
            return;
        }
        *seen = key;
        if self.table.name(key).is_none() {
            self.place(space, key, out);
        }
    }

    #[cold]
    fn place(&mut self, space: u16, key: u64, out: &mut Output<'_>) {
        let mut own = Vec::new();
        // Writing to memory does not fail.
        let _ = if space == space::POOLS { write!(own, "{key}") } else { write!(own, "0X{key:X}") };
        let table = Arc::make_mut(&mut self.table);
        if let Some(before) = table.enter(key, &own) {
            report(table, space, before, out);
            self.seen = [UNSEEN; SEEN];
        }
    }
}

/// The name tables of the reference host.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostNames {
    objects: Lookups,
    signals: Lookups,
    users: Lookups,
    pools: Lookups,
}

impl HostNames {
    pub(crate) fn enter(&mut self, space: u16, key: u64, name: &[u8], out: &mut Output<'_>) {
        match space {
            space::SIGNALS => self.signals.enter(space, key, name, out),
            space::POOLS => self.pools.enter(space, key, name, out),
            host_space::KINDS => self.users.enter(space, key, name, out),
            // One table for everything with an address.
            _ => self.objects.enter(space::OBJECTS, key, name, out),
        }
    }

    /// The host looks up an address; 0 is none.
    #[inline]
    pub(crate) fn look_up(&mut self, key: u64, out: &mut Output<'_>) {
        if key > 0 {
            self.objects.look_up(space::OBJECTS, key, out);
        }
    }

    #[inline]
    pub(crate) fn look_up_signal(&mut self, key: u64, out: &mut Output<'_>) {
        self.signals.look_up(space::SIGNALS, key, out);
    }

    /// The host looks up a pool, counted from 1; 0 is none.
    #[inline]
    pub(crate) fn look_up_pool(&mut self, key: u64, out: &mut Output<'_>) {
        if key > 0 {
            self.pools.look_up(space::POOLS, key, out);
        }
    }

    /// Clears objects and pools, as a configuration record does.
    pub(crate) fn clear(&mut self, out: &mut Output<'_>) {
        if !self.objects.table.entries.is_empty() {
            out.clear(space::OBJECTS);
        }
        out.clear(space::POOLS);
        (self.objects, self.pools) = (Lookups::default(), Lookups::default());
    }
}

/// Reports the name that the host finds for a key now.
fn report(table: &Table, space: u16, key: u64, out: &mut Output<'_>) {
    match table.name(key) {
        Some(name) => out.name(space, key, 0, name),
        None => out.remove(space, key, 0),
    }
}

/// Writes an address as the host does: from one table for all objects.
#[inline]
pub(super) fn symbol(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>, key: u64) {
    if key == 0 {
        return line.byte(b'?');
    }
    match ctx.names.name(space::OBJECTS, key, 0) {
        Some(name) => line.put(name),
        None => hex(line, key),
    }
}

/// Writes a signal as the host does.
#[inline]
pub(super) fn signal(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>, signal: u64) {
    match ctx.names.name(space::SIGNALS, signal, 0) {
        Some(name) => line.put(name),
        None => hex(line, signal),
    }
}

/// Writes an event pool as the host does, by its number counted from 1.
#[inline]
pub(super) fn pool(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>, pool: u64) {
    match pool {
        0 => line.put(b"static"),
        pool => match ctx.names.name(space::POOLS, pool, 0) {
            Some(name) => line.put(name),
            None => number::decimal(line, pool),
        },
    }
}

/// Writes the host's fallback for a missing name.
fn hex(line: &mut TextWriter<'_>, key: u64) {
    line.put(b"0X");
    number::hex(line, key, 1);
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{Batch, batch::DictOp};

    use super::*;

    /// The changes that entering these names makes.
    fn changes(entries: &[(u64, &[u8])], looked_up: &[u64]) -> Vec<(DictOp, u64)> {
        let (mut names, mut batch) = (HostNames::default(), Batch::default());
        let mut out = Output::new(&mut batch, false);
        looked_up.iter().for_each(|key| names.look_up(*key, &mut out));
        entries.iter().for_each(|(key, name)| names.enter(space::OBJECTS, *key, name, &mut out));
        batch.dict.iter().map(|e| (e.op, e.key)).collect()
    }

    const SET: DictOp = DictOp::SET;
    const REMOVE: DictOp = DictOp::REMOVE;

    #[test]
    fn a_name_in_use_moves() {
        let events = changes(&[(1, b"a"), (1, b"a"), (2, b"a"), (2, b"b"), (3, b"a")], &[]);
        assert_eq!(events, [(SET, 1), (REMOVE, 1), (SET, 2), (SET, 2), (SET, 3)]);
    }

    #[test]
    fn two_keys_share_a_name_if_the_entry_of_the_new_one_comes_first() {
        assert_eq!(changes(&[(2, b"x"), (1, b"a"), (2, b"a")], &[]), [(SET, 2), (SET, 1), (SET, 2)]);
        assert_eq!(changes(&[(1, b"a"), (2, b"x"), (2, b"a")], &[]), [(SET, 1), (SET, 2), (REMOVE, 1), (SET, 2)]);
    }

    #[test]
    fn an_address_has_its_place_from_its_first_look_up_on() {
        assert_eq!(changes(&[(1, b"a"), (2, b"a")], &[2, 1]), [(SET, 1), (SET, 2)]);
        assert_eq!(changes(&[(1, b"a"), (2, b"a")], &[1, 2]), [(SET, 1), (REMOVE, 1), (SET, 2)]);
    }

    #[test]
    fn signals_and_pools_have_their_places_from_their_first_look_up_on_too() {
        for space in [space::SIGNALS, space::POOLS] {
            let (mut names, mut batch) = (HostNames::default(), Batch::default());
            let mut out = Output::new(&mut batch, false);
            match space {
                space::POOLS => names.look_up_pool(2, &mut out),
                _ => names.look_up_signal(2, &mut out),
            }
            names.enter(space, 9, b"x", &mut out);
            names.enter(space, 2, b"x", &mut out);
            assert_eq!(batch.dict.iter().map(|e| (e.op, e.key)).collect::<Vec<_>>(), [(SET, 9), (SET, 2)]);
        }
    }

    #[test]
    fn a_name_that_is_the_text_of_another_key_moves_with_its_look_up() {
        let (mut names, mut batch) = (HostNames::default(), Batch::default());
        let mut out = Output::new(&mut batch, false);
        names.enter(space::POOLS, 1, b"2", &mut out);
        names.look_up_pool(2, &mut out);
        assert_eq!(batch.dict.iter().map(|e| (e.op, e.key)).collect::<Vec<_>>(), [(SET, 1), (REMOVE, 1)]);
    }
}
