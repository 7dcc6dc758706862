//! Events that affect later ones: cores, time, resolution, names, task switches; the count of dropped events.

use spytui_plugin_api::{
    Output, Row,
    batch::AttachmentId,
    row::{RowFlags, RowKind, Severity},
};

use super::{
    native::{NativeReceiver, TimeBack},
    stream::FrameHandler,
};
use crate::{config::clock_of, layout::Role, names, record::Record};

impl NativeReceiver {
    /// Applies the effects of an event before its row.
    #[inline(never)]
    pub(super) fn control_event(&mut self, record: &Record<'_>, pos: u64, out: &mut Output<'_>) {
        if record.layout.rtos && !self.system.is_certain() {
            self.system.event(pos, out);
        }
        match record.layout.role {
            Role::Dropped => {
                self.dropped = record.numbers[0];
                out.attachment(AttachmentId::DROP_TOTAL, u64::from(record.numbers[0] as u32), self.tick_ns);
            }
            Role::Resolution => self.resolution_is(record.numbers[0], pos, out),
            Role::SwitchedIn => self.cores.now.task = Some(record.numbers[0]),
            _ => names::from_record(record, self.cores.now.id, self.cores.now.task, out),
        }
    }

    fn resolution_is(&mut self, ns: u64, pos: u64, out: &mut Output<'_>) {
        let last = self.tick_ns;
        if ns == 0 {
            return self.say(RowKind::CONFLICT, pos, "a resolution of 0 ns is ignored".to_owned(), out);
        }
        if ns != last && self.is_tick_given {
            self.say(RowKind::CONFLICT, pos, format!("resolution is {ns} ns a tick, it was {last} ns"), out);
        }
        (self.tick_ns, self.is_tick_given) = (ns, true);
        out.clock(clock_of(ns));
    }

    /// Begins a new epoch at a time, because the target restarted.
    #[inline(never)]
    pub(super) fn restart(&mut self, back: TimeBack, begin: u64, pos: u64, out: &mut Output<'_>) {
        self.cores.forget();
        self.is_tick_given = false;
        self.dropped = 0;
        self.time = Some(begin);
        if let Some((from, to)) = back.dropped {
            out.attachment(AttachmentId::TOTAL_FELL, from, to);
        }
        self.note_time_back(TimeBack { to: back.shown.1, ..back }, RowFlags::EPOCH, pos, out);
    }

    /// Adds a note that time goes back, without a restart of the target.
    #[inline(never)]
    pub(super) fn time_back(&mut self, back: TimeBack, pos: u64, out: &mut Output<'_>) {
        let ticks = back.from - back.to;
        let text = format!("time goes back by {ticks} tick{}", if ticks == 1 { "" } else { "s" });
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        self.note_time_back(back, RowFlags::empty(), pos, out);
    }

    fn note_time_back(&mut self, back: TimeBack, flags: RowFlags, pos: u64, out: &mut Output<'_>) {
        out.attachment(AttachmentId::SPAN, back.from, back.to);
        let row = self.context().note(Row::note(RowKind::TIME_BACK, pos, 0));
        out.row(Row { flags: row.flags | flags, core: back.core, ..row });
    }

    /// Adds a note with a text.
    fn say(&self, kind: RowKind, pos: u64, text: String, out: &mut Output<'_>) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        let row = self.context().note(Row::note(kind, pos, 0));
        out.row(Row { severity: Severity::WARNING, ..row });
    }
}
