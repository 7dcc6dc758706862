//! Damage in transit: flipped bits, missing bytes and frames, reordered and repeated frames.

use std::ops::Range;

use spytui_plugin_api::Row;
use spytui_plugin_host::kit::Random;

use super::captures::{Capture, Whole};

/// A damaged copy, and the original position of each byte.
pub(super) struct Damaged {
    pub(super) bytes: Vec<u8>,
    was: Vec<u64>,
}

/// Size of a QNX event, bytes.
const EVENT: u64 = 16;
/// Position that no byte of the undamaged stream has.
const NOWHERE: u64 = u64::MAX;

impl Damaged {
    /// The original position of the byte at a position.
    pub(super) fn was(&self, pos: u64) -> Option<u64> {
        self.was.get(pos as usize).copied().filter(|was| *was != NOWHERE)
    }
}

/// What may be damaged: the frames of a stream, and units that may be missing, swapped or repeated.
pub(super) struct Parts {
    pub(super) frames: Vec<Row>,
    pub(super) wholes: Vec<Range<u64>>,
}

impl Parts {
    /// A damaged copy of the stream.
    pub(super) fn damage(&self, capture: &Capture, random: &mut Random) -> Damaged {
        let mut bytes: Vec<(u64, u8)> = (0..).zip(capture.bytes.iter().copied()).collect();
        for _ in 0..=random.below(3) {
            match self.kind(capture.whole, random) {
                0 => self.cut(&mut bytes, capture.whole, random),
                1 => self.flip(&mut bytes, random),
                2 => self.lose(&mut bytes, capture.whole, random),
                kind => self.reorder(&mut bytes, kind == 3, random),
            }
        }
        let (was, bytes) = bytes.into_iter().unzip();
        Damaged { bytes, was }
    }

    /// The next kind of damage.
    fn kind(&self, whole: Whole, random: &mut Random) -> usize {
        let kinds = match whole {
            Whole::Overflow => 3,
            Whole::Nothing => 2,
            _ if self.wholes.len() < 3 => 2,
            _ => 5,
        };
        // Without checksums, few of these are detected.
        let rare = match whole {
            Whole::Nothing | Whole::Frame => 0..0,
            Whole::Buffer | Whole::BufferOfCore => 1..2,
            Whole::Overflow => 0..2,
        };
        let kind = random.below(kinds);
        if rare.contains(&kind) && random.below(8) > 0 { self.kind(whole, random) } else { kind }
    }

    /// A position in one of the frames, and the end of that frame.
    fn place(&self, random: &mut Random) -> (u64, u64) {
        let frame = self.frames[random.below(self.frames.len())];
        (frame.pos + random.below(frame.len as usize) as u64, frame.pos + u64::from(frame.len))
    }

    fn cut(&self, bytes: &mut Vec<(u64, u8)>, whole: Whole, random: &mut Random) {
        let (mut at, end) = self.place(random);
        if matches!(whole, Whole::Buffer | Whole::BufferOfCore) {
            // The data after the head of an event may be anything.
            at = end - EVENT;
        }
        let end = (at + 1 + random.below(4) as u64).min(end - 1);
        bytes.retain(|(was, _)| !(at..end).contains(was));
    }

    fn flip(&self, bytes: &mut [(u64, u8)], random: &mut Random) {
        let (at, _) = self.place(random);
        bytes.iter_mut().filter(|(was, _)| *was == at).for_each(|byte| byte.1 ^= 1 << random.below(8));
    }

    fn lose(&self, bytes: &mut Vec<(u64, u8)>, whole: Whole, random: &mut Random) {
        let first = random.below(self.wholes.len());
        let last = (first + random.below(3)).min(self.wholes.len() - 1);
        let missing = self.wholes[first].start..self.wholes[last].end;
        if let (Whole::Overflow, Some(at)) = (whole, bytes.iter().position(|(was, _)| *was == missing.start)) {
            bytes.insert(at, (NOWHERE, 0x70));
        }
        bytes.retain(|(was, _)| !missing.contains(was));
    }

    /// Swaps two neighbouring groups, or repeats one.
    fn reorder(&self, bytes: &mut Vec<(u64, u8)>, swaps: bool, random: &mut Random) {
        let most = (self.wholes.len() - 1) / 2;
        let group = 1 + random.below(4.min(most));
        let at = random.below(self.wholes.len() - 2 * group);
        let place = |whole: &Range<u64>| bytes.iter().position(|(was, _)| *was == whole.start);
        let places = [at, at + group, at + 2 * group].map(|at| place(&self.wholes[at]));
        let [Some(first), Some(next), Some(end)] = places else { return };
        if first < next && next < end && swaps {
            bytes[first..end].rotate_left(next - first);
        } else if first < next {
            let again = bytes[first..next].to_vec();
            bytes.splice(next..next, again);
        }
    }
}
