//! Trace buffers: their numbers reveal lost buffers, their sizes lost events.

use spytui_plugin_api::{AttachmentId, Output, Row, RowFlags, RowKind};

use super::{Kev, OWN_BUFFERS};
use crate::{
    layout::{NEW_RUN, attached, attached::LOST_HERE, counter, note},
    receive::Ending,
    record::Event,
};

impl Kev {
    pub(super) fn buffer(&mut self, pos: u64, event: &Event, [number, size]: [u32; 2], out: &mut Output<'_>) {
        self.buffers.seen -= 1;
        self.end_buffer(pos, None, out);
        self.buffers.seen = 1;
        self.counts.add(counter::BUFFERS, 1);
        let own = self.has_own_buffers();
        self.buffers.current = (!own).then_some((number, size));
        let last = if own { &mut self.cpus.of(event.cpu()).buffer } else { &mut self.buffers.last };
        if let Some(before) = last.replace(number) {
            let step = number.wrapping_sub(before) as i32;
            let earlier = self.buffers.earlier.replace(before).filter(|_| !own);
            let was_damaged = step != 1 && earlier.is_some_and(|earlier| earlier.wrapping_add(2) == number);
            match step {
                1 => {}
                ..=0 if self.cpus.of(event.cpu()).went_back => self.restarted_at(pos, event.cpu(), number, out),
                ..=0 if was_damaged => self.damaged_number(pos, (before, number), out),
                ..=0 => {
                    self.buffers.back = Some((before, number));
                    self.cpus.lose(self.buffer_of(event.cpu()));
                }
                _ => self.lost_buffers(pos, event, (before.wrapping_add(1), number), out),
            }
        }
    }

    pub(super) fn has_own_buffers(&self) -> bool {
        self.rules.release >= OWN_BUFFERS
    }

    /// Reports that the previous buffer's number was wrong, because this one continues after the one before.
    #[cold]
    fn damaged_number(&self, pos: u64, (before, number): (u32, u32), out: &mut Output<'_>) {
        let is = number.wrapping_sub(1);
        let text = format!("the previous buffer is number {is}, not {before}: none was lost in between");
        self.say(RowKind::CONFLICT, pos, &text, out);
    }

    fn lost_buffers(&mut self, pos: u64, event: &Event, (expected, got): (u32, u32), out: &mut Output<'_>) {
        let lost = got.wrapping_sub(expected).into();
        self.counts.add(counter::LOST_BUFFERS, lost);
        self.give_up_before(pos, event.low, out);
        out.attachment(AttachmentId::LOST, lost, 1);
        out.attachment(AttachmentId::EXPECTED, expected.into(), got.into());
        self.loss(self.row(Row::gap(pos)), self.buffer_of(event.cpu()), out);
    }

    /// Ends the current buffer: fewer events than announced are a loss. After an interruption, the rest may still
    /// arrive.
    pub(super) fn end_buffer(&mut self, pos: u64, ending: Ending, out: &mut Output<'_>) {
        let seen = std::mem::take(&mut self.buffers.seen);
        let Some((number, size)) = self.buffers.current.take() else { return };
        let missing = u64::from(size).saturating_sub(seen);
        if missing > 0 {
            self.counts.add(counter::SHORT_BUFFERS, 1);
            let attachment = match ending {
                Some(RowKind::CUT_OFF | RowKind::RESYNC) => attached::AT_MOST,
                _ => {
                    self.counts.add(counter::MISSING_EVENTS, missing);
                    attached::MISSING
                }
            };
            let lost = u64::from(ending == Some(RowKind::RESYNC)) << LOST_HERE;
            out.attachment(attachment, missing, lost | u64::from(number));
            self.loss(self.row(Row::note(note::SHORT_BUFFER, pos, 0)), None, out);
        }
    }

    /// Takes the upper half of a CPU's time. If it falls together with a buffer number, another run begins; alone, it
    /// is damage or corrects earlier damage.
    pub(super) fn high_time(&mut self, pos: u64, event: &Event, out: &mut Output<'_>) -> u64 {
        let high = event.words[0];
        let went_back = self.cpus.of(event.cpu()).high.is_some_and(|before| high < before);
        match self.buffers.back.take() {
            Some(_) if went_back => self.restarted(pos, out),
            Some((before, number)) => {
                let text = format!("buffer numbers restarted: {number} after {before}");
                self.say(RowKind::RESTART, pos, &text, out);
            }
            None => {}
        }
        let cpu = self.cpus.of(event.cpu());
        cpu.high = Some(high);
        cpu.went_back = went_back;
        u64::from(high) << 32 | u64::from(event.low)
    }

    /// Starts another run: buffer numbers and time went back.
    fn restarted(&mut self, pos: u64, out: &mut Output<'_>) {
        self.give_up_all(pos, out);
        self.cpus.restart();
        self.known.clear(out);
        self.now = 0;
        let row = self.row(Row::note(RowKind::RESTART, pos, 0));
        out.attachment_bytes(AttachmentId::NEW_EPOCH, NEW_RUN);
        out.attachment_bytes(AttachmentId::TEXT, b"buffer numbers and times restarted");
        out.row(Row { flags: row.flags | RowFlags::EPOCH, ..row });
        out.clock(self.cpus.clock());
    }

    /// Starts another run with a buffer of a CPU, whose time arrived just before and stays valid.
    fn restarted_at(&mut self, pos: u64, cpu: u8, number: u32, out: &mut Output<'_>) {
        let high = self.cpus.of(cpu).high;
        self.restarted(pos, out);
        let cpu = self.cpus.of(cpu);
        cpu.high = high;
        cpu.buffer = Some(number);
    }
}
