//! Plans for fixed-length records: offsets of fields in a frame, compiled from the table once per configuration and
//! record id. Receiving and text use them for such records; the parsers in `record`, which define the layouts, read all
//! others.

use spytui_decoder_kit::Word;
use spytui_plugin_api::{
    RowKind,
    row::{RowFlags, Severity},
};

use crate::{
    config::{Config, Sizes},
    layout::{self, Group, Layout, MAX_FIELDS, NO_FIELD, PAYLOAD, Subject, id},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) layout: Option<&'static Layout>,
    /// Offsets of its fields, if their sizes are fixed.
    pub(crate) fixed: spytui_decoder_kit::Plan<MAX_FIELDS>,
    /// Whether the record only makes a row.
    plain: bool,
    pub(crate) stamp: Word,
    pub(crate) obj: Word,
    pub(crate) sig: Word,
    /// Object that scopes the signal.
    pub(crate) scope: Word,
    /// Free entries in a queue or pool.
    pub(crate) free: Word,
    pub(crate) kind: RowKind,
    /// Row flags common to all records with the id.
    pub(crate) flags: RowFlags,
    pub(crate) group: u8,
    pub(crate) severity: Severity,
}

/// Number of bytes around a payload: sequence number, id, checksum.
const AROUND: usize = 3;

const UNKNOWN: Plan = Plan {
    layout: None,
    fixed: spytui_decoder_kit::Plan::NONE,
    plain: false,
    stamp: Word::NONE,
    obj: Word::NONE,
    sig: Word::NONE,
    scope: Word::NONE,
    free: Word::NONE,
    kind: RowKind(0),
    flags: RowFlags::empty(),
    group: Group::Other as u8,
    severity: Severity::INFO,
};

pub(crate) type BlockPlans = spytui_decoder_kit::BlockPlans<Config, Plan>;

impl Plan {
    #[inline(never)]
    pub(crate) fn new(id: u8, config: &Config) -> Plan {
        let base = layout::user_base(config.version, config.style);
        if id >= base {
            let each = if base == layout::USER_BASE { 5 } else { 10 };
            return Plan {
                flags: RowFlags::TIME_OWN | RowFlags::APPLICATION | RowFlags::HAS_ITEM,
                group: Group::User as u8 + ((id - base) / each).min(4),
                severity: Severity::NORMAL,
                ..UNKNOWN
            };
        }
        layout::layout(id, config.version, config.style)
            .map_or(UNKNOWN, |layout| Plan::of_layout(layout, &config.sizes))
    }

    fn of_layout(layout: &'static Layout, sizes: &Sizes) -> Plan {
        let has = |yes: bool, flags: RowFlags| if yes { flags } else { RowFlags::empty() };
        let mut plan = Plan {
            layout: Some(layout),
            flags: has(layout.stamped() && sizes.time > 0, RowFlags::TIME_OWN)
                | has(layout.subject != Subject::None, RowFlags::HAS_OBJECT)
                | has(layout.sig != NO_FIELD, RowFlags::HAS_ITEM)
                | has(layout.group == Group::Dict, RowFlags::NAMING),
            group: layout.group as u8,
            severity: layout.severity,
            ..UNKNOWN
        };
        if layout.fixed() && !matches!(layout.id, id::EMPTY | id::INFO | id::QUERY | id::PEEK) {
            plan.fix(layout, sizes);
        }
        plan
    }

    /// Computes the offsets of the fields, all of which have a fixed size.
    fn fix(&mut self, layout: &Layout, sizes: &Sizes) {
        let sizes = layout.fields.iter().map(|field| field.ty.size(sizes).unwrap_or(0));
        self.fixed = spytui_decoder_kit::Plan::new(PAYLOAD, sizes, AROUND - PAYLOAD);
        self.plain = !matches!(layout.group, Group::Dict | Group::Answer | Group::Info);
        self.stamp = if layout.stamped() { self.fixed.word(0) } else { Word::NONE };
        self.obj = self.fixed.word(layout.obj);
        self.sig = self.fixed.word(layout.sig);
        self.scope = if layout.sig == NO_FIELD { Word::NONE } else { self.fixed.word(layout.scope) };
        self.free = self.fixed.word(layout.place("free"));
    }

    /// Whether a payload has the right length; `None` if the record's length varies.
    pub(crate) fn fits_payload(&self, payload: &[u8]) -> Option<bool> {
        self.fixed.frame_len().map(|len| len == payload.len() + AROUND)
    }

    /// The layout, if the frame has the right length.
    #[inline]
    pub(crate) fn fixed(&self, frame: &[u8]) -> Option<&'static Layout> {
        self.layout.filter(|_| self.fixed.fits(frame))
    }

    /// Whether a frame has the right length and only makes a row.
    #[inline]
    pub(crate) fn is_plain(&self, frame: &[u8]) -> bool {
        self.plain && self.fixed.fits(frame)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Plans([Plan; 256]);

impl Plans {
    pub(crate) fn new(config: &Config) -> Plans {
        let mut plans = [UNKNOWN; 256];
        for (id, plan) in (0..=u8::MAX).zip(&mut plans) {
            let kind = RowKind(layout::kind_of(id, config.version, config.style));
            *plan = Plan { kind, ..Plan::new(id, config) };
        }
        Plans(plans)
    }

    #[inline]
    pub(crate) fn of(&self, id: u8) -> &Plan {
        // The array has an element for each id.
        &self.0[usize::from(id)]
    }
}
