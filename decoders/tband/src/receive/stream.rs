//! Events that change what later ones mean: cores, time, drop counts, resolution, names, switches of tasks.

use spytui_plugin_api::{
    NONE, Output, Row,
    batch::{AttachmentId, ClockEvent},
    info::prop,
    row::{RowFlags, RowKind, Severity},
};

use super::{cores::core_of, drops::News, own_attachment, reader::Reader};
use crate::{
    activity,
    event::Event,
    layout::{Role, id},
    names,
};

/// Nanoseconds a tick, as far as known.
#[derive(Clone, Debug)]
pub(crate) struct Resolution {
    /// 0 = not known.
    ns: u64,
    /// The target, or the user, said so in this epoch.
    said: bool,
}

impl Resolution {
    /// As an option gives it; 0 = it gives none.
    pub(crate) fn new(ns: u64) -> Resolution {
        Resolution { ns, said: ns != 0 }
    }

    pub(crate) fn clock(&self) -> ClockEvent {
        let res_ns = u32::try_from(self.ns).unwrap_or(u32::MAX);
        ClockEvent { num: self.ns, den: 1, bits: 64, res_ns, ..ClockEvent::default() }
    }
}

/// Time that went back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back {
    /// On this core.
    pub(super) core: u16,
    pub(super) from: u64,
    pub(super) to: u64,
    /// The first time of what begins here.
    pub(super) begin: u64,
}

impl Reader {
    /// What an event does beside making its row, before that; flags for the row.
    #[inline(never)]
    pub(super) fn of_the_stream(&mut self, event: &Event<'_>, pos: u64, out: &mut Output<'_>) -> RowFlags {
        if event.layout.rtos && !std::mem::replace(&mut self.rtos_seen, true) {
            out.prop(prop::SYSTEM, 0, b"FreeRTOS");
        }
        match event.layout.id {
            id::DROPPED => return self.drop_count(event, pos, out),
            id::RESOLUTION => self.resolution_is(event.numbers[0], pos, out),
            id::SWITCHED_IN => self.cores.now.task = Some(event.numbers[0]),
            _ if event.layout.role == Role::Naming => {
                names::from_event(event, self.cores.now.id, self.cores.now.task, out);
            }
            _ => {}
        }
        RowFlags::empty()
    }

    /// Events of this core come from here on.
    pub(super) fn core_is(&mut self, core: u64) {
        self.cores.switch(core_of(core));
    }

    fn resolution_is(&mut self, ns: u64, pos: u64, out: &mut Output<'_>) {
        let last = self.resolution.ns;
        if ns == 0 {
            return self.say(RowKind::CONFLICT, pos, "a resolution of 0 ns is ignored".to_owned(), out);
        }
        if ns != last && self.resolution.said {
            self.say(RowKind::CONFLICT, pos, format!("resolution is {ns} ns a tick, it was {last} ns"), out);
        }
        self.resolution = Resolution { ns, said: true };
        out.clock(self.resolution.clock());
    }

    /// Time went back on a core: another life of the target begins, or a stamp is wrong.
    #[inline(never)]
    pub(super) fn time_back(&mut self, back: Back, pos: u64, out: &mut Output<'_>) {
        self.cores.forget();
        self.drops.time_went_back();
        self.resolution.said = false;
        self.time = Some(back.begin);
        out.attachment(own_attachment::SPAN, back.from, back.to);
        let row = self.note(RowKind::TIME_BACK, pos, 0, Severity::WARNING);
        out.row(Row { flags: row.flags | RowFlags::EPOCH, core: back.core, ..row });
    }

    /// A count of dropped events: a row before its own where it is news, and else a flag.
    fn drop_count(&mut self, event: &Event<'_>, pos: u64, out: &mut Output<'_>) -> RowFlags {
        let last = self.drops.count();
        let count = event.numbers[0] as u32;
        let news = self.drops.take(count, event.stamp);
        // Where cores come one after the other, the last event of all may be later.
        let since = self.time.filter(|time| *time <= event.stamp).or(self.cores.now.stamp).unwrap_or(0);
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
            out.attachment(own_attachment::TOTAL, count.into(), 0);
            out.attachment(own_attachment::SPAN, since, event.stamp);
            if self.resolution.ns != 0 {
                out.attachment(own_attachment::TICK, self.resolution.ns, 0);
            }
            let row = self.note(RowKind::DROP, pos, 0, Severity::WARNING);
            out.row(Row { core: NONE, ..row });
        }
        if out.wants_activities() {
            activity::of_drops(news, self.cores.are_blank(), count, self.cores.now.id, out);
        }
        says
    }

    /// Adds a row that says something in words.
    fn say(&self, kind: RowKind, pos: u64, text: String, out: &mut Output<'_>) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        out.row(self.note(kind, pos, 0, Severity::WARNING));
    }
}
