//! Core events without a time in the middle of a stream: either the core switches, or a recording starts, which sends
//! names next. Whether the target restarted shows only in the next event with a time; until then these frames are held.

use spytui_plugin_api::Output;

use super::{control_event::Back, cores::core_of, reader::Reader};
use crate::{frame::END, layout::Role, record::Record};

/// Most bytes held: far more than the names that targets keep.
const MOST: usize = 64 * 1024;

/// Frames that are held.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingStart {
    pos: u64,
    bytes: Vec<u8>,
    /// The core that was told last.
    core: u16,
    /// What was held comes once more, and is not held again.
    comes_again: bool,
}

impl PendingStart {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn push(&mut self, record: &Record<'_>, pos: u64, raw: &[u8]) {
        if self.bytes.is_empty() {
            self.pos = pos;
        }
        if record.layout.role == Role::Core {
            self.core = core_of(record.numbers[0]);
        }
        self.bytes.extend_from_slice(raw);
    }
}

impl Reader {
    /// Whether a frame is held; if not, those before it are held no longer.
    #[inline(never)]
    pub(super) fn holds(&mut self, record: &Record<'_>, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        if self.pending.comes_again {
            return false;
        }
        let begins = record.is_bare() && self.time.is_some_and(|time| time > 0);
        let goes_on = !self.pending.is_empty() && (record.is_bare() || !record.layout.timed);
        let fits = self.pending.len() + raw.len() <= MOST;
        if fits && (begins || goes_on) {
            self.pending.push(record, pos, raw);
            return true;
        }
        self.settle(Some(record), out);
        false
    }

    /// Makes rows of what is held. An event that goes back in time tells that it was a new life of the target.
    pub(super) fn settle(&mut self, told: Option<&Record<'_>>, out: &mut Output<'_>) {
        if self.pending.is_empty() {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        if let Some(record) = told.filter(|e| e.layout.timed && !e.is_bare()) {
            let core = if record.layout.role == Role::Core { core_of(record.numbers[0]) } else { pending.core };
            if let Some(last) = self.cores.stamp(core).filter(|last| record.stamp < *last) {
                self.time_back(Back { core, from: last, to: record.stamp, begin: 0 }, pending.pos, out);
            }
        }
        let mut pos = pending.pos;
        self.pending.comes_again = true;
        for raw in pending.bytes.split_inclusive(|byte| *byte == END) {
            self.frame(pos, raw, out);
            pos += raw.len() as u64;
        }
        // Cores may be told often: the room stays.
        pending.bytes.clear();
        self.pending = pending;
    }
}
