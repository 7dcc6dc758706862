//! Names: what naming records give, and the names of another stream (`symbols`).

mod symbols;

pub(crate) use symbols::{Symbol, Symbols};

use spytui_plugin_api::{DictEvent, Output, batch::attr, batch::dict_op, info::space as host_space, row::NONE};

use crate::{
    layout::{Group, Layout, USER, space},
    record::Values,
};

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
