//! Cores that are told without a time in the middle of a stream: a switch of the core, or the start of a recording,
//! which writes names behind them. Only the next event with a time tells whether the target began anew, and if it did,
//! it did so here. Until then these frames are held.

use spytui_plugin_api::Output;

use super::{cores::core_of, reader::Reader, stream::Back};
use crate::{cobs::END, event::Event, layout::id};

/// Most bytes held: far more than the names that targets keep.
const MOST: usize = 64 * 1024;

/// Frames that are held.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pos: u64,
    bytes: Vec<u8>,
    /// The core that was told last.
    core: u16,
    /// What was held comes once more, and is not held again.
    comes_again: bool,
}

impl Held {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn push(&mut self, event: &Event<'_>, pos: u64, raw: &[u8]) {
        if self.bytes.is_empty() {
            self.pos = pos;
        }
        if event.layout.id == id::CORE {
            self.core = core_of(event.numbers[0]);
        }
        self.bytes.extend_from_slice(raw);
    }
}

impl Reader {
    /// Whether a frame is held; if not, those before it are held no longer.
    #[inline(never)]
    pub(super) fn holds(&mut self, event: &Event<'_>, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        if self.held.comes_again {
            return false;
        }
        let begins = event.is_bare() && self.time.is_some_and(|time| time > 0);
        let goes_on = !self.held.is_empty() && (event.is_bare() || !event.layout.timed);
        let fits = self.held.len() + raw.len() <= MOST;
        if fits && (begins || goes_on) {
            self.held.push(event, pos, raw);
            return true;
        }
        self.settle(Some(event), out);
        false
    }

    /// Makes rows of what is held. An event that goes back in time tells that it was a new life of the target.
    pub(super) fn settle(&mut self, told: Option<&Event<'_>>, out: &mut Output<'_>) {
        if self.held.is_empty() {
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        if let Some(event) = told.filter(|e| e.layout.timed && !e.is_bare()) {
            let core = if event.layout.id == id::CORE { core_of(event.numbers[0]) } else { held.core };
            if let Some(last) = self.cores.stamp(core).filter(|last| event.stamp < *last) {
                self.time_back(Back { core, from: last, to: event.stamp, begin: 0 }, held.pos, out);
            }
        }
        let mut pos = held.pos;
        self.held.comes_again = true;
        for raw in held.bytes.split_inclusive(|byte| *byte == END) {
            self.frame(pos, raw, out);
            pos += raw.len() as u64;
        }
        // Cores may be told often: the room stays.
        held.bytes.clear();
        self.held = held;
    }
}
