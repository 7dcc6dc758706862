//! Plans for records of fixed length: where each field lies in a frame, compiled from the table once per configuration
//! and record id. Receiving and text read such records with them; the parsers in `record`, which define the layouts,
//! read all others.

use spytui_plugin_api::{
    RowKind,
    row::{RowFlags, Severity},
};

use crate::{
    config::{Config, Sizes},
    layout::{self, Group, Layout, MAX_FIELDS, NO_FIELD, Subject, Values, id},
    record::PAYLOAD,
};

/// How records with an id are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) layout: Option<&'static Layout>,
    /// Length of the frame; [`NO_LEN`] if it is not fixed.
    len: u16,
    /// Whether the record has no effects besides its row.
    plain: bool,
    /// The fields in such a frame.
    words: [Word; MAX_FIELDS],
    /// Where they end in it.
    ends: [u32; MAX_FIELDS],
    /// The fields of the row.
    pub(crate) stamp: Word,
    pub(crate) obj: Word,
    pub(crate) sig: Word,
    /// Object that scopes the signal.
    pub(crate) scope: Word,
    /// Free entries of a queue or pool.
    pub(crate) free: Word,
    /// Kind of its rows.
    pub(crate) kind: RowKind,
    /// Row flags that don't depend on the record.
    pub(crate) flags: RowFlags,
    pub(crate) group: u8,
    pub(crate) severity: Severity,
}

/// Longer than any frame.
const NO_LEN: u16 = u16::MAX;

/// Number of bytes around a payload: sequence number, id, checksum.
const AROUND: usize = 3;

const UNKNOWN: Plan = Plan {
    layout: None,
    len: NO_LEN,
    plain: false,
    words: [NO_WORD; MAX_FIELDS],
    ends: [0; MAX_FIELDS],
    stamp: NO_WORD,
    obj: NO_WORD,
    sig: NO_WORD,
    scope: NO_WORD,
    free: NO_WORD,
    kind: RowKind(0),
    flags: RowFlags::empty(),
    group: Group::Other as u8,
    severity: Severity::INFO,
};

impl Plan {
    #[inline(never)]
    fn new(id: u8, config: &Config) -> Plan {
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

    /// Works out where the fields lie, all of which have a size.
    fn fix(&mut self, layout: &Layout, sizes: &Sizes) {
        // A foreign blob may contain any size.
        let size = |field: &layout::Field| usize::from(field.ty.size(sizes).unwrap_or(0) & 15);
        let len = AROUND + layout.fields.iter().map(size).sum::<usize>();
        let mut off = PAYLOAD;
        for ((word, end), field) in self.words.iter_mut().zip(&mut self.ends).zip(layout.fields) {
            *word = Word::new(off, size(field), len);
            off += size(field);
            *end = off as u32;
        }
        self.len = len as u16;
        self.plain = !matches!(layout.group, Group::Dict | Group::Answer | Group::Info);
        self.stamp = if layout.stamped() { self.word(0) } else { NO_WORD };
        self.obj = self.word(layout.obj);
        self.sig = self.word(layout.sig);
        self.scope = if layout.sig == NO_FIELD { NO_WORD } else { self.word(layout.scope) };
        self.free = self.word(layout.place("free"));
    }

    fn word(&self, field: u8) -> Word {
        self.words.get(usize::from(field)).copied().unwrap_or(NO_WORD)
    }

    /// Whether a frame has the length of this record. What follows may only be asked then.
    #[inline]
    pub(crate) fn fits(&self, frame: &[u8]) -> bool {
        usize::from(self.len) == frame.len()
    }

    /// The same for a payload; `None` if the record has no fixed length.
    pub(crate) fn fits_payload(&self, payload: &[u8]) -> Option<bool> {
        (self.len != NO_LEN).then_some(usize::from(self.len) == payload.len() + AROUND)
    }

    /// The layout of a frame that fits.
    #[inline]
    pub(crate) fn fixed(&self, frame: &[u8]) -> Option<&'static Layout> {
        self.layout.filter(|_| self.fits(frame))
    }

    /// Whether a frame has that length, of a record that only makes a row.
    #[inline]
    pub(crate) fn is_plain(&self, frame: &[u8]) -> bool {
        self.plain && self.fits(frame)
    }

    /// The number of a field; 0 if missing.
    #[inline]
    pub(crate) fn number(&self, field: u8, frame: &[u8]) -> u64 {
        self.words.get(usize::from(field)).map_or(0, |word| word.read(frame))
    }

    /// The values of a frame that fits.
    #[inline]
    pub(crate) fn values(&self, layout: &Layout, frame: &[u8]) -> Values<'static> {
        let (mut numbers, count) = ([0; MAX_FIELDS], layout.fields.len());
        for (number, word) in numbers.iter_mut().zip(&self.words).take(count) {
            *number = word.read(frame);
        }
        Values { numbers, ends: self.ends, bytes: &[], count: count as u8 }
    }
}

/// The plans of all ids, for receiving.
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

    /// The plan of an id.
    #[inline]
    pub(crate) fn of(&self, id: u8) -> &Plan {
        // The array has an element for every id.
        &self.0[usize::from(id)]
    }
}

/// More than there can be plans in a block.
const NO_PLACE: u8 = u8::MAX;

/// The plans of the ids in a block of rows.
pub(crate) struct BlockPlans {
    config: Config,
    /// Index of each id's plan, from 1; 0 = none yet.
    places: [u8; 128],
    plans: Vec<Plan>,
}

impl BlockPlans {
    pub(crate) fn new(config: &Config) -> BlockPlans {
        BlockPlans { config: *config, places: [0; 128], plans: Vec::new() }
    }

    /// No plan for any id: working one out does not pay for a single row.
    pub(crate) fn none(config: &Config) -> BlockPlans {
        BlockPlans { places: [NO_PLACE; 128], ..BlockPlans::new(config) }
    }

    /// The plan of an id; `None` for those that are no predefined record in any version.
    #[inline]
    pub(crate) fn of(&mut self, id: u8) -> Option<&Plan> {
        let place = self.places.get_mut(usize::from(id))?;
        if *place == 0 {
            self.plans.push(Plan::new(id, &self.config));
            *place = self.plans.len() as u8;
        }
        self.plans.get(usize::from(*place) - 1)
    }
}

/// Masks for the bytes of a number in a word, by its size.
const MASKS: [u64; 16] = [0, 0xFF, 0xFFFF, 0, 0xFFFF_FFFF, 0, 0, 0, u64::MAX, 0, 0, 0, 0, 0, 0, 0];

/// A field in frames of one length: the word of the frame that holds it is known, so that it is read without a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    /// Where the word begins in the frame: at the field, or so that it ends with the frame.
    at: u8,
    /// Bits of the word before the field.
    before: u8,
    mask: u64,
}

/// The word of no field: 0 in any frame.
const NO_WORD: Word = Word { at: 0, before: 0, mask: 0 };

impl Word {
    /// For a field of `size` bytes at `off` in frames of `len` bytes.
    fn new(off: usize, size: usize, len: usize) -> Word {
        let at = off.min(len.saturating_sub(8));
        Word { at: at as u8, before: ((off - at) * 8) as u8, mask: MASKS[size & 15] }
    }

    #[inline(always)]
    pub(crate) fn read(&self, frame: &[u8]) -> u64 {
        let at = usize::from(self.at);
        let word = match frame.get(at..at + 8).and_then(<[u8]>::first_chunk) {
            Some(word) => u64::from_le_bytes(*word),
            None => short(frame),
        };
        (word >> (self.before & 63)) & self.mask
    }
}

/// The word of a frame that is shorter than one.
#[cold]
fn short(frame: &[u8]) -> u64 {
    frame.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}
