//! Names: their spaces, what naming records give, and what the reference host keeps.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{DictEvent, Output, batch::attr, batch::dict_op, info::space as host_space, row::NONE};

use crate::{
    layout::{Group, Layout, USER},
    record::Values,
};

/// Spaces of names and of keys without names.
pub(crate) mod space {
    use spytui_plugin_api::info::space::OWN;

    /// Everything that has an address, but for states and functions.
    pub(crate) const OBJECTS: u16 = OWN;
    /// Scoped by the object.
    pub(crate) const STATES: u16 = OWN + 1;
    pub(crate) const FUNCTIONS: u16 = OWN + 2;
    pub(crate) const SIGNALS: u16 = OWN + 3;
    /// Event pools by number, from 1 on.
    pub(crate) const POOLS: u16 = OWN + 4;
}

/// A name as people want to read it: expressions of the source may begin with `&`.
pub(crate) fn plain(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"&").unwrap_or(name)
}

/// A name that a record gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naming<'a> {
    pub(crate) space: u16,
    pub(crate) key: u64,
    pub(crate) scope: u64,
    pub(crate) name: &'a [u8],
}

impl<'a> Naming<'a> {
    /// What a naming record says; `None` = it is none, or its name is empty.
    pub(crate) fn of(layout: &Layout, values: &Values<'a>) -> Option<Naming<'a>> {
        let first = values.number(0);
        let (space, key, scope) = match layout.event {
            "SIG" => (space::SIGNALS, first, 0),
            "FUN" => (space::FUNCTIONS, first, 0),
            "TUSR" => (host_space::KINDS, u64::from(USER) + (first & 31), 0),
            "STATE" | "PSTATE" => (space::STATES, values.number(1), first),
            // By number only where the record has one, counted from 0.
            "EPOOL" if layout.obj == crate::layout::NO_FIELD => (space::POOLS, first + 1, 0),
            _ => (space::OBJECTS, first, 0),
        };
        let name = plain(values.bytes);
        (!name.is_empty()).then_some(Naming { space, key, scope, name })
    }

    /// Tells the name from the next row on, and to whom a state belongs.
    pub(crate) fn tell(&self, out: &mut Output<'_>) {
        out.name(self.space, self.key, self.scope, self.name);
        if self.space == space::STATES {
            let parent = DictEvent { key: self.key, scope: self.scope, space: self.space, ..DictEvent::default() };
            attribute(out, DictEvent { attr: attr::PARENT, val: self.scope, val_space: space::OBJECTS, ..parent });
        }
    }
}

fn attribute(out: &mut Output<'_>, event: DictEvent) {
    out.dict(DictEvent { op: dict_op::SET, ..event }, b"");
}

/// Tells what a record says of an object beside its name: owner, capacity, priority, size.
pub(crate) fn properties(layout: &Layout, values: &Values<'_>, out: &mut Output<'_>) {
    let mut tell = |attr: u8, field: &str, val_space: u16| {
        let place = layout.place(field);
        if place < values.whole {
            let val = values.number(place);
            let event =
                DictEvent { attr, space: space::OBJECTS, key: values.number(layout.obj), ..DictEvent::default() };
            attribute(out, DictEvent { val, val_space, ..event });
        }
    };
    match (layout.group, layout.event) {
        (Group::Rq, _) => {
            if values.number(layout.place("ao")) != 0 {
                tell(attr::PARENT, "ao", space::OBJECTS);
            }
            tell(attr::CAPACITY, "nelem", NONE);
        }
        (Group::Mp, _) => {
            tell(attr::CAPACITY, "nb", NONE);
            tell(attr::SIZE, "bs", NONE);
        }
        _ => tell(attr::PRIORITY, "prio", NONE),
    }
}

/// The address table of the reference host: a name is of one address only, and moves.
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

    /// Forgets everything.
    pub(crate) fn clear(&mut self, out: &mut Output<'_>) {
        if !self.names.is_empty() {
            out.clear(space::OBJECTS);
        }
        self.names.clear();
        self.keys.clear();
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Batch;

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
