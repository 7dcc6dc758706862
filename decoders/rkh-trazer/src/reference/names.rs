//! The reference host's name table, and how it prints names.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Output, TextWriter};

use crate::{
    layout::space,
    text::{
        names::{Context, Names},
        number,
    },
};

/// The address table of the reference host: a name belongs to one address, and moves to the latest.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostNames {
    names: FxHashMap<u64, Box<[u8]>>,
    keys: FxHashMap<Box<[u8]>, u64>,
}

impl HostNames {
    /// Enters a name.
    pub(crate) fn enter(&mut self, key: u64, name: &[u8], out: &mut Output<'_>) {
        match self.keys.get(name) {
            Some(owner) if *owner == key => return,
            Some(&owner) => {
                self.names.remove(&owner);
                out.remove(space::OBJECTS, owner, 0);
            }
            None => {}
        }
        if let Some(former) = self.names.insert(key, name.into()) {
            self.keys.remove(&former);
        }
        self.keys.insert(name.into(), key);
        out.name(space::OBJECTS, key, 0, name);
    }

    /// Clears the table.
    pub(crate) fn clear(&mut self, out: &mut Output<'_>) {
        if !self.names.is_empty() {
            out.clear(space::OBJECTS);
        }
        self.names.clear();
        self.keys.clear();
    }
}

/// Writes an address as the host does: from one table for all objects.
#[inline]
pub(super) fn symbol<N: Names>(ctx: &Context<'_, N>, line: &mut TextWriter<'_>, key: u64) {
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
pub(super) fn signal<N: Names>(ctx: &Context<'_, N>, line: &mut TextWriter<'_>, signal: u64) {
    match ctx.names.name(space::SIGNALS, signal, 0) {
        Some(name) => line.put(name),
        None => hex(line, signal),
    }
}

/// Writes an event pool as the host does, by its number counted from 1.
#[inline]
pub(super) fn pool<N: Names>(ctx: &Context<'_, N>, line: &mut TextWriter<'_>, pool: u64) {
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
    use spytui_plugin_api::{Batch, batch::dict_op};

    use super::*;

    #[test]
    fn a_name_in_use_moves() {
        let (mut names, mut batch) = (HostNames::default(), Batch::default());
        let mut out = Output::new(&mut batch, false);
        names.enter(1, b"a", &mut out);
        names.enter(1, b"a", &mut out);
        names.enter(2, b"a", &mut out);
        names.enter(2, b"b", &mut out);
        names.enter(3, b"a", &mut out);
        let events: Vec<(u8, u64)> = batch.dict.iter().map(|e| (e.op, e.key)).collect();
        let (set, remove) = (dict_op::SET, dict_op::REMOVE);
        assert_eq!(events, [(set, 1), (remove, 1), (set, 2), (set, 2), (set, 3)]);
    }
}
