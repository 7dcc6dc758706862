//! Records in pieces: the open part of each core, discarded when too much is pending.

use spytui_plugin_api::{Output, batch::AttachmentId};

/// Maximum number of bytes in open parts; beyond it, the oldest is discarded.
pub const MAX_OPEN: u64 = 2048;

/// A contiguous part of the stream: position and length in bytes.
pub type Stretch = (u64, u32);

/// The stretches of an incomplete record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Open {
    stretches: Vec<Stretch>,
}

impl Open {
    /// Adds a stretch, joining it with an adjacent one.
    pub fn add(&mut self, (pos, len): Stretch) {
        match self.stretches.last_mut() {
            Some(last) if last.0 + u64::from(last.1) == pos => last.1 += len,
            _ => self.stretches.push((pos, len)),
        }
    }

    /// Number of bytes in all stretches.
    pub fn bytes(&self) -> u64 {
        self.stretches.iter().map(|s| u64::from(s.1)).sum()
    }

    /// Position of the first byte.
    pub fn first(&self) -> u64 {
        self.stretches.first().map_or(u64::MAX, |s| s.0)
    }

    /// Adds all but the last stretch to the next row as pieces; returns the last one, and whether there were others.
    pub fn complete(self, out: &mut Output<'_>) -> (Stretch, bool) {
        let Some((last, earlier)) = self.stretches.split_last() else { return ((0, 0), false) };
        pieces(earlier, out);
        (*last, !earlier.is_empty())
    }

    /// Adds all stretches to the next row as pieces.
    pub fn give_up(&self, out: &mut Output<'_>) {
        pieces(&self.stretches, out);
    }
}

fn pieces(stretches: &[Stretch], out: &mut Output<'_>) {
    for &(pos, len) in stretches {
        out.attachment(AttachmentId::FRAGMENT, pos, u64::from(len));
    }
}

/// The open part of each core.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    cores: [Option<Open>; 16],
}

impl Parts {
    /// Number of bytes in open parts.
    pub fn bytes(&self) -> u64 {
        self.cores.iter().flatten().map(Open::bytes).sum()
    }

    /// The open part of a core.
    pub fn core(&mut self, core: u8) -> &mut Option<Open> {
        &mut self.cores[usize::from(core & 15)]
    }

    /// Takes the open part of a core.
    pub fn take(&mut self, core: u8) -> Option<Open> {
        self.core(core).take()
    }

    /// Takes all open parts, oldest first.
    pub fn take_all(&mut self) -> Vec<Open> {
        let mut all: Vec<Open> = self.cores.iter_mut().filter_map(Option::take).collect();
        all.sort_by_key(Open::first);
        all
    }

    /// Takes the oldest part while too much is pending.
    pub fn take_excess(&mut self) -> Option<Open> {
        if self.bytes() <= MAX_OPEN {
            return None;
        }
        let oldest = self.cores.iter_mut().filter(|l| l.is_some());
        oldest.min_by_key(|l| l.as_ref().map_or(u64::MAX, Open::first)).and_then(Option::take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_touch_are_one() {
        let mut open = Open::default();
        [(0, 5), (5, 5), (20, 1)].into_iter().for_each(|s| open.add(s));
        assert_eq!(open.stretches, [(0, 10), (20, 1)]);
        assert_eq!((open.bytes(), open.first()), (11, 0));
    }

    #[test]
    fn the_oldest_part_goes_first() {
        let mut parts = Parts::default();
        for (core, pos) in [(1, 500), (2, 0)] {
            parts.core(core).get_or_insert_default().add((pos, 1500));
        }
        assert_eq!(parts.take_excess().map(|o| o.first()), Some(0));
        assert_eq!(parts.take_excess(), None);
    }
}
