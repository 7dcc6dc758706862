//! Rows of what is missing or out of place.

use spytui_plugin_api::{AttachmentId, NONE, Output, Row, RowFlags, RowKind};

use super::receiver::Kev;
use crate::{
    frame::Part,
    layout::counter,
    record::{EVENT, Event},
};

impl Kev {
    /// A note with what all rows have.
    pub(super) fn row(&self, note: Row) -> Row {
        Row { time: self.now, cfg: self.cfg, core: NONE, ..note }
    }

    /// Adds a note.
    pub(super) fn note(&self, note: Row, out: &mut Output<'_>) {
        out.row(self.row(note));
    }

    /// Adds a note with a text.
    pub(super) fn say(&self, kind: RowKind, pos: u64, text: &str, out: &mut Output<'_>) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        self.note(Row::note(kind, pos, 0), out);
    }

    /// A part without a begin.
    #[cold]
    pub(super) fn part(&self, pos: u64, event: &Event, out: &mut Output<'_>) {
        let row = self.row(Row::note(RowKind::ORPHANS, pos, EVENT));
        out.row(Row { core: event.cpu().into(), ..row });
    }

    /// A begin without an end; its parts lie before `pos`.
    #[cold]
    pub(super) fn unterminated(&mut self, pos: u64, part: Box<Part>, out: &mut Output<'_>) {
        self.counts.add(counter::UNTERMINATED_BEGIN, 1);
        part.places.attach_all(out);
        let row = self.row(Row::note(RowKind::ORPHANS, pos, 0));
        out.row(Row { core: part.cpu.into(), flags: row.flags | RowFlags::FRAGMENTED, ..row });
        self.assembly.recycle(part);
    }

    /// Gives up all events without their end.
    pub(super) fn give_up_all(&mut self, pos: u64, out: &mut Output<'_>) {
        while let Some(part) = self.assembly.take_if(|_| true) {
            self.unterminated(pos, part, out);
        }
    }

    /// Gives up those that began before a time: their end is lost.
    pub(super) fn give_up_before(&mut self, pos: u64, low: u32, out: &mut Output<'_>) {
        while let Some(part) = self.assembly.take_if(|part| (part.low.wrapping_sub(low) as i32) < 0) {
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
