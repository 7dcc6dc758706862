//! Where a field lies in a payload, and the number there.

use crate::{
    config::Sizes,
    layout::{Layout, MAX_FIELDS},
    record::size_of,
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
            let Some(size) = size_of(field.ty, sizes).map(|size| size & 15) else { break };
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

    /// The number there in a frame that reaches over it, without a branch: the word that holds it is at its place,
    /// or the last one of the frame.
    #[inline]
    pub(crate) fn read_frame(self, frame: &[u8]) -> u64 {
        let off = usize::from(self.off) + 2;
        let Some(last) = frame.len().checked_sub(8) else { return self.read_short(frame) };
        let start = off.min(last);
        let word = frame.get(start..).and_then(<[u8]>::first_chunk).map_or(0, |w| u64::from_le_bytes(*w));
        (word >> (((off - start) * 8) & 63)) & MASKS[usize::from(self.size & 15)]
    }

    fn read_short(self, frame: &[u8]) -> u64 {
        frame.get(2..).map_or(0, |payload| self.read(payload))
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
