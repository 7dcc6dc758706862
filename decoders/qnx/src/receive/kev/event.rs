//! Rows of events, and what events change for those after them.

use spytui_formats::{Data, Endian, NoFields};
use spytui_plugin_api::{Output, Row, RowFlags, RowKind, Severity};

use super::receiver::Kev;
use crate::{
    activity,
    frame::Part,
    layout::{CALL_NUMBERS, Doing, Group, Kind, Role, attached, counter, space},
    names::Entry,
    receive::companion::{answer, attach_drops, new_drops},
    record::{EVENT, Event, Whole},
};

/// User event of a companion: the number of events dropped so far.
const DROP_TOTAL: u16 = 1021;
/// The same: the id of a command and its result.
const ANSWER: u16 = 1023;
/// Bytes of the first two words of a payload.
const TWO_WORDS: usize = 8;

impl Kev {
    /// Takes an event in one part.
    #[inline]
    pub(super) fn simple(
        &mut self,
        pos: u64,
        event: &Event,
        raw: &[u8],
        kind: u16,
        time: Option<u64>,
        out: &mut Output<'_>,
    ) {
        let kind = Kind(kind);
        let layout = kind.layout();
        let time = match layout.role {
            Role::Time => Some(self.high_time(pos, event, out)),
            _ => time,
        };
        match layout.role {
            Role::Buffer => self.buffer(pos, event, event.words, out),
            Role::Dropped => self.dropped(pos, event, out),
            _ => {}
        }
        let payload = raw.get(EVENT - TWO_WORDS..).unwrap_or(&[]);
        if layout.role == Role::User {
            // A total makes a row of its own: what is attached to the event comes behind it.
            match kind.0 & 1023 {
                DROP_TOTAL => self.drop_total(pos, event.words[0], out),
                ANSWER => answer(event.words, out),
                _ => {}
            }
            self.user_text(kind, payload, out);
        }
        let whole = Whole { kind, layout, cpu: event.cpu(), time, first: event.words, payload, owner: None };
        self.row_of(whole, (pos, EVENT as u64), false, out);
    }

    /// Takes an event that came in parts.
    #[inline]
    pub(super) fn whole(&mut self, part: Box<Part>, out: &mut Output<'_>) {
        let kind = Kind(part.kind);
        let layout = kind.layout();
        let (fragmented, pos, len) = part.places.attach(out);
        if layout.role == Role::User {
            self.user_text(kind, part.payload(), out);
        }
        let Part { cpu, time, first, .. } = *part;
        let whole = Whole { kind, layout, cpu, time, first, payload: part.payload(), owner: None };
        self.row_of(whole, (pos, len), fragmented, out);
        self.assembly.recycle(part);
    }

    /// A companion says how many events the target has dropped so far: a note of those that are new.
    #[cold]
    fn drop_total(&mut self, pos: u64, total: u32, out: &mut Output<'_>) {
        let Some(before) = self.dropped else { return };
        self.dropped = Some(total);
        let new = new_drops(before, total);
        if new > 0 {
            self.counts.add(counter::OVERRUN_EVENTS, new.into());
            attach_drops(new, "event", total, out);
            self.loss(self.row(Row::note(RowKind::DROP, pos, 0)), None, out);
        }
    }

    /// Adds the text that a format gives a user event.
    #[cold]
    fn user_text(&self, kind: Kind, payload: &[u8], out: &mut Output<'_>) {
        let Some(entry) = self.options.formats.user(kind.0 & 1023) else { return };
        let endian = if self.target.big { Endian::Big } else { Endian::Little };
        let mut text = Vec::new();
        entry.template.render(&Data { endian, piece: TWO_WORDS, ..Data::new(payload) }, &NoFields, &mut text);
        out.attachment_bytes(attached::TEXT, &text);
    }

    #[inline]
    fn row_of(&mut self, mut whole: Whole<'_>, (pos, len): (u64, u64), fragmented: bool, out: &mut Output<'_>) {
        let layout = whole.layout;
        self.effects(&whole, out);
        let running = self.cpus.running(whole.cpu);
        whole.owner = running.and_then(|thread| self.known.key(thread));
        let mut row = Row {
            pos,
            len: len as u32,
            kind: RowKind(whole.kind.0),
            cfg: self.cfg,
            core: whole.cpu.into(),
            group: layout.group as u8,
            ..Row::default()
        };
        if let Some(time) = whole.time {
            self.now = time;
            if self.cpus.first.is_none() {
                self.cpus.first = Some(time);
                out.clock(self.cpus.clock());
            }
            row.flags |= RowFlags::TIME_OWN;
        }
        row.time = self.now;
        if fragmented {
            row.flags |= RowFlags::FRAGMENTED;
        }
        if let Some(object) = object(&whole) {
            row.obj = object;
            row.flags |= RowFlags::HAS_OBJECT;
        }
        match layout.role {
            Role::User => {
                row.flags |= RowFlags::APPLICATION | RowFlags::HAS_ITEM;
                row.item = u64::from(whole.kind.0 & 1023);
                if self.target.big {
                    row.flags |= RowFlags::BIG_ENDIAN;
                }
            }
            Role::Enter | Role::Leave => {
                row.flags |= RowFlags::HAS_ITEM;
                row.item = number(&whole).into();
            }
            Role::Slog => row.severity = of_slog(whole.first[1]),
            _ => {}
        }
        self.kernel_call(&whole, out);
        if out.wants_activities() {
            activity::of_event(&whole, out);
        }
        out.row(row);
    }

    /// What an event changes for itself and those after it: names, and who runs.
    #[inline]
    fn effects(&mut self, whole: &Whole<'_>, out: &mut Output<'_>) {
        let [first, second] = whole.first;
        match whole.layout.role {
            Role::State(doing) => {
                let thread = self.known.thread(first, second, out);
                if doing == Doing::Running {
                    self.cpus.switch(whole.cpu, thread);
                }
            }
            Role::ThreadCreate => drop(self.known.thread(first, second, out)),
            Role::ThreadName => self.known.name_thread(first, second, after_words(whole.payload), out),
            Role::ProcessCreate => self.known.create(second, after_words(whole.payload), out),
            Role::ProcessDestroy => {
                let cpus = &mut self.cpus;
                self.known.destroy(second, |thread| cpus.forget(thread));
            }
            _ => {}
        }
    }

    /// Names the channel that a kernel call is about, and adds how long the call took, on its return.
    #[inline]
    fn kernel_call(&mut self, whole: &Whole<'_>, out: &mut Output<'_>) {
        if !matches!(whole.layout.role, Role::Enter | Role::Leave) {
            return;
        }
        let Some(thread) = self.cpus.running(whole.cpu) else { return };
        let call = number(whole);
        if let Some(channel) = channel(whole, call) {
            self.known.channel(thread, channel, out);
        }
        let Some(time) = whole.time else { return };
        let moment = self.cpus.moment(whole.cpu);
        if whole.layout.role == Role::Enter {
            return self.known.enter(thread, Entry { call, time, moment });
        }
        // Across a loss, the entry may be that of an earlier call.
        let entry = self.known.leave(thread, call).filter(|entry| entry.moment.is_joined_to(moment));
        if let Some(took) = entry.and_then(|entry| self.cpus.nanoseconds(entry.time, time)) {
            out.attachment(attached::TOOK, took, 0);
        }
    }
}

/// The channel that a thread makes or receives from.
#[inline]
fn channel(whole: &Whole<'_>, call: u16) -> Option<u32> {
    const MSG_RECEIVEV: u16 = 14;
    const MSG_RECEIVEPULSEV: u16 = 24;
    const CHANNEL_CREATE: u16 = 35;
    let tells = match (whole.layout.role, call) {
        (Role::Enter, MSG_RECEIVEV | MSG_RECEIVEPULSEV) => true,
        (Role::Leave, CHANNEL_CREATE) => whole.first[0] != u32::MAX,
        _ => false,
    };
    tells.then_some(whole.first[0])
}

/// Number of a kernel call.
fn number(whole: &Whole<'_>) -> u16 {
    match whole.layout.name {
        "" => whole.kind.0 % CALL_NUMBERS,
        _ => whole.layout.event % CALL_NUMBERS,
    }
}

/// The payload after its first two words.
fn after_words(payload: &[u8]) -> &[u8] {
    payload.get(TWO_WORDS..).unwrap_or(&[])
}

/// The object of an event's row.
#[inline]
fn object(whole: &Whole<'_>) -> Option<u64> {
    let [first, second] = whole.first;
    match whole.layout.group {
        Group::Control => None,
        Group::Thread | Group::VThread => Some(space::thread(first, second)),
        Group::Process if whole.layout.role == Role::ThreadName => Some(space::thread(first, second)),
        Group::Process => Some(second.into()),
        Group::IntEnter | Group::IntExit | Group::HandlerExit => Some(first.into()),
        Group::HandlerEnter => Some(second.into()),
        // Only these two are known to begin so.
        Group::Int => match whole.layout.role {
            Role::IsrIn => Some(first.into()),
            Role::HandlerIn => Some(second.into()),
            _ => None,
        },
        _ => whole.owner,
    }
}

/// Severity of a system log entry.
fn of_slog(severity: u32) -> Severity {
    match severity {
        0..=2 => Severity::ERROR,
        3 => Severity::WARNING,
        4 | 5 => Severity::INFO,
        _ => Severity::NORMAL,
    }
}
