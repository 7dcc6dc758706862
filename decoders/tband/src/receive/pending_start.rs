//! Frames held back because the target may have restarted. A core event without a time in the middle of a stream is
//! either a switch of cores or the start of a recording, which sends names next. Only the next record with a time shows
//! which.

use super::cores::core_of;
use crate::{layout::Role, record::Record};

/// Most bytes held: far more than the names that targets keep.
const MOST: usize = 64 * 1024;

/// Frames held back.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingStart {
    held: Held,
    /// The held frames are being read again and must not be held again.
    releasing: bool,
}

/// The bytes of the frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) pos: u64,
    pub(super) bytes: Vec<u8>,
    /// Core of the last core event among them.
    pub(super) core: u16,
    /// There is metadata among them: a recording starts, the core is not only switched.
    pub(super) has_metadata: bool,
}

impl PendingStart {
    /// Whether no frames are held.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.held.bytes.is_empty()
    }

    /// Holds a frame back, if some are held that it belongs to or it `may_begin` a recording.
    pub(super) fn holds(&mut self, record: &Record<'_>, may_begin: bool, pos: u64, raw: &[u8]) -> bool {
        let continues = !self.is_empty() && (record.is_bare() || !record.layout.timed);
        let fits = self.held.bytes.len() + raw.len() <= MOST;
        let holds = fits && !self.releasing && (may_begin || continues);
        if holds {
            self.push(record, pos, raw);
        }
        holds
    }

    fn push(&mut self, record: &Record<'_>, pos: u64, raw: &[u8]) {
        if self.is_empty() {
            self.held.pos = pos;
        }
        if record.layout.role == Role::Core {
            self.held.core = core_of(record.numbers[0]);
        }
        self.held.has_metadata |= !record.layout.timed;
        self.held.bytes.extend_from_slice(raw);
    }

    /// Takes the held frames to be read again; `None` if there are none.
    pub(super) fn begin_release(&mut self) -> Option<Held> {
        if self.is_empty() {
            return None;
        }
        self.releasing = true;
        Some(std::mem::take(&mut self.held))
    }

    /// The frames were read again. Their buffer is kept, as core events can be frequent.
    pub(super) fn end_release(&mut self, mut held: Held) {
        held.bytes.clear();
        held.has_metadata = false;
        *self = PendingStart { held, releasing: false };
    }
}
