//! Plans for records of fixed length: length and field offsets of each id under a configuration, compiled from the
//! table of events. Receiving and text use them; a property test compares them with the parsers in `record`.

use spytui_plugin_api::row::{RowFlags, RowKind, Severity};

use crate::{
    config::Config,
    layout::{self, Era, Layout, MAX_FIELDS, NO_FIELD, Role, Ty, UNIT_TEST, USER, Values},
};

/// Position and size of a number in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    off: u16,
    size: u8,
}

impl Place {
    /// Reads the number without a branch: from the word at its offset, or from the last word of the frame.
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

    /// Whether the number lies within the first `len` bytes of a frame.
    pub(crate) fn within(self, len: usize) -> bool {
        self.size > 0 && usize::from(self.off) + usize::from(self.size) <= len
    }
}

/// How records with an id are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Length of the whole frame; [`VARIABLE`] if it depends on the content.
    len: u16,
    /// `None` for user events and unknown ids.
    pub(crate) layout: Option<&'static Layout>,
    pub(crate) header: Header,
    /// Fields with a fixed offset.
    fields: [Place; MAX_FIELDS],
    /// Where they end in the frame.
    ends: [u32; MAX_FIELDS],
    pub(crate) obj: Place,
    pub(crate) sig: Place,
    /// Row flags that don't depend on the record.
    pub(crate) flags: RowFlags,
    pub(crate) kind: RowKind,
    pub(crate) group: u8,
    pub(crate) severity: Severity,
    pub(crate) role: Role,
}

/// See [`Plan::len`]; longer than any frame of fixed length.
const VARIABLE: u16 = u16::MAX;

impl Plan {
    /// The plan of an id.
    pub(crate) fn new(id: u8, config: &Config) -> Plan {
        let stamped = if config.stamp > 0 { RowFlags::TIME_OWN } else { RowFlags::empty() };
        let unknown = Plan::unknown(id, stamped, Header::new(config));
        if (USER..UNIT_TEST).contains(&id) {
            let flags = stamped | RowFlags::APPLICATION | RowFlags::HAS_ITEM;
            return Plan { flags, severity: Severity::NORMAL, ..unknown };
        }
        match layout::layout(id, config.era) {
            Some(layout) => unknown.with_layout(layout, config),
            None => unknown,
        }
    }

    /// A plan that matches no frame, so that the parsers read its values: for a single row, a real one costs more than
    /// it saves.
    pub(crate) fn none(id: u8, config: &Config) -> Plan {
        let layout = layout::layout(id, config.era);
        let role = layout.map_or(Role::Plain, |layout| layout.role);
        Plan { layout, role, ..Plan::unknown(id, RowFlags::empty(), Header::new(config)) }
    }

    fn unknown(id: u8, flags: RowFlags, header: Header) -> Plan {
        Plan {
            len: VARIABLE,
            layout: None,
            header,
            fields: [Place::default(); MAX_FIELDS],
            ends: [0; MAX_FIELDS],
            obj: Place::default(),
            sig: Place::default(),
            flags,
            kind: RowKind(id.into()),
            group: id >> 5,
            severity: Severity::WARNING,
            role: Role::Plain,
        }
    }

    fn with_layout(self, layout: &'static Layout, config: &Config) -> Plan {
        let (mut fields, mut ends) = ([Place::default(); MAX_FIELDS], [0; MAX_FIELDS]);
        let mut off = config.header() as u16;
        for ((place, end), field) in fields.iter_mut().zip(&mut ends).zip(layout.fields) {
            if matches!(field.ty, Ty::Str | Ty::Rest) {
                break;
            }
            let size = config.size(field.ty);
            *place = Place { off, size };
            off += u16::from(size);
            *end = off.into();
        }
        let place = |field: u8| if field == NO_FIELD { Place::default() } else { fields[usize::from(field)] };
        let (obj, sig) = (place(layout.obj), place(layout.sig));
        let (mut flags, mut header) = (self.flags, self.header);
        if layout.role == Role::Tcfg && config.era >= Era::R244 {
            // It has neither sequence number nor time stamp, whatever else has.
            flags.remove(RowFlags::TIME_OWN);
            header = Header::default();
        }
        flags.set(RowFlags::HAS_OBJECT, obj.size > 0);
        flags.set(RowFlags::HAS_ITEM, sig.size > 0);
        flags.set(RowFlags::NAMING, matches!(layout.role, Role::Name(_) | Role::Tcfg));
        Plan {
            len: if layout.fixed() { off + config.trailer() as u16 } else { VARIABLE },
            layout: Some(layout),
            header,
            fields,
            ends,
            obj,
            sig,
            flags,
            kind: layout.kind,
            severity: layout.severity,
            role: layout.role,
            ..self
        }
    }

    /// Whether a frame has the fixed length of its id.
    #[inline]
    pub(crate) fn fits(&self, frame: &[u8]) -> bool {
        usize::from(self.len) == frame.len()
    }

    /// The layout of a frame that fits.
    #[inline]
    pub(crate) fn fixed(&self, frame: &[u8]) -> Option<&'static Layout> {
        self.layout.filter(|_| self.fits(frame))
    }

    /// Its length; the greatest number if it is not fixed.
    pub(crate) fn longest(&self) -> usize {
        if self.len == VARIABLE { usize::MAX / 2 } else { self.len.into() }
    }

    /// The values of a frame that fits.
    #[inline]
    pub(crate) fn values(&self, layout: &Layout, frame: &[u8]) -> Values<'static> {
        let mut numbers = [0; MAX_FIELDS];
        for (number, place) in numbers.iter_mut().zip(&self.fields).take(layout.fields.len()) {
            *number = place.read(frame);
        }
        Values { numbers, ends: self.ends, bytes: &[], whole: layout.fields.len() as u8 }
    }
}

/// Position of sequence number and time stamp, the same for all ids.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Header {
    has_nseq: bool,
    stamp: Place,
}

impl Header {
    fn new(config: &Config) -> Header {
        Header { has_nseq: config.nseq, stamp: Place { off: 1 + u16::from(config.nseq), size: config.stamp } }
    }

    /// The sequence number of a frame.
    #[inline]
    pub(crate) fn nseq(self, frame: &[u8]) -> Option<u8> {
        if self.has_nseq { frame.get(1).copied() } else { None }
    }

    /// The time stamp of a frame.
    #[inline]
    pub(crate) fn stamp(self, frame: &[u8]) -> u64 {
        self.stamp.read(frame)
    }
}

/// The plans of all ids.
#[derive(Clone, Debug)]
pub(crate) struct Plans {
    pub(crate) header: Header,
    plans: [Plan; 256],
}

impl Plans {
    pub(crate) fn new(config: &Config) -> Plans {
        Plans { header: Header::new(config), plans: std::array::from_fn(|id| Plan::new(id as u8, config)) }
    }

    /// The plan of an id.
    #[inline]
    pub(crate) fn of(&self, id: u8) -> &Plan {
        // The array has an element for every id.
        &self.plans[usize::from(id)]
    }
}

const NO_PLAN: u16 = u16::MAX;

/// The plans of the ids in a block of rows.
pub(crate) struct BlockPlans {
    config: Config,
    /// Index of each id's plan.
    index: [u16; 256],
    plans: Vec<Plan>,
}

impl BlockPlans {
    /// No plans yet.
    pub(crate) fn new(config: Config) -> BlockPlans {
        BlockPlans { config, index: [NO_PLAN; 256], plans: Vec::new() }
    }

    /// The plan of an id.
    #[inline]
    pub(crate) fn of(&mut self, id: u8) -> &Plan {
        let index = &mut self.index[usize::from(id)];
        if *index == NO_PLAN {
            *index = self.plans.len() as u16;
            self.plans.push(Plan::new(id, &self.config));
        }
        // An index is only set together with its plan.
        &self.plans[usize::from(*index)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Key, Settings, Style},
        record::{self, FrameParts},
    };
    use proptest::prelude::*;

    fn settings() -> impl Strategy<Value = Settings> {
        let size = || prop::sample::select(vec![1u16, 2, 4]);
        let switch = || 0u16..2;
        let version = prop::sample::select(vec![0x2300u16, 0x2403, 0x2404, 0x2406, 0x3400]);
        let pointer = || prop::sample::select(vec![1u16, 2, 4, 8]);
        let sizes = (size(), size(), size(), size(), size(), size(), size());
        let switches = (switch(), switch(), switch(), switch(), switch(), switch());
        (version, pointer(), pointer(), sizes, switches).prop_map(|(version, pointer, function, sizes, switches)| {
            Settings::default()
                .with(Key::Version, version)
                .with(Key::Pointer, pointer)
                .with(Key::Function, function)
                .with(Key::Signal, sizes.0)
                .with(Key::Timestamp, sizes.1)
                .with(Key::Ntimer, sizes.2)
                .with(Key::Nblock, sizes.3)
                .with(Key::Nelem, sizes.4)
                .with(Key::Esize, sizes.5)
                .with(Key::Bsize, sizes.6)
                .with(Key::Sender, switches.0)
                .with(Key::QueueLwm, switches.1)
                .with(Key::PoolLwm, switches.2)
                .with(Key::Nseq, switches.3)
                .with(Key::Checksum, switches.4)
                .with(Key::Tstamp, switches.5)
        })
    }

    proptest! {
        #[test]
        fn plans_read_what_the_definition_reads(
            settings in settings(),
            id in any::<u8>(),
            bytes in prop::collection::vec(any::<u8>(), 64),
            surplus in 0usize..3,
        ) {
            let config = settings.config(Style::Native);
            let (plans, plan) = (Plans::new(&config), Plan::new(id, &config));
            let Some(layout) = plan.layout.filter(|layout| layout.fixed()) else { return Ok(()) };
            let mut frame = bytes;
            frame.truncate(usize::from(plan.len) + surplus);
            frame[0] = id;
            let parts = FrameParts::of(&frame, &config).unwrap();
            let (rest, values) = record::fields(layout, &config, parts.args);
            let is_short = values.are_short(layout);
            prop_assert_eq!(plan.fits(&frame), rest.is_empty() && !is_short);
            prop_assert_eq!((plans.header.nseq(&frame), plans.header.stamp(&frame)), (parts.nseq, parts.stamp));
            if plan.fits(&frame) {
                prop_assert_eq!((plan.header.nseq(&frame), plan.header.stamp(&frame)), (parts.nseq, parts.stamp));
            }
            if !is_short {
                prop_assert_eq!(plan.values(layout, &frame).ends, values.ends);
            }
            prop_assert_eq!(plan.values(layout, &frame).numbers, values.numbers);
            let number = |field: u8| if field == NO_FIELD { 0 } else { values.number(field) };
            prop_assert_eq!(plan.obj.read(&frame), number(layout.obj));
            prop_assert_eq!(plan.sig.read(&frame), number(layout.sig));
        }
    }
}
