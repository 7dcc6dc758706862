//! Events that affect later ones: cores, time, drop counts, resolution, names, task switches.

use spytui_plugin_api::{
    Activity, NONE, Output, Row, Verb,
    batch::AttachmentId,
    info::prop,
    row::{RowFlags, RowKind, Severity},
};

use super::{
    drops::News,
    native::{NativeReceiver, TimeBack},
    resolution::Resolution,
};
use crate::{
    layout::{Role, private_attachment},
    names,
    record::{Receiver, Record},
};

impl NativeReceiver {
    /// Applies the effects of an event before its row; returns further flags of the row.
    #[inline(never)]
    pub(super) fn control_event(&mut self, record: &Record<'_>, pos: u64, out: &mut Output<'_>) -> RowFlags {
        if record.layout.rtos && !std::mem::replace(&mut self.rtos_seen, true) {
            out.prop(prop::SYSTEM, 0, b"FreeRTOS");
        }
        match record.layout.role {
            Role::Dropped => return self.drop_count(record, pos, out),
            Role::Resolution => self.resolution_is(record.numbers[0], pos, out),
            Role::SwitchedIn => self.cores.now.task = Some(record.numbers[0]),
            _ => names::from_record(record, self.cores.now.id, self.cores.now.task, out),
        }
        RowFlags::empty()
    }

    fn resolution_is(&mut self, ns: u64, pos: u64, out: &mut Output<'_>) {
        let last = self.resolution.ns;
        if ns == 0 {
            return self.say(RowKind::CONFLICT, pos, "a resolution of 0 ns is ignored".to_owned(), out);
        }
        if ns != last && self.resolution.given {
            self.say(RowKind::CONFLICT, pos, format!("resolution is {ns} ns a tick, it was {last} ns"), out);
        }
        self.resolution = Resolution { ns, given: true };
        out.clock(self.resolution.clock());
    }

    /// Begins a new epoch because time went back on a core: the target restarted, or the time stamp is wrong.
    #[inline(never)]
    pub(super) fn time_back(&mut self, back: TimeBack, pos: u64, out: &mut Output<'_>) {
        self.cores.forget();
        self.drops.time_went_back();
        self.resolution.given = false;
        self.time = Some(back.begin);
        out.attachment(private_attachment::SPAN, back.from, back.to);
        let row = self.context().note(RowKind::TIME_BACK, pos, 0, Severity::WARNING);
        out.row(Row { flags: row.flags | RowFlags::EPOCH, core: back.core, ..row });
    }

    /// Takes a drop count: adds a row before its own if it changed, otherwise returns a flag.
    fn drop_count(&mut self, record: &Record<'_>, pos: u64, out: &mut Output<'_>) -> RowFlags {
        let last = self.drops.count();
        let count = record.numbers[0] as u32;
        let news = self.drops.take(count, record.stamp);
        // If cores come one after the other, the last event of all may be later.
        let since = self.time.filter(|time| *time <= record.stamp).or(self.cores.now.stamp).unwrap_or(0);
        match news {
            News::Reset(_) => self.say(RowKind::RESET, pos, format!("target reset: drop count back from {last}"), out),
            News::Fell => {
                let text = format!("drop count fell from {last} to {count}: target reset, or another target");
                self.say(RowKind::RESTART, pos, text, out);
            }
            _ => {}
        }
        let mut says = if news == News::None { RowFlags::UNCHANGED } else { RowFlags::empty() };
        if let News::Dropped(lost @ 1..) | News::Reset(lost @ 1..) = news {
            says = RowFlags::REPORTED;
            out.attachment(AttachmentId::LOST, lost.into(), 1);
            out.attachment(AttachmentId::CAUSE, 1, 0);
            out.attachment(private_attachment::TOTAL, count.into(), 0);
            out.attachment(private_attachment::SPAN, since, record.stamp);
            if self.resolution.ns != 0 {
                out.attachment(private_attachment::TICK, self.resolution.ns, 0);
            }
            let row = self.context().note(RowKind::DROP, pos, 0, Severity::WARNING);
            out.row(Row { core: NONE, ..row });
        }
        if out.wants_activities() {
            self.drop_activities(news, count, out);
        }
        says
    }

    /// Adds the activities of a drop count. Only the first one of an epoch resets, so that the events since time went
    /// back are not undone.
    fn drop_activities(&self, news: News, total: u32, out: &mut Output<'_>) {
        let core = self.cores.now.id;
        if let (News::Reset(_), true) = (news, self.cores.are_blank()) {
            out.activity(Activity { core, ..Activity::new(Verb::RESET) });
        }
        if let News::Dropped(lost @ 1..) | News::Reset(lost @ 1..) = news {
            out.activity(Activity { core, ..Activity::new(Verb::LOST).val(lost.into()).second(total.into()) });
        }
    }

    /// Adds a note with a text.
    fn say(&self, kind: RowKind, pos: u64, text: String, out: &mut Output<'_>) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        out.row(self.context().note(kind, pos, 0, Severity::WARNING));
    }
}
