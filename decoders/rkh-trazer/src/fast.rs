//! Where a record's object and signal lie, and how long it is, worked out once per configuration.

use spytui_plugin_api::RowKind;

use spytui_plugin_api::row::{RowFlags, Severity};

use crate::{
    config::Config,
    layout::{self, Layout, NO_FIELD, Role, Ty, UNIT_TEST, USER},
};

/// A place in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    off: u16,
    size: u8,
}

impl Place {
    /// The number there, without a branch: the word that holds it is at its place, or the last one of the frame.
    #[inline]
    pub(crate) fn read(self, frame: &[u8]) -> u64 {
        const MASKS: [u64; 16] = [0, 0xFF, 0xFFFF, 0, 0xFFFF_FFFF, 0, 0, 0, u64::MAX, 0, 0, 0, 0, 0, 0, 0];
        let off = usize::from(self.off);
        let Some(last) = frame.len().checked_sub(8) else { return self.read_short(frame) };
        let start = off.min(last);
        let word = frame.get(start..).and_then(<[u8]>::first_chunk).map_or(0, |w| u64::from_le_bytes(*w));
        (word >> (((off - start) * 8) & 63)) & MASKS[usize::from(self.size & 15)]
    }

    fn read_short(self, frame: &[u8]) -> u64 {
        let (off, size) = (usize::from(self.off), usize::from(self.size));
        frame.get(off..off + size).unwrap_or(&[]).iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
    }

    /// Whether a frame with so many bytes of arguments and header reaches over it.
    pub(crate) fn within(self, len: usize) -> bool {
        self.size > 0 && usize::from(self.off) + usize::from(self.size) <= len
    }
}

/// How a record with some id is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Bytes of the whole frame; [`VARIABLE`] where its bytes tell.
    pub(crate) len: u16,
    /// `None` for user events and unknown ones.
    pub(crate) layout: Option<&'static Layout>,
    pub(crate) obj: Place,
    pub(crate) sig: Place,
    /// Flags of its rows, as far as they don't depend on the record.
    pub(crate) flags: RowFlags,
    pub(crate) kind: RowKind,
    pub(crate) group: u8,
    pub(crate) severity: Severity,
    pub(crate) role: Role,
}

/// See [`Plan::len`]; no frame of fixed length is so long.
pub(crate) const VARIABLE: u16 = u16::MAX;

/// The plans of all ids.
#[derive(Clone, Debug)]
pub(crate) struct Plans {
    stamp: Place,
    plans: [Plan; 256],
}

impl Plans {
    pub(crate) fn new(config: &Config) -> Plans {
        let stamp = Place { off: 1 + u16::from(config.nseq), size: config.stamp };
        Plans { stamp, plans: std::array::from_fn(|id| plan_of(id as u8, config)) }
    }

    /// The plan of an id.
    #[inline]
    pub(crate) fn of(&self, id: u8) -> &Plan {
        // An array of 256 has a place for every id.
        &self.plans[usize::from(id)]
    }

    /// The time stamp of a frame.
    #[inline]
    pub(crate) fn stamp(&self, frame: &[u8]) -> u64 {
        self.stamp.read(frame)
    }
}

fn plan_of(id: u8, config: &Config) -> Plan {
    let stamped = if config.stamp > 0 { RowFlags::TIME_OWN } else { RowFlags::empty() };
    let unknown = Plan {
        len: VARIABLE,
        layout: None,
        obj: Place::default(),
        sig: Place::default(),
        flags: stamped,
        kind: RowKind(id.into()),
        group: id >> 5,
        severity: Severity::WARNING,
        role: Role::Plain,
    };
    if (USER..UNIT_TEST).contains(&id) {
        let flags = stamped | RowFlags::APPLICATION | RowFlags::HAS_ITEM;
        return Plan { flags, severity: Severity::NORMAL, ..unknown };
    }
    match layout::layout(id, config.era) {
        Some(layout) => predefined(layout, config, unknown),
        None => unknown,
    }
}

fn predefined(layout: &'static Layout, config: &Config, unknown: Plan) -> Plan {
    let args: usize = layout.fields.iter().map(|f| usize::from(config.size(f.ty))).sum();
    let len = config.header() + args + config.trailer();
    let has = |yes: bool, flags: RowFlags| if yes { flags } else { RowFlags::empty() };
    let (obj, sig) = (place(layout, layout.obj, config), place(layout, layout.sig, config));
    Plan {
        len: if layout.fixed() { len as u16 } else { VARIABLE },
        layout: Some(layout),
        obj,
        sig,
        flags: unknown.flags
            | has(obj.size > 0, RowFlags::HAS_OBJECT)
            | has(sig.size > 0, RowFlags::HAS_ITEM)
            | has(matches!(layout.role, Role::Name(_) | Role::Tcfg), RowFlags::NAMING),
        kind: layout.kind,
        severity: layout.severity,
        role: layout.role,
        ..unknown
    }
}

fn place(layout: &Layout, field: u8, config: &Config) -> Place {
    let mut off = config.header() as u16;
    for (i, f) in layout.fields.iter().enumerate() {
        let size = config.size(f.ty);
        if i == usize::from(field) && field != NO_FIELD {
            return Place { off, size };
        }
        if matches!(f.ty, Ty::Str | Ty::Rest) {
            break;
        }
        off += u16::from(size);
    }
    Place::default()
}
