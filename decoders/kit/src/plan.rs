//! Values of a record, and plans for fixed-length records: offsets of fields in a frame, computed once per
//! configuration and record id. All other records are read by the decoder's parsers, which define its layouts.

use crate::{pattern::Field, value::Res};

/// The values of a record's fields, in layout order. Missing ones are 0.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a, const N: usize> {
    pub numbers: [u64; N],
    /// End of each field in the frame; it begins at the end of the previous one.
    pub ends: [u32; N],
    /// Content of the non-numeric field.
    pub bytes: &'a [u8],
    pub count: u8,
}

impl<const N: usize> Default for Values<'_, N> {
    fn default() -> Self {
        Values { numbers: [0; N], ends: [0; N], bytes: &[], count: 0 }
    }
}

impl<const N: usize> Values<'_, N> {
    /// Whether any of the first `fields` fields is missing.
    #[inline]
    pub fn are_short(&self, fields: usize) -> bool {
        usize::from(self.count) < fields
    }

    #[inline]
    pub fn has(&self, field: u8) -> bool {
        field < self.count
    }

    /// The number of a field; 0 if missing.
    #[inline]
    pub fn number(&self, field: u8) -> u64 {
        self.numbers.get(usize::from(field)).copied().unwrap_or(0)
    }
}

/// What a parser reads from a field.
#[derive(Clone, Copy, Debug)]
pub enum Read<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a, const N: usize> Values<'a, N> {
    /// Parses fields as far as the input goes, which begins at `start` in the frame; also returns the rest of the input.
    /// `read` parses a field of a type, after these numbers.
    pub fn parse<T: Copy>(
        fields: &[Field<T>],
        (start, input): (usize, &'a [u8]),
        read: impl Fn(T, &[u64], &'a [u8]) -> Res<'a, Read<'a>>,
    ) -> (&'a [u8], Values<'a, N>) {
        let (mut values, mut rest) = (Values::default(), input);
        for (index, field) in fields.iter().take(N).enumerate() {
            let Ok((next, value)) = read(field.ty, &values.numbers[..index], rest) else { break };
            match value {
                Read::Number(number) => values.numbers[index] = number,
                Read::Bytes(bytes) => values.bytes = bytes,
            }
            rest = next;
            values.ends[index] = (start + input.len() - rest.len()) as u32;
            values.count += 1;
        }
        (rest, values)
    }
}

/// Offsets of the fields in frames of one length.
#[derive(Clone, Copy, Debug)]
pub struct Plan<const N: usize> {
    len: u16,
    count: u8,
    words: [PlanWord; N],
    ends: [u32; N],
}

/// Longer than any frame.
const NO_LEN: u16 = u16::MAX;

impl<const N: usize> Plan<N> {
    pub const NONE: Plan<N> = Plan { len: NO_LEN, count: 0, words: [PlanWord::NONE; N], ends: [0; N] };

    /// Plans fields of these sizes between header and trailer.
    pub fn new(header: usize, sizes: impl Iterator<Item = u8> + Clone, trailer: usize) -> Plan<N> {
        // An invalid blob may contain any size.
        let sizes = sizes.map(|size| usize::from(size & 15));
        let len = header + sizes.clone().sum::<usize>() + trailer;
        let (mut plan, mut off) = (Plan { len: len as u16, ..Plan::NONE }, header);
        for ((word, end), size) in plan.words.iter_mut().zip(&mut plan.ends).zip(sizes) {
            *word = PlanWord::new(off, size, len);
            off += size;
            *end = off as u32;
            plan.count += 1;
        }
        plan
    }

    /// Length of the frames, if the plan matches any.
    #[inline]
    pub fn frame_len(&self) -> Option<usize> {
        (self.len != NO_LEN).then_some(self.len.into())
    }

    /// Whether a frame has this length. The other methods require it.
    #[inline]
    pub fn fits(&self, frame: &[u8]) -> bool {
        usize::from(self.len) == frame.len()
    }

    pub fn word(&self, field: u8) -> PlanWord {
        self.words.get(usize::from(field)).copied().unwrap_or(PlanWord::NONE)
    }

    /// The number of a field; 0 if missing.
    #[inline]
    pub fn number(&self, field: u8, frame: &[u8]) -> u64 {
        self.words.get(usize::from(field)).map_or(0, |word| word.read(frame))
    }

    #[inline]
    pub fn values(&self, frame: &[u8]) -> Values<'static, N> {
        let mut numbers = [0; N];
        for (number, word) in numbers.iter_mut().zip(&self.words).take(self.count.into()) {
            *number = word.read(frame);
        }
        Values { numbers, ends: self.ends, bytes: &[], count: self.count }
    }
}

/// Masks for a number in a word, by size in bytes.
const MASKS: [u64; 16] = [0, 0xFF, 0xFFFF, 0, 0xFFFF_FFFF, 0, 0, 0, u64::MAX, 0, 0, 0, 0, 0, 0, 0];

/// A field in frames of one length: located in a known word of the frame, so that it is read without branching.
#[derive(Clone, Copy, Debug)]
pub struct PlanWord {
    /// Offset of the word: at the field, or so that the word ends with the frame.
    at: u8,
    /// Number of bits before the field in the word.
    before: u8,
    mask: u64,
}

impl PlanWord {
    /// Reads 0 from any frame.
    pub const NONE: PlanWord = PlanWord { at: 0, before: 0, mask: 0 };

    /// A field of `size` bytes at `off` in frames of `len` bytes.
    fn new(off: usize, size: usize, len: usize) -> PlanWord {
        let at = off.min(len.saturating_sub(8));
        PlanWord { at: at as u8, before: ((off - at) * 8) as u8, mask: MASKS[size & 15] }
    }

    #[inline(always)]
    pub fn read(&self, frame: &[u8]) -> u64 {
        let at = usize::from(self.at);
        let word = match frame.get(at..at + 8).and_then(<[u8]>::first_chunk) {
            Some(word) => u64::from_le_bytes(*word),
            None => short(frame),
        };
        (word >> (self.before & 63)) & self.mask
    }
}

/// The word of a frame shorter than a word.
#[cold]
fn short(frame: &[u8]) -> u64 {
    frame.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// A plan for each id.
#[derive(Clone, Debug)]
pub struct PlanTable<P>([P; 256]);

impl<P> PlanTable<P> {
    pub fn new(make: impl Fn(u8) -> P) -> PlanTable<P> {
        PlanTable(std::array::from_fn(|id| make(id as u8)))
    }

    #[inline]
    pub fn of(&self, id: u8) -> &P {
        // The array has an element for each id.
        &self.0[usize::from(id)]
    }
}

/// Plans for the ids in a block of rows, each computed on first use.
#[derive(Clone, Debug)]
pub struct BlockPlans<C, P> {
    config: C,
    /// `None` = never plan, because it doesn't pay off for a single row.
    make: Option<fn(u8, &C) -> P>,
    /// Index of each id's plan, from 1; 0 = none yet.
    places: [u16; 256],
    plans: Vec<P>,
}

impl<C: Copy, P> BlockPlans<C, P> {
    /// Computes plans with `make`, if any.
    pub fn new(config: &C, make: Option<fn(u8, &C) -> P>) -> BlockPlans<C, P> {
        BlockPlans { config: *config, make, places: [0; 256], plans: Vec::new() }
    }

    #[inline]
    pub fn of(&mut self, id: u8) -> Option<&P> {
        let place = &mut self.places[usize::from(id)];
        if *place == 0 {
            self.plans.push(self.make?(id, &self.config));
            *place = self.plans.len() as u16;
        }
        self.plans.get(usize::from(*place) - 1)
    }
}
