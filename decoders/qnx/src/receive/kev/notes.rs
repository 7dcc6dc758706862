//! Rows of what is missing or out of place.

use spytui_plugin_api::{AttachmentId, NONE, Output, Row, RowFlags, RowKind};

use super::receiver::Kev;
use crate::{
    frame::Part,
    layout::{attached, counter},
    receive::search::hiding_records,
    record::{EVENT, Event},
};

impl Kev {
    pub(super) fn row(&self, note: Row) -> Row {
        Row { time: self.now, cfg: self.cfg, core: NONE, ..note }
    }

    pub(super) fn note(&self, note: Row, out: &mut Output<'_>) {
        out.row(self.row(note));
    }

    pub(super) fn say(&self, kind: RowKind, pos: u64, text: &str, out: &mut Output<'_>) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        self.note(Row::note(kind, pos, 0), out);
    }

    /// Adds the note of a loss of events, of one CPU or of all: which threads run, and what they do, is unknown until
    /// their events say.
    #[cold]
    pub(super) fn loss(&mut self, row: Row, cpu: Option<u8>, out: &mut Output<'_>) {
        self.cpus.lose(cpu);
        out.row(row);
    }

    /// Adds the rows of bytes that are no event, and of lines of text in them.
    pub(super) fn no_event(&mut self, row: Row, bytes: &[u8], out: &mut Output<'_>) {
        self.cpus.lose(None);
        out.skipped(self.row(hiding_records(row)), 0, bytes);
    }

    /// The CPU whose events are lost where those of one of its buffers are missing; `None` = all CPUs share buffers.
    pub(super) fn buffer_of(&self, cpu: u8) -> Option<u8> {
        self.has_own_buffers().then_some(cpu)
    }

    /// The kernel dropped events of a CPU while it had no free buffer. What its word counts is not documented.
    #[cold]
    pub(super) fn dropped(&mut self, pos: u64, event: &Event, out: &mut Output<'_>) {
        self.counts.add(counter::DROP_EVENTS, 1);
        let word = event.words[0];
        out.attachment(attached::DROPPED, word.into(), 0);
        let text = format!("events dropped by the target: DROPPED {word}, which may be their number");
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        let row = self.row(Row::note(RowKind::DROP, pos, 0));
        self.loss(Row { core: event.cpu().into(), ..row }, Some(event.cpu()), out);
    }

    /// The time of a CPU goes back with an event.
    #[cold]
    pub(super) fn time_back(&mut self, pos: u64, event: &Event, (from, to): (u64, u64), out: &mut Output<'_>) {
        out.attachment(AttachmentId::SPAN, from, to);
        let row = self.row(Row::note(RowKind::TIME_BACK, pos, 0));
        out.row(Row { time: from, core: event.cpu().into(), ..row });
    }

    /// A part without a begin.
    #[cold]
    pub(super) fn part(&mut self, pos: u64, event: &Event, out: &mut Output<'_>) {
        let cpu = event.cpu();
        let row = self.row(Row::note(RowKind::ORPHANS, pos, EVENT));
        self.loss(Row { core: cpu.into(), ..row }, self.buffer_of(cpu), out);
    }

    /// A begin without an end; its parts lie before `pos`.
    #[cold]
    pub(super) fn unterminated(&mut self, pos: u64, part: Part, out: &mut Output<'_>) {
        self.counts.add(counter::UNTERMINATED_BEGIN, 1);
        let cpu = part.event.cpu();
        part.places.attach_all(out);
        let row = self.row(Row::note(RowKind::ORPHANS, pos, 0));
        self.loss(Row { core: cpu.into(), flags: row.flags | RowFlags::FRAGMENTED, ..row }, self.buffer_of(cpu), out);
    }

    /// Gives up all events without their end.
    pub(super) fn give_up_all(&mut self, pos: u64, out: &mut Output<'_>) {
        while let Some(part) = self.assembly.take_if(|_| true) {
            self.unterminated(pos, part, out);
        }
    }

    /// Gives up those that began before a time: their end is lost.
    pub(super) fn give_up_before(&mut self, pos: u64, low: u32, out: &mut Output<'_>) {
        while let Some(part) = self.assembly.take_if(|part| (part.event.low.wrapping_sub(low) as i32) < 0) {
            self.unterminated(pos, part, out);
        }
    }

    /// Gives up those that began too far back in the stream.
    #[inline]
    pub(super) fn give_up_old(&mut self, pos: u64, out: &mut Output<'_>) {
        while let Some(part) = self.assembly.take_too_old(pos) {
            self.unterminated(pos, part, out);
        }
    }
}
