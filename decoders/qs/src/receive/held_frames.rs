//! Frames of a start that may have come twice, until what follows shows which.

use spytui_hdlc::Segment;
use spytui_plugin_api::sequence::DATAGRAM;

/// Most frames held, and bytes of them.
const MOST: usize = 256;
const MOST_BYTES: usize = 16 * 1024;

/// Frames that are held.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldFrames {
    /// Position, raw bytes, and number of flags before each.
    pub(super) frames: Vec<(u64, Vec<u8>, usize)>,
    bytes: usize,
    /// Number of the last.
    pub(super) last: u8,
    /// Position of the last start that was taken.
    start: Option<u64>,
}

impl HeldFrames {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn add(&mut self, seq: u8, segment: &Segment<'_>) {
        self.frames.push((segment.pos, segment.raw.to_vec(), segment.leading_flags));
        self.bytes += segment.raw.len();
        self.last = seq;
    }

    /// A start is taken.
    pub(super) fn starts(&mut self, pos: u64) {
        self.start = Some(pos);
    }

    pub(super) fn is_near(&self, pos: u64) -> bool {
        self.start.is_some_and(|start| pos.saturating_sub(start) <= DATAGRAM)
    }

    pub(super) fn is_full(&self) -> bool {
        self.frames.len() >= MOST || self.bytes >= MOST_BYTES
    }

    /// Takes the frames out.
    pub(super) fn take(&mut self) -> HeldFrames {
        let start = self.start;
        std::mem::replace(self, HeldFrames { start, ..HeldFrames::default() })
    }
}
