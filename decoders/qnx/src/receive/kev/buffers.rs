//! Trace buffers: their numbers tell which are lost, their sizes which events.

use spytui_plugin_api::{AttachmentId, Output, Row, RowFlags, RowKind};

use super::{buffer::Buffers, receiver::Kev};
use crate::{
    layout::{attached, counter, note},
    record::Event,
};

/// The release from which on each CPU has buffers of its own.
const OWN_BUFFERS: u8 = 8;

impl Kev {
    /// A buffer begins.
    pub(super) fn buffer(&mut self, pos: u64, event: &Event, [number, size]: [u32; 2], out: &mut Output<'_>) {
        self.buffers.seen -= 1;
        self.end_buffer(pos, out);
        self.buffers.seen = 1;
        self.counts.add(counter::BUFFERS, 1);
        let own = self.rules.release >= OWN_BUFFERS;
        self.buffers.current = (!own).then_some((number, size));
        let last = if own { &mut self.cpus.of(event.cpu()).buffer } else { &mut self.buffers.last };
        if let Some(before) = last.replace(number) {
            let step = number.wrapping_sub(before) as i32;
            match step {
                1 => {}
                ..=0 => self.buffers.back = Some((before, number)),
                _ => self.lost_buffers(pos, event, (before.wrapping_add(1), number), out),
            }
        }
    }

    fn lost_buffers(&mut self, pos: u64, event: &Event, (expected, got): (u32, u32), out: &mut Output<'_>) {
        let lost = got.wrapping_sub(expected).into();
        self.counts.add(counter::LOST_BUFFERS, lost);
        self.give_up_before(pos, event.low, out);
        out.attachment(AttachmentId::LOST, lost, 1);
        out.attachment(AttachmentId::EXPECTED, expected.into(), got.into());
        self.note(Row::gap(pos), out);
    }

    /// The current buffer is over: fewer events than it says are a loss.
    pub(super) fn end_buffer(&mut self, pos: u64, out: &mut Output<'_>) {
        let seen = std::mem::take(&mut self.buffers.seen);
        let Some((number, size)) = self.buffers.current.take() else { return };
        let missing = u64::from(size).saturating_sub(seen);
        if missing > 0 {
            self.counts.add(counter::SHORT_BUFFERS, 1);
            self.counts.add(counter::MISSING_EVENTS, missing);
            out.attachment(attached::MISSING, missing, number.into());
            self.note(Row::note(note::SHORT_BUFFER, pos, 0), out);
        }
    }

    /// The upper half of the time of a CPU.
    pub(super) fn high_time(&mut self, pos: u64, event: &Event, out: &mut Output<'_>) -> u64 {
        let high = event.words[0];
        let back = self.buffers.back.take();
        let before = self.cpus.of(event.cpu()).high;
        if before.is_some_and(|before| high < before) {
            self.restarted(pos, out);
        } else if let Some((before, number)) = back {
            let text = format!("buffer numbers began anew: {number} after {before}");
            self.say(RowKind::RESTART, pos, &text, out);
        }
        self.cpus.of(event.cpu()).high = Some(high);
        u64::from(high) << 32 | u64::from(event.low)
    }

    /// The time of a CPU went back by half its range or more: another run of the target begins.
    fn restarted(&mut self, pos: u64, out: &mut Output<'_>) {
        self.give_up_all(pos, out);
        self.cpus.restart();
        self.now = 0;
        let row = self.row(Row::note(RowKind::RESTART, pos, 0));
        out.row(Row { flags: row.flags | RowFlags::EPOCH, ..row });
        out.clock(self.cpus.clock());
    }

    /// Begins a new run with no buffer.
    pub(super) fn forget_buffers(&mut self) {
        self.buffers = Buffers::default();
    }
}
