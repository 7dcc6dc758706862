//! A sample split at its flags: frames by id and length, checksums, sequence numbers.

use std::collections::BTreeMap;

use spytui_hdlc::{FLAG, sum, unstuff};

use crate::config::{Key, Settings, Tcfg, bit};

/// Maximum number of whole frames kept by id.
const KEPT: usize = 12;

/// Frames of one id and length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bin {
    /// Number of all frames, and of those with a valid checksum.
    pub(super) all: u32,
    pub(super) right: u32,
    /// Their bytes in the sample.
    pub(super) bytes_all: u32,
    pub(super) bytes_right: u32,
}

/// Frames of one id, some of them with content.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    pub(super) frames: Vec<Vec<u8>>,
    pub(super) total: u32,
    /// Bytes of all of them in the sample.
    pub(super) bytes: usize,
}

/// The frames of a sample.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    /// Frames by id and length.
    pub(super) bins: BTreeMap<(u8, usize), Bin>,
    /// Some frames of each id, for records of variable length; by id and validity of the checksum.
    pub(super) kept: BTreeMap<(u8, bool), Kept>,
    /// Number of all frames, and bytes between the first and the last flag.
    pub(super) count: u32,
    pub(super) bytes: usize,
    pub(super) right: u32,
    order: u32,
    order_right: u32,
    pub(super) tcfg: Option<Settings>,
    /// The configuration record is the first frame.
    pub(super) tcfg_first: bool,
    /// Most frames have a valid checksum; most sequence numbers count up.
    pub(super) checksum: bool,
    pub(super) nseq: bool,
}

impl Frames {
    /// Splits a sample; bytes before the first and after the last flag are ignored. Frames behind a configuration record
    /// that differs from the one before are of another build: they have sizes of their own.
    pub(super) fn of(sample: &[u8], start: Settings, given: u16) -> Vec<Frames> {
        let mut found = Frames::default();
        let mut builds = Vec::new();
        let (Some(first), Some(last)) =
            (sample.iter().position(|&b| b == FLAG), sample.iter().rposition(|&b| b == FLAG))
        else {
            return builds;
        };
        // A stream may begin with a whole frame.
        let whole = unstuffed(sample.get(..first).unwrap_or(&[])).is_some_and(|f| f.len() > 1 && sum(&f) == 0);
        let from = if whole { 0 } else { first + 1 };
        let mut numbers = Numbers::default();
        for body in sample.get(from..last).unwrap_or(&[]).split(|&b| b == FLAG) {
            let frame = unstuffed(body).filter(|f| !f.is_empty());
            if frame.as_ref().is_some_and(|frame| found.is_of_another_build(frame)) {
                builds.push(std::mem::take(&mut found).completed(start, given));
            }
            found.bytes += body.len() + 1;
            if let Some(frame) = frame {
                found.take(frame, body.len() as u32 + 1, &mut numbers);
            }
        }
        builds.push(found.completed(start, given));
        builds
    }

    /// Whether a frame is a configuration record with other sizes than the last one.
    fn is_of_another_build(&self, frame: &[u8]) -> bool {
        let tcfg = self.tcfg.is_some().then(|| Tcfg::find(frame, None)).flatten().filter(|t| t.header == 1);
        tcfg.is_some_and(|tcfg| self.tcfg != Some(tcfg.settings))
    }

    /// The frames, with what most of them say.
    fn completed(self, start: Settings, given: u16) -> Frames {
        let mut found = self;
        let is_given = |key| given & bit(key) != 0;
        found.checksum = if is_given(Key::Checksum) { start.on(Key::Checksum) } else { found.right * 2 > found.count };
        let (ups, frames) = if found.checksum { (found.order_right, found.right) } else { (found.order, found.count) };
        found.nseq = if is_given(Key::Nseq) { start.on(Key::Nseq) } else { ups * 2 > frames };
        found
    }

    fn take(&mut self, frame: Vec<u8>, bytes: u32, numbers: &mut Numbers) {
        let right = sum(&frame) == 0;
        let Some(&id) = frame.first() else { return };
        // Old layouts are weak evidence: they are only accepted where a target sends them.
        if let Some(tcfg) = Tcfg::find(&frame, None).filter(|t| t.header == 1 || self.count == 0) {
            self.tcfg_first |= self.tcfg.is_none() && self.count == 0;
            self.tcfg = Some(tcfg.settings);
        }
        self.count += 1;
        self.right += u32::from(right);
        if let Some(&number) = frame.get(1) {
            self.order += u32::from(numbers.all.replace(number).is_some_and(|l| l.wrapping_add(1) == number));
            let before = if right { numbers.right.replace(number) } else { None };
            self.order_right += u32::from(before.is_some_and(|l| l.wrapping_add(1) == number));
        }
        let bin = self.bins.entry((id, frame.len())).or_default();
        bin.all += 1;
        bin.bytes_all += bytes;
        bin.right += u32::from(right);
        bin.bytes_right += if right { bytes } else { 0 };
        let kept = self.kept.entry((id, right)).or_default();
        kept.total += 1;
        kept.bytes += bytes as usize;
        if kept.frames.len() < KEPT {
            kept.frames.push(frame);
        }
    }

    /// Number of frames to be explained: those with a valid checksum, or all if there are no checksums.
    pub(super) fn looked_at(&self, settings: &Settings) -> u32 {
        if settings.on(Key::Checksum) { self.right } else { self.count }
    }

    /// Number of frames with a valid checksum; 0 without checksums.
    pub(super) fn right_sums(&self, settings: &Settings) -> u32 {
        if settings.on(Key::Checksum) { self.right } else { 0 }
    }

    /// Number of sequence numbers that follow their predecessor; 0 without sequence numbers.
    pub(super) fn in_order(&self, settings: &Settings) -> u32 {
        match (settings.on(Key::Nseq), settings.on(Key::Checksum)) {
            (false, _) => 0,
            (_, true) => self.order_right,
            (_, false) => self.order,
        }
    }
}

/// Sequence number of the last frame, and of the last valid one.
#[derive(Default)]
struct Numbers {
    all: Option<u8>,
    right: Option<u8>,
}

fn unstuffed(body: &[u8]) -> Option<Vec<u8>> {
    let mut frame = Vec::with_capacity(body.len());
    unstuff(body, &mut frame).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_configuration_in_front_has_the_sizes() {
        let mut record = vec![0xAD, 0, 1, 0, 0x03, 0x24, 0, 0x18, 0x12, 0x42, 0x11, 0x21, 0x11, 0x14];
        record.push(sum(&record).wrapping_neg());
        let of = |stream: &[&[u8]]| Frames::of(&stream.concat(), Settings::default(), 0).remove(0);
        let first = of(&[&[FLAG], &record, &[FLAG], &[160, 1, 2, 0, 93], &[FLAG]]);
        assert!(first.tcfg_first && first.tcfg.is_some_and(|t| t.get(Key::Timestamp) == 2));
        let later = of(&[&[FLAG], &[160, 1, 2, 0, 93], &[FLAG], &record, &[FLAG]]);
        assert!(!later.tcfg_first && later.tcfg.is_none());
    }
}
