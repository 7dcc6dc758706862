//! Dictionary: names and properties from records, and names from another stream.

use std::borrow::Cow;

use spytui_decoder_kit::DropRecord;
use spytui_plugin_api::{
    DictEvent, Output,
    batch::{AttrId, DictOp},
    info::space as host_space,
    row::NONE,
};

use crate::layout::{Layout, NamedEntity, Role, USER, Values, space};

/// A name without the leading `&` of a C expression.
pub(crate) fn plain(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"&").unwrap_or(name)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naming<'a> {
    pub(crate) space: u16,
    pub(crate) key: u64,
    pub(crate) scope: u64,
    pub(crate) name: Cow<'a, [u8]>,
}

impl<'a> Naming<'a> {
    /// The name in a naming record; `None` for other records and empty names.
    pub(crate) fn of(layout: &Layout, values: &Values<'a>) -> Option<Naming<'a>> {
        let Role::Name(named) = layout.role else { return None };
        let first = values.number(0);
        let (space, key, scope) = match named {
            NamedEntity::Object => (space::OBJECTS, first, 0),
            NamedEntity::State => (space::STATES, values.number(1), first),
            NamedEntity::Function => (space::FUNCTIONS, first, 0),
            NamedEntity::Signal => (space::SIGNALS, first, 0),
            NamedEntity::Pool => (space::POOLS, first + 1, 0),
            NamedEntity::User => (host_space::KINDS, u64::from(USER) + (first & 31), 0),
        };
        let name = plain(values.bytes);
        (!name.is_empty()).then_some(Naming { space, key, scope, name: name.into() })
    }

    /// Id of the named user event, if it is one.
    pub(crate) fn user_event(&self) -> Option<u8> {
        u8::try_from(self.key).ok().filter(|_| self.space == host_space::KINDS)
    }

    /// Reports the name from the next row on, and the owner of a state.
    pub(crate) fn report(&self, out: &mut Output<'_>) {
        out.name(self.space, self.key, self.scope, &self.name);
        if self.space == space::STATES {
            let parent = DictEvent { key: self.key, scope: self.scope, space: self.space, ..DictEvent::default() };
            attribute(out, DictEvent { attr: AttrId::PARENT, val: self.scope, val_space: space::OBJECTS, ..parent });
        }
    }
}

fn attribute(out: &mut Output<'_>, event: DictEvent) {
    out.dict(DictEvent { op: DictOp::SET, ..event }, b"");
}

/// Reports the properties of an object in a record: owner, capacity, priority, size.
pub(crate) fn properties(layout: &Layout, values: &Values<'_>, out: &mut Output<'_>) {
    for property in layout.properties {
        let place = layout.place(property.field);
        let val = values.number(place);
        if !values.has(place) || (property.space != NONE && val == 0) {
            continue;
        }
        let event = DictEvent { attr: property.attr, space: space::OBJECTS, ..DictEvent::default() };
        let key = values.number(layout.obj);
        attribute(out, DictEvent { key, val, val_space: property.space, ..event });
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols(pub(crate) Vec<Naming<'static>>);

impl Symbols {
    /// Passes on names of user events, one of which may be the drop total.
    pub(crate) fn name_events(&self, record: &mut DropRecord) {
        for naming in &self.0 {
            if let Some(id) = naming.user_event() {
                record.name(id, &naming.name);
            }
        }
    }

    pub(crate) fn report(&self, out: &mut Output<'_>) {
        for naming in &self.0 {
            naming.report(out);
        }
    }
}
