//! The layout of every event: a single table, from which decoding, texts, fields, activities and the description are
//! derived.

use spytui_decoder_kit::{ActivityMeaning, pattern::field as f};
use spytui_plugin_api::{ActivityFlags as F, NONE, TaskState, Verb, info::Class};

pub(crate) const MAX_FIELDS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    U32,
    /// A `U32` that is a key in this space.
    Key(u16),
    U64,
    S64,
    QueueKind,
    /// The remaining bytes.
    Text,
}

impl Ty {
    /// Space of a key, or [`NONE`].
    pub(crate) const fn space(self) -> u16 {
        match self {
            Ty::Key(space) => space,
            Ty::QueueKind => space::QUEUE_KINDS,
            _ => NONE,
        }
    }
}

pub(crate) type Field = spytui_decoder_kit::pattern::Field<Ty>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Group {
    Stream = 0,
    Isr = 1,
    Marker = 2,
    Value = 3,
    Task = 4,
    Queue = 5,
    TaskMarker = 6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventSubject {
    Nothing,
    /// The key in its first field.
    First,
    /// The task running on its core.
    Current,
    /// The task in its second field, or the running one.
    Owner,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    Nothing,
    /// The key in its first field.
    First,
    /// The code of an application record: the key in its first field, with a bit for task-local ones.
    Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Nothing besides kind and object.
    Nothing,
    Core,
    Total,
    Resolution,
    /// Name of the key in the first field.
    Naming,
    IdleOf,
    Timer,
    KindOf,
    Message,
    /// Text of a marker, after its name.
    LocalMessage,
    Number,
    LocalNumber,
    ForTicks,
    UntilTick,
    Priority,
    Fill,
    /// Like `Fill`, after the queue's name.
    QueueFill,
    QueueEmptied,
    Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    Core,
    Dropped,
    Resolution,
    SwitchedIn,
    /// Names the object in its first field.
    Name,
    IdleTask,
    TimerTask,
    QueueKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) id: u8,
    pub(crate) name: &'static str,
    pub(crate) pascal: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) group: Group,
    /// Only sent by FreeRTOS targets.
    pub(crate) rtos: bool,
    /// Whether it begins with a time stamp; metadata does not.
    pub(crate) timed: bool,
    pub(crate) fields: &'static [Field],
    /// Number of required fields; of the optional ones, the last is omitted first.
    pub(crate) required: usize,
    pub(crate) subject: EventSubject,
    pub(crate) second: Second,
    pub(crate) what: What,
    pub(crate) role: Role,
    pub(crate) meaning: Option<ActivityMeaning<u8>>,
    /// The object of its activity is the running task, if known.
    pub(crate) has_task: bool,
}

impl Layout {
    /// Whether it is an application record: a marker with text or value.
    pub(crate) fn is_application(&self) -> bool {
        matches!(self.second, Second::Code)
    }

    /// Whether it is a marker of the running task.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.group, Group::TaskMarker)
    }

    #[inline]
    pub(crate) fn first_space(&self) -> u16 {
        self.fields.first().map_or(NONE, |f| f.ty.space())
    }

    pub(crate) fn subject_space(&self) -> u16 {
        match self.subject {
            EventSubject::Nothing => NONE,
            EventSubject::First => self.first_space(),
            EventSubject::Current | EventSubject::Owner => space::TASKS,
        }
    }

    /// Makes it metadata, without a time stamp.
    const fn meta(self) -> Layout {
        Layout { timed: false, role: Role::Name, ..self }
    }

    const fn role(self, role: Role) -> Layout {
        Layout { role, ..self }
    }

    const fn does(self, meaning: Meaning) -> Layout {
        Layout { meaning: Some(meaning.resolve_all(self.fields)), ..self }
    }

    /// Makes the running task the object of its activity, if known.
    const fn with_task(self) -> Layout {
        Layout { has_task: true, ..self }
    }

    /// Sets an object other than the key in its first field.
    const fn about(self, subject: EventSubject) -> Layout {
        Layout { subject, ..self }
    }

    /// Makes the running task the object, and the key in the first field the item.
    const fn current(self) -> Layout {
        Layout { subject: EventSubject::Current, second: Second::First, ..self }
    }

    /// Makes it name something that belongs to a task.
    const fn of_task(self) -> Layout {
        Layout { subject: EventSubject::Owner, second: Second::First, ..self.meta() }
    }

    const fn app(self) -> Layout {
        let subject =
            if self.group as u8 == Group::TaskMarker as u8 { EventSubject::Current } else { EventSubject::First };
        Layout { subject, second: Second::Code, ..self }
    }
}

const NO_EVENT: u8 = 0xFF;

/// Index of each id in the table.
const INDEX: [u8; 256] = {
    let mut index = [NO_EVENT; 256];
    let mut i = 0;
    while i < TABLE.len() {
        index[TABLE[i].id as usize] = i as u8;
        i += 1;
    }
    index
};

#[inline]
pub(crate) fn layout(id: u8) -> Option<&'static Layout> {
    // The array has an element for each id.
    TABLE.get(usize::from(INDEX[usize::from(id)]))
}

/// Keys of space `REASONS`.
pub(crate) mod reason {
    pub(crate) const DELAY: u64 = 1;
    pub(crate) const UNTIL: u64 = 2;
    pub(crate) const RECEIVE: u64 = 3;
    pub(crate) const SEND: u64 = 4;
    pub(crate) const PEEK: u64 = 5;
}

/// Names of the reasons, from key 1.
pub(crate) const REASONS: [&str; 5] = ["delay", "delay until", "receive", "send", "peek"];

const fn key(name: &'static str, space: u16) -> Field {
    f(name, Ty::Key(space))
}

const CORE: Field = f("core_id", Ty::U32);
const ISR: Field = key("isr_id", space::ISRS);
const MARKER: Field = key("evtmarker_id", space::MARKERS);
const VALUE: Field = key("valmarker_id", space::VALUES);
const TASK: Field = key("task_id", space::TASKS);
const QUEUE: Field = key("queue_id", space::QUEUES);
const TASK_MARKER: Field = key("evtmarker_id", space::TASK_MARKERS);
const TASK_VALUE: Field = key("valmarker_id", space::TASK_VALUES);
const NAME: Field = f("name", Ty::Text);
const MSG: Field = f("msg", Ty::Text);
const VAL: Field = f("val", Ty::S64);
const KIND: Field = f("kind", Ty::QueueKind);
const PRIORITY: &[Field] = &[TASK, f("priority", Ty::U32)];
const LEN_AFTER: &[Field] = &[QUEUE, f("len_after", Ty::U32)];
const TICKS_TO_WAIT: &[Field] = &[QUEUE, f("ticks_to_wait", Ty::U32)];

/// First id of events only sent by FreeRTOS targets.
const FREE_RTOS: u8 = 0x54;

/// An event with a time stamp whose object is the key in its first field.
const fn e(
    id: u8,
    (name, pascal): (&'static str, &'static str),
    (group, tag): (Group, &'static str),
    fields: &'static [Field],
    what: What,
) -> Layout {
    Layout {
        id,
        name,
        pascal,
        tag,
        group,
        rtos: id >= FREE_RTOS,
        timed: true,
        fields,
        required: fields.len(),
        subject: EventSubject::First,
        second: Second::Nothing,
        what,
        role: Role::Plain,
        meaning: None,
        has_task: false,
    }
}

type Meaning = ActivityMeaning<&'static str>;

const fn of(subject: Field, verb: Verb) -> Meaning {
    Meaning::new(verb).sub(subject.ty.space(), subject.name)
}

/// A task enters a state.
const fn becomes(state: TaskState) -> Meaning {
    of(TASK, Verb::STATE).fixed_val(state.0)
}

/// The running task will be blocked when it is switched out.
const fn blocks(reason: u64) -> Meaning {
    let blocked = Meaning::new(Verb::STATE).fixed_val(TaskState::BLOCKED.0).with(F::CURRENT).with(F::WHEN_OUT);
    blocked.fixed_item(space::REASONS, reason)
}

const fn blocks_on_queue(reason: u64) -> Meaning {
    blocks(reason).obj(space::QUEUES, "queue_id").second("ticks_to_wait")
}

const fn queue(verb: Verb) -> Meaning {
    Meaning::new(verb).obj(space::QUEUES, "queue_id")
}

const PRIO: Meaning = of(TASK, Verb::PRIO).val("priority");
const LEVEL_FROM_ISR: Meaning = queue(Verb::LEVEL).val("len_after");
const LEVEL: Meaning = LEVEL_FROM_ISR.with(F::CURRENT);

use Group::{Isr as I, Marker as M, Queue as Q, Stream as S, Task as T, TaskMarker as L, Value as V};

#[rustfmt::skip]
pub(crate) static TABLE: [Layout; 47] = [
    e(0x00, ("core_id", "CoreId"), (S, "core"), &[CORE], What::Core).role(Role::Core).about(EventSubject::Nothing),
    e(0x01, ("dropped_evt_cnt", "DroppedEvtCnt"), (S, "dropped"), &[f("cnt", Ty::U32)], What::Total)
        .role(Role::Dropped).about(EventSubject::Nothing),
    e(0x02, ("ts_resolution_ns", "TsResolutionNs"), (S, "res"), &[f("ns_per_ts", Ty::U64)], What::Resolution)
        .meta().role(Role::Resolution).about(EventSubject::Nothing),
    e(0x03, ("isr_name", "IsrName"), (I, "name"), &[ISR, NAME], What::Naming).meta(),
    e(0x04, ("isr_enter", "IsrEnter"), (I, "enter"), &[ISR], What::Nothing).does(of(ISR, Verb::ISR_IN)),
    e(0x05, ("isr_exit", "IsrExit"), (I, "exit"), &[ISR], What::Nothing).does(of(ISR, Verb::ISR_OUT)),
    e(0x06, ("evtmarker_name", "EvtmarkerName"), (M, "name"), &[MARKER, NAME], What::Naming).meta(),
    e(0x07, ("evtmarker", "Evtmarker"), (M, "instant"), &[MARKER, MSG], What::Message)
        .app().does(of(MARKER, Verb::INSTANT)),
    e(0x08, ("evtmarker_begin", "EvtmarkerBegin"), (M, "begin"), &[MARKER, MSG], What::Message)
        .app().does(of(MARKER, Verb::BEGIN)),
    e(0x09, ("evtmarker_end", "EvtmarkerEnd"), (M, "end"), &[MARKER], What::Nothing).app().does(of(MARKER, Verb::END)),
    e(0x0A, ("valmarker_name", "ValmarkerName"), (V, "name"), &[VALUE, NAME], What::Naming).meta(),
    e(0x0B, ("valmarker", "Valmarker"), (V, "value"), &[VALUE, VAL], What::Number)
        .app().does(of(VALUE, Verb::VALUE).val("val").with(F::SIGNED)),
    e(0x54, ("task_switched_in", "TaskSwitchedIn"), (T, "run"), &[TASK], What::Nothing)
        .role(Role::SwitchedIn).does(of(TASK, Verb::RUN)),
    e(0x55, ("task_to_rdy_state", "TaskToRdyState"), (T, "ready"), &[TASK], What::Nothing)
        .does(becomes(TaskState::READY).with(F::UNLESS_RUNNING)),
    e(0x56, ("task_resumed", "TaskResumed"), (T, "resume"), &[TASK], What::Nothing)
        .does(becomes(TaskState::READY)),
    e(0x57, ("task_resumed_from_isr", "TaskResumedFromIsr"), (T, "resumISR"), &[TASK], What::Nothing)
        .does(becomes(TaskState::READY)),
    e(0x58, ("task_suspended", "TaskSuspended"), (T, "suspend"), &[TASK], What::Nothing)
        .does(becomes(TaskState::SUSPENDED).with(F::WHEN_OUT)).with_task(),
    e(0x59, ("curtask_delay", "CurtaskDelay"), (T, "delay"), &[f("ticks", Ty::U32)], What::ForTicks)
        .about(EventSubject::Current).does(blocks(reason::DELAY).second("ticks")),
    e(0x5A, ("curtask_delay_until", "CurtaskDelayUntil"), (T, "until"), &[f("time_to_wake", Ty::U32)], What::UntilTick)
        .about(EventSubject::Current).does(blocks(reason::UNTIL).second("time_to_wake")),
    e(0x5B, ("task_priority_set", "TaskPrioritySet"), (T, "prio"), PRIORITY, What::Priority).does(PRIO),
    e(0x5C, ("task_priority_inherit", "TaskPriorityInherit"), (T, "inherit"), PRIORITY, What::Priority)
        .does(PRIO.with(F::FOR_NOW)),
    e(0x5D, ("task_priority_disinherit", "TaskPriorityDisinherit"), (T, "disinhrt"), PRIORITY, What::Priority)
        .does(PRIO),
    e(0x5E, ("task_created", "TaskCreated"), (T, "create"), &[TASK], What::Nothing).does(of(TASK, Verb::CREATE)),
    e(0x5F, ("task_name", "TaskName"), (T, "name"), &[TASK, NAME], What::Naming).meta(),
    e(0x60, ("task_is_idle_task", "TaskIsIdleTask"), (T, "idle"), &[TASK, CORE], What::IdleOf)
        .meta().role(Role::IdleTask),
    e(0x61, ("task_is_timer_task", "TaskIsTimerTask"), (T, "timer"), &[TASK], What::Timer).meta().role(Role::TimerTask),
    e(0x62, ("task_deleted", "TaskDeleted"), (T, "delete"), &[TASK], What::Nothing)
        .does(of(TASK, Verb::DELETE).with(F::WHEN_OUT)).with_task(),
    e(0x63, ("queue_created", "QueueCreated"), (Q, "create"), &[QUEUE], What::Nothing).does(queue(Verb::CREATE)),
    e(0x64, ("queue_name", "QueueName"), (Q, "name"), &[QUEUE, NAME], What::Naming).meta(),
    e(0x65, ("queue_kind", "QueueKind"), (Q, "kind"), &[QUEUE, KIND], What::KindOf).meta().role(Role::QueueKind),
    e(0x66, ("queue_send", "QueueSend"), (Q, "send"), LEN_AFTER, What::QueueFill).current().does(LEVEL),
    e(0x67, ("queue_send_from_isr", "QueueSendFromIsr"), (Q, "sendISR"), LEN_AFTER, What::Fill).does(LEVEL_FROM_ISR),
    e(0x68, ("queue_overwrite", "QueueOverwrite"), (Q, "overwr"), LEN_AFTER, What::QueueFill).current().does(LEVEL),
    e(0x69, ("queue_overwrite_from_isr", "QueueOverwriteFromIsr"), (Q, "overwISR"), LEN_AFTER, What::Fill)
        .does(LEVEL_FROM_ISR),
    e(0x6A, ("queue_receive", "QueueReceive"), (Q, "recv"), LEN_AFTER, What::QueueFill).current().does(LEVEL),
    e(0x6B, ("queue_receive_from_isr", "QueueReceiveFromIsr"), (Q, "recvISR"), LEN_AFTER, What::Fill)
        .does(LEVEL_FROM_ISR),
    e(0x6C, ("queue_reset", "QueueReset"), (Q, "reset"), &[QUEUE], What::QueueEmptied)
        .current().does(queue(Verb::CLEARED).with(F::CURRENT)),
    e(0x6D, ("curtask_block_on_queue_peek", "CurtaskBlockOnQueuePeek"), (T, "blkPeek"), TICKS_TO_WAIT, What::Wait)
        .current().does(blocks_on_queue(reason::PEEK)),
    e(0x6E, ("curtask_block_on_queue_send", "CurtaskBlockOnQueueSend"), (T, "blkSend"), TICKS_TO_WAIT, What::Wait)
        .current().does(blocks_on_queue(reason::SEND)),
    e(0x6F, ("curtask_block_on_queue_receive", "CurtaskBlockOnQueueReceive"), (T, "blkRecv"), TICKS_TO_WAIT, What::Wait)
        .current().does(blocks_on_queue(reason::RECEIVE)),
    e(0x70, ("queue_cur_length", "QueueCurLength"), (Q, "length"), &[QUEUE, f("length", Ty::U32)], What::Fill)
        .does(queue(Verb::LEVEL).val("length").with(F::CURRENT)),
    e(0x7A, ("task_evtmarker_name", "TaskEvtmarkerName"), (L, "name"), &[TASK_MARKER, TASK, NAME], What::Naming)
        .of_task(),
    e(0x7B, ("task_evtmarker", "TaskEvtmarker"), (L, "instant"), &[TASK_MARKER, MSG], What::LocalMessage)
        .app().does(of(TASK_MARKER, Verb::INSTANT)).with_task(),
    e(0x7C, ("task_evtmarker_begin", "TaskEvtmarkerBegin"), (L, "begin"), &[TASK_MARKER, MSG], What::LocalMessage)
        .app().does(of(TASK_MARKER, Verb::BEGIN)).with_task(),
    e(0x7D, ("task_evtmarker_end", "TaskEvtmarkerEnd"), (L, "end"), &[TASK_MARKER], What::LocalMessage)
        .app().does(of(TASK_MARKER, Verb::END)).with_task(),
    e(0x7E, ("task_valmarker_name", "TaskValmarkerName"), (L, "name"), &[TASK_VALUE, TASK, NAME], What::Naming)
        .of_task(),
    e(0x7F, ("task_valmarker", "TaskValmarker"), (L, "value"), &[TASK_VALUE, VAL], What::LocalNumber)
        .app().does(of(TASK_VALUE, Verb::VALUE).val("val").with(F::SIGNED)).with_task(),
];

#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueKind {
    pub(crate) name: &'static str,
    /// Class of such queues: mutexes are locks.
    pub(crate) class: Class,
}

const fn kind(name: &'static str, class: Class) -> QueueKind {
    QueueKind { name, class }
}

pub(crate) const QUEUE_KINDS: [QueueKind; 6] = [
    kind("Queue", Class::QUEUE),
    kind("Counting Semaphore", Class::QUEUE),
    kind("Binary Semaphore", Class::QUEUE),
    kind("Mutex", Class::LOCK),
    kind("Recursive Mutex", Class::LOCK),
    kind("Queue Set", Class::QUEUE),
];

pub(crate) fn queue_kind(number: u64) -> Option<&'static QueueKind> {
    usize::try_from(number).ok().and_then(|number| QUEUE_KINDS.get(number))
}

pub(crate) mod space {
    use spytui_plugin_api::info::space::OWN;

    /// Interrupts, scoped by core.
    pub(crate) const ISRS: u16 = OWN;
    pub(crate) const MARKERS: u16 = OWN + 1;
    pub(crate) const VALUES: u16 = OWN + 2;
    pub(crate) const TASKS: u16 = OWN + 3;
    pub(crate) const QUEUES: u16 = OWN + 4;
    /// Markers and values of a task, scoped by task.
    pub(crate) const TASK_MARKERS: u16 = OWN + 5;
    pub(crate) const TASK_VALUES: u16 = OWN + 6;
    pub(crate) const REASONS: u16 = OWN + 7;
    pub(crate) const QUEUE_KINDS: u16 = OWN + 8;
}

pub(crate) mod private_flag {
    use spytui_plugin_api::RowFlags;

    /// The first frame of a stream or link, which may be incomplete.
    pub(crate) const FIRST: RowFlags = RowFlags::own(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_event_once() {
        assert_eq!(TABLE.len(), 47);
        assert!(TABLE.windows(2).all(|pair| pair[0].id < pair[1].id));
        let group = |range: std::ops::RangeInclusive<u8>, rtos: bool| {
            range.filter(|id| layout(*id).is_some_and(|l| l.rtos == rtos)).count()
        };
        assert_eq!((group(0..=0x0B, false), group(0x54..=0x70, true), group(0x7A..=0x7F, true)), (12, 29, 6));
        assert!([0x0C, 0x53, 0x71, 0x79, 0x80, 0xFF].iter().all(|id| layout(*id).is_none()));
    }

    #[test]
    fn names_and_texts_agree_with_each_other() {
        for layout in &TABLE {
            let pascal: String = layout.name.split('_').map(|w| w[..1].to_uppercase() + &w[1..]).collect();
            assert_eq!(pascal, layout.pascal);
            assert!(layout.fields.len() <= MAX_FIELDS && layout.required == layout.fields.len());
            let texts = layout.fields.iter().filter(|f| f.ty == Ty::Text).count();
            let last = layout.fields.last().is_some_and(|f| f.ty == Ty::Text);
            assert_eq!(texts, usize::from(last), "{}", layout.name);
            assert!(layout.tag.len() <= 8, "{}", layout.tag);
        }
    }

    #[test]
    fn metadata_has_no_stamp() {
        let metadata: Vec<u8> = TABLE.iter().filter(|l| !l.timed).map(|l| l.id).collect();
        assert_eq!(metadata, [0x02, 0x03, 0x06, 0x0A, 0x5F, 0x60, 0x61, 0x64, 0x65, 0x7A, 0x7E]);
    }
}
