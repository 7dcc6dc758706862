//! Where a record's time, object and signal lie, worked out once per configuration.

mod field_plan;

pub(crate) use field_plan::{NO_WORD, NOWHERE, Place, Word};

use spytui_plugin_api::RowKind;

use spytui_plugin_api::row::{RowFlags, Severity};

use crate::{
    config::Config,
    layout::{self, Group, Layout, NO_FIELD, Subject, id},
};

/// How the payload of a record is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Exactly this many bytes.
    Fixed(u16),
    /// Its bytes tell: texts, queries, peeks, target info.
    Special,
    /// An application record.
    Application,
    Unknown,
}

/// How a record with some id is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) shape: Shape,
    /// Kind of its rows.
    pub(crate) kind: RowKind,
    /// Length of the payload of a record that only makes a row; `NOT_PLAIN` for all others.
    pub(crate) plain: u16,
    /// Where such a record has what its row needs.
    pub(crate) words: Words,
    pub(crate) stamp: Place,
    pub(crate) obj: Place,
    pub(crate) sig: Place,
    /// Object that scopes the signal; size 0 = none.
    pub(crate) scope: Place,
    /// Flags of its rows, as far as they don't depend on the record.
    pub(crate) flags: RowFlags,
    pub(crate) group: u8,
    pub(crate) severity: Severity,
}

/// Places in the frames of records that only make a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    pub(crate) stamp: Word,
    pub(crate) obj: Word,
    pub(crate) sig: Word,
}

/// See [`Plan::plain`]; no payload is so long.
const NOT_PLAIN: u16 = u16::MAX;

/// What stands around a payload: sequence number, id, check value.
const AROUND: usize = 3;

const UNKNOWN: Plan = Plan {
    shape: Shape::Unknown,
    kind: RowKind(0),
    plain: NOT_PLAIN,
    words: Words { stamp: NO_WORD, obj: NO_WORD, sig: NO_WORD },
    stamp: NOWHERE,
    obj: NOWHERE,
    sig: NOWHERE,
    scope: NOWHERE,
    flags: RowFlags::empty(),
    group: Group::Other as u8,
    severity: Severity::INFO,
};

/// The plans of all ids.
#[derive(Clone, Debug)]
pub(crate) struct Plans([Plan; 256]);

impl Plans {
    pub(crate) fn new(config: &Config) -> Plans {
        let mut plans = [UNKNOWN; 256];
        for (id, plan) in (0..=u8::MAX).zip(&mut plans) {
            *plan = Plan { kind: RowKind(layout::kind_of(id, config.version, config.style)), ..plan_of(id, config) };
        }
        Plans(plans)
    }

    /// The plan of an id.
    #[inline]
    pub(crate) fn of(&self, id: u8) -> &Plan {
        // An array of 256 has a place for every id.
        &self.0[usize::from(id)]
    }
}

fn plan_of(id: u8, config: &Config) -> Plan {
    let base = layout::user_base(config.version, config.style);
    if id >= base {
        let each = if base == layout::USER_BASE { 5 } else { 10 };
        return Plan {
            shape: Shape::Application,
            stamp: Place::first(config.sizes.time),
            flags: RowFlags::TIME_OWN | RowFlags::APPLICATION | RowFlags::HAS_ITEM,
            group: Group::User as u8 + ((id - base) / each).min(4),
            severity: Severity::NORMAL,
            ..UNKNOWN
        };
    }
    match layout::layout(id, config.version, config.style) {
        Some(layout) => predefined(layout, config),
        None => UNKNOWN,
    }
}

fn predefined(layout: &Layout, config: &Config) -> Plan {
    let special = !layout.fixed() || matches!(layout.id, id::EMPTY | id::INFO | id::QUERY | id::PEEK);
    let len: u16 = layout.fields.iter().filter_map(|f| f.ty.size(&config.sizes)).map(u16::from).sum();
    let places = Place::all(layout, &config.sizes);
    let place = |field: u8| places.get(usize::from(field)).copied().unwrap_or(NOWHERE);
    let stamp = if layout.stamped() { place(0) } else { NOWHERE };
    let word = |place: Place| Word::new(place, usize::from(len) + AROUND);
    let has = |yes: bool, flags: RowFlags| if yes { flags } else { RowFlags::empty() };
    let plain = !special && !matches!(layout.group, Group::Dict | Group::Answer | Group::Info);
    Plan {
        kind: RowKind(layout.id.into()),
        shape: if special { Shape::Special } else { Shape::Fixed(len) },
        plain: if plain { len } else { NOT_PLAIN },
        words: Words { stamp: word(stamp), obj: word(place(layout.obj)), sig: word(place(layout.sig)) },
        stamp,
        obj: place(layout.obj),
        sig: place(layout.sig),
        scope: if layout.sig == NO_FIELD { NOWHERE } else { place(layout.scope) },
        flags: has(stamp.size() > 0, RowFlags::TIME_OWN)
            | has(layout.subject != Subject::None, RowFlags::HAS_OBJECT)
            | has(layout.sig != NO_FIELD, RowFlags::HAS_ITEM)
            | has(layout.group == Group::Dict, RowFlags::NAMING),
        group: layout.group as u8,
        severity: severity_of(layout.id),
    }
}

/// How much a record calls for attention: something refused, ignored or broken.
pub(crate) fn severity_of(id: u8) -> Severity {
    match id {
        7 => Severity::INFO,
        18 | 23 | 45 | 46 | 47 | 74 | 78 | 79 | 80 | 81 => Severity::WARNING,
        69 => Severity::ERROR,
        _ => Severity::NORMAL,
    }
}
