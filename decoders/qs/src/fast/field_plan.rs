//! Where a field lies in a payload, and the number there.

use crate::{
    config::Sizes,
    layout::{Layout, MAX_FIELDS},
};

/// A place in a payload.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// From the beginning of the payload.
    off: u8,
    size: u8,
}

/// The place of what is not there.
pub(crate) const NOWHERE: Place = Place { off: 0, size: 0 };

/// What of a word belongs to a number, by its size.
const MASKS: [u64; 16] = [0, 0xFF, 0xFFFF, 0, 0xFFFF_FFFF, 0, 0, 0, u64::MAX, 0, 0, 0, 0, 0, 0, 0];

impl Place {
    /// A place at the beginning.
    pub(crate) fn first(size: u8) -> Place {
        Place { off: 0, size }
    }

    /// The places of a layout's fields, up to the first whose bytes tell its size.
    pub(crate) fn all(layout: &Layout, sizes: &Sizes) -> [Place; MAX_FIELDS] {
        let mut places = [NOWHERE; MAX_FIELDS];
        let mut off = 0;
        for (place, field) in places.iter_mut().zip(layout.fields) {
            // A blob of another origin may hold any size.
            let Some(size) = field.ty.size(sizes).map(|size| size & 15) else { break };
            *place = Place { off, size };
            off += size;
        }
        places
    }

    /// Its length in bytes.
    #[inline]
    pub(crate) fn size(self) -> u8 {
        self.size
    }

    /// The number there; 0 where the payload does not reach.
    #[inline]
    pub(crate) fn read(self, payload: &[u8]) -> u64 {
        let Some((_, rest)) = payload.split_at_checked(usize::from(self.off)) else { return 0 };
        match self.size {
            1 => rest.first().map_or(0, |&b| b.into()),
            2 => rest.first_chunk().map_or(0, |b| u16::from_le_bytes(*b).into()),
            4 => rest.first_chunk().map_or(0, |b| u32::from_le_bytes(*b).into()),
            8 => rest.first_chunk().map_or(0, |b| u64::from_le_bytes(*b)),
            _ => 0,
        }
    }

    /// Where it ends.
    pub(crate) fn end(self) -> usize {
        usize::from(self.off) + usize::from(self.size)
    }

    /// Whether the payload reaches over it.
    pub(crate) fn within(self, payload: &[u8]) -> bool {
        self.end() <= payload.len()
    }
}

/// The word of [`NOWHERE`]: 0 in any frame.
pub(crate) const NO_WORD: Word = Word { place: NOWHERE, at: 0, before: 0, mask: 0 };

/// A place in frames of one length: the word of the frame that holds the number is known, so that it is read without
/// a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    place: Place,
    /// Where the word begins in the frame: at the number, or so that it ends with the frame.
    at: u8,
    /// Bits of the word before the number.
    before: u8,
    mask: u64,
}

impl Word {
    /// For frames of `len` bytes, whose payload reaches over the place.
    pub(crate) fn new(place: Place, len: usize) -> Word {
        let off = usize::from(place.off) + 2;
        let at = off.min(len.saturating_sub(8));
        let mask = MASKS[usize::from(place.size & 15)];
        Word { place, at: at as u8, before: ((off - at) * 8) as u8, mask }
    }

    /// The number in such a frame.
    #[inline(always)]
    pub(crate) fn read(&self, frame: &[u8]) -> u64 {
        let at = usize::from(self.at);
        match frame.get(at..at + 8).and_then(<[u8]>::first_chunk) {
            Some(word) => (u64::from_le_bytes(*word) >> (self.before & 63)) & self.mask,
            None => self.read_short(frame),
        }
    }

    /// The same in a frame that is shorter than a word.
    #[cold]
    fn read_short(&self, frame: &[u8]) -> u64 {
        frame.get(2..).map_or(0, |payload| self.place.read(payload))
    }
}
