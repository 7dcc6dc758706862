//! Rows and activities of events, and their effects on later events.

use spytui_decoder_kit::RowBuilder;
use spytui_formats::{Data, FormatCode};
use spytui_plugin_api::{Activity, ActivityFlags, Output, Row, RowFlags, RowKind, Severity, TaskState, Verb};

use super::Kev;
use crate::{
    frame::Part,
    layout::{Group, KernelKind, Role, attached, space},
    names::CallEntry,
    receive::{answer, has_dropped},
    record::{EVENT, Event, WORDS, Whole},
};

/// User event that a companion uses for the drop total.
const DROP_TOTAL: u16 = 1021;
/// User event that a companion uses for answers: command id, result.
const ANSWER: u16 = 1023;

impl Kev {
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
        let payload = raw.get(EVENT - WORDS..).unwrap_or(&[]);
        let whole = Whole::new(KernelKind(kind), *event, payload, self.target.big);
        let is_time = whole.layout.role == Role::Time;
        let time = if is_time { Some(self.high_time(pos, event, out)) } else { time };
        if let Some(before) = time.and_then(|time| self.cpus.steps_back(event.cpu(), time)) {
            self.time_back(pos, event, (before, time.unwrap_or_default()), out);
        }
        match whole.layout.role {
            Role::Buffer => self.buffer(pos, event, event.words, out),
            Role::Dropped => self.dropped(pos, event, out),
            Role::User => {
                // A total makes a separate row, so the event's attachments must follow it.
                match whole.number() {
                    DROP_TOTAL => self.drop_total(pos, event.words[0], out),
                    ANSWER => answer(event.words, out),
                    _ => {}
                }
                self.user_text(&whole, out);
            }
            _ => {}
        }
        self.row_of(&whole, time, (pos, EVENT as u64), false, out);
    }

    #[inline]
    pub(super) fn whole(&mut self, part: Part, out: &mut Output<'_>) {
        let whole = Whole::new(KernelKind(part.kind), part.event, &part.payload, self.target.big);
        let (fragmented, pos, len) = part.places.attach(out);
        if whole.layout.role == Role::User {
            self.user_text(&whole, out);
        }
        self.row_of(&whole, part.time, (pos, len), fragmented, out);
        self.assembly.spare = part.payload;
    }

    /// Takes a drop total of a companion: adds a note of new drops.
    #[cold]
    fn drop_total(&mut self, pos: u64, total: u32, out: &mut Output<'_>) {
        if has_dropped(&mut self.dropped_total, total, "event", &mut self.counts, out) {
            self.loss(self.note(Row::note(RowKind::DROP, pos, 0)), None, out);
        }
    }

    /// Attaches the text of a user event according to its format.
    #[cold]
    fn user_text(&self, whole: &Whole<'_>, out: &mut Output<'_>) {
        let Some(entry) = self.options.formats.events.get(&FormatCode::User(whole.number())) else { return };
        let mut text = Vec::new();
        let data = Data { is_big_endian: self.target.big, piece: WORDS, ..Data::new(whole.payload) };
        entry.template.render(&data, &|_, _| false, &mut text);
        out.attachment_bytes(attached::TEXT, &text);
    }

    #[inline]
    fn row_of(
        &mut self,
        whole: &Whole<'_>,
        time: Option<u64>,
        (pos, len): (u64, u64),
        fragmented: bool,
        out: &mut Output<'_>,
    ) {
        let (layout, cpu) = (whole.layout, whole.event.cpu());
        self.effects(whole, out);
        let owner = self.cpus.running(cpu);
        let mut row = Row {
            pos,
            len: len as u32,
            kind: RowKind(whole.kind.0),
            cfg: self.cfg,
            core: cpu.into(),
            group: layout.group as u8,
            ..Row::default()
        };
        if let Some(time) = time {
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
        if let Some(object) = object(whole, owner) {
            row.obj = object;
            row.flags |= RowFlags::HAS_OBJECT;
        }
        match layout.role {
            Role::User => {
                row.flags |= RowFlags::APPLICATION | RowFlags::HAS_ITEM;
                row.item = whole.number().into();
                if self.target.big {
                    row.flags |= RowFlags::BIG_ENDIAN;
                }
            }
            Role::Enter | Role::Leave => {
                row.flags |= RowFlags::HAS_ITEM;
                row.item = whole.call().into();
            }
            Role::Slog => row.severity = of_slog(whole.event.words[1]),
            _ => {}
        }
        self.kernel_call(whole, time, out);
        let priority = self.new_priority(whole);
        if out.wants_activities() {
            let owner = owner.filter(|_| whole.layout.role != Role::Enter || self.cpus.are_known());
            add_activity(whole, owner, out);
            if let Some(priority) = priority {
                add_priority(whole, priority, out);
            }
        }
        out.row(row);
    }

    /// The priority of a thread that changes its state, if the priority has changed.
    #[inline]
    fn new_priority(&mut self, whole: &Whole<'_>) -> Option<u8> {
        let Role::State(_) = whole.layout.role else { return None };
        let ([pid, tid], priority) = (whole.event.words, whole.priority()?);
        self.known.has_priority(space::thread(pid, tid), priority).then_some(priority)
    }

    /// Applies the effects of an event on names and running threads.
    #[inline]
    fn effects(&mut self, whole: &Whole<'_>, out: &mut Output<'_>) {
        let [first, second] = whole.event.words;
        match whole.layout.role {
            Role::State(doing) => {
                let thread = self.known.thread(first, second, out);
                if doing == TaskState::RUNNING {
                    self.cpus.switch(whole.event.cpu(), thread);
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

    /// Names the channel in a kernel call, and on its return attaches its duration.
    #[inline]
    fn kernel_call(&mut self, whole: &Whole<'_>, time: Option<u64>, out: &mut Output<'_>) {
        if !matches!(whole.layout.role, Role::Enter | Role::Leave) {
            return;
        }
        let Some(thread) = self.cpus.running(whole.event.cpu()) else { return };
        let call = whole.call();
        if let Some(channel) = channel(whole) {
            self.known.channel(thread, channel, out);
        }
        let Some(time) = time else { return };
        let moment = self.cpus.moment(whole.event.cpu());
        if whole.layout.role == Role::Enter {
            return self.known.enter(thread, CallEntry { call, time, moment });
        }
        // Across a loss, the entry may belong to an earlier call.
        let entry = self.known.leave(thread, call).filter(|entry| entry.moment.is_joined_to(moment));
        if let Some(took) = entry.and_then(|entry| self.cpus.nanoseconds(entry.time, time)) {
            out.attachment(attached::TOOK, took, 0);
        }
    }
}

/// The channel that a thread creates or receives from.
#[inline]
fn channel(whole: &Whole<'_>) -> Option<u32> {
    const MSG_RECEIVEV: u16 = 14;
    const MSG_RECEIVEPULSEV: u16 = 24;
    const CHANNEL_CREATE: u16 = 35;
    let [first, _] = whole.event.words;
    match (whole.layout.role, whole.call()) {
        (Role::Enter, MSG_RECEIVEV | MSG_RECEIVEPULSEV) => Some(first),
        (Role::Leave, CHANNEL_CREATE) => Some(first).filter(|&channel| channel != u32::MAX),
        _ => None,
    }
}

fn after_words(payload: &[u8]) -> &[u8] {
    payload.get(WORDS..).unwrap_or(&[])
}

/// The object of an event's row; `owner` = the thread running on its CPU.
#[inline]
fn object(whole: &Whole<'_>, owner: Option<u64>) -> Option<u64> {
    let [first, second] = whole.event.words;
    match whole.layout.group {
        Group::Control => None,
        Group::Thread | Group::VThread => Some(space::thread(first, second)),
        Group::Process if whole.layout.role == Role::ThreadName => Some(space::thread(first, second)),
        Group::Process => Some(second.into()),
        Group::IntEnter | Group::IntExit | Group::HandlerExit => Some(first.into()),
        Group::HandlerEnter => Some(second.into()),
        // Only these two are known to begin like this.
        Group::Int => match whole.layout.role {
            Role::IsrIn => Some(first.into()),
            Role::HandlerIn => Some(second.into()),
            _ => None,
        },
        _ => owner,
    }
}

fn of_slog(severity: u32) -> Severity {
    match severity {
        0..=2 => Severity::ERROR,
        3 => Severity::WARNING,
        4 | 5 => Severity::INFO,
        _ => Severity::NORMAL,
    }
}

/// Adds the activity of an event; `owner` = the thread running on its CPU.
#[inline]
pub(crate) fn add_activity(whole: &Whole<'_>, owner: Option<u64>, out: &mut Output<'_>) {
    let [first, second] = whole.event.words;
    let named = space::thread(first, second);
    let activity = |verb| Activity { core: whole.event.cpu().into(), ..Activity::new(verb) };
    let of = |verb, thread| activity(verb).sub(space::THREADS, thread);
    let by_owner = |verb| match owner {
        Some(thread) => of(verb, thread),
        None => activity(verb),
    };
    // A message is numbered by its receiver.
    let message = u64::from(second) << 32 | u64::from(first);
    let activity = match whole.layout.role {
        Role::State(TaskState::RUNNING) => of(Verb::RUN, named),
        Role::State(doing) => of(Verb::STATE, named).val(doing.0),
        Role::ThreadCreate => of(Verb::CREATE, named),
        Role::ThreadDestroy => of(Verb::DELETE, named),
        Role::Enter | Role::Leave if owner.is_none() => return,
        Role::Enter => by_owner(Verb::BEGIN).with(ActivityFlags::APART),
        Role::Leave => by_owner(Verb::END).with(ActivityFlags::APART),
        Role::IsrIn => activity(Verb::ISR_IN).sub(space::INTERRUPTS, first.into()),
        Role::IsrOut => activity(Verb::ISR_OUT).sub(space::INTERRUPTS, first.into()),
        Role::Send => by_owner(Verb::SEND).second(message),
        Role::Receive => by_owner(Verb::RECEIVE).second(message),
        Role::Pulse => by_owner(Verb::PULSE).second(message),
        Role::ReceivePulse => by_owner(Verb::RECEIVE).second(message),
        Role::Reply => by_owner(Verb::SEND).obj(space::THREADS, space::thread(second, first)),
        Role::Signal => by_owner(Verb::SIGNAL).val(first.into()),
        Role::User => by_owner(Verb::INSTANT).item(space::USER_EVENTS, whole.number().into()),
        _ => return,
    };
    out.activity(activity);
}

/// Adds the priority of the thread in an event. A thread may inherit it, for example from a waiting client.
pub(crate) fn add_priority(whole: &Whole<'_>, priority: u8, out: &mut Output<'_>) {
    let [pid, tid] = whole.event.words;
    let activity = Activity { core: whole.event.cpu().into(), ..Activity::new(Verb::PRIO) };
    let of_thread = activity.sub(space::THREADS, space::thread(pid, tid)).val(priority.into());
    out.activity(of_thread.with(ActivityFlags::FOR_NOW));
}
