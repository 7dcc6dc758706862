//! The table of events: ids, names, tags, groups, fields, texts, activities.

use spytui_plugin_api::{ActivityFlags as F, NONE, TaskState, Verb};

use super::{Field, Group, Layout, Meaning, Operand, Role, Second, Subject, Ty, What, reason, space};

const fn key(name: &'static str, space: u16) -> Field {
    Field { name, ty: Ty::U32, space }
}

const fn f(name: &'static str, ty: Ty) -> Field {
    Field { name, ty, space: NONE }
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
const KIND: Field = Field { name: "kind", ty: Ty::QueueKind, space: space::QUEUE_KINDS };
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
        subject: Subject::First,
        second: Second::Nothing,
        what,
        role: Role::Plain,
        meaning: None,
    }
}

impl Layout {
    /// Metadata: no time stamp.
    const fn meta(self) -> Layout {
        Layout { timed: false, role: Role::Name, ..self }
    }

    const fn role(self, role: Role) -> Layout {
        Layout { role, ..self }
    }

    /// Sets the activity.
    const fn does(self, meaning: Meaning) -> Layout {
        Layout { meaning: Some(meaning), ..self }
    }

    /// Sets another object than the key in its first field.
    const fn about(self, subject: Subject) -> Layout {
        Layout { subject, ..self }
    }

    /// The object is the running task, the item is the key in the first field.
    const fn current(self) -> Layout {
        Layout { subject: Subject::Current, second: Second::First, ..self }
    }

    /// Names something of a task.
    const fn of_task(self) -> Layout {
        Layout { subject: Subject::Owner, second: Second::First, ..self.meta() }
    }

    /// An application record.
    const fn app(self) -> Layout {
        let subject = if self.group as u8 == Group::TaskMarker as u8 { Subject::Current } else { Subject::First };
        Layout { subject, second: Second::Code, ..self }
    }
}

const PRIO: Meaning = Meaning::of(Verb::PRIO).val();
const LEVEL: Meaning = Meaning::to(Verb::LEVEL).val().by_current();
const LEVEL_FROM_ISR: Meaning = Meaning::to(Verb::LEVEL).val();

use Group::{Isr as I, Marker as M, Queue as Q, Stream as S, Task as T, TaskMarker as L, Value as V};

#[rustfmt::skip]
pub(crate) static TABLE: [Layout; 47] = [
    e(0x00, ("core_id", "CoreId"), (S, "core"), &[CORE], What::Core).role(Role::Core).about(Subject::Nothing),
    e(0x01, ("dropped_evt_cnt", "DroppedEvtCnt"), (S, "dropped"), &[f("cnt", Ty::U32)], What::Total)
        .role(Role::Dropped).about(Subject::Nothing),
    e(0x02, ("ts_resolution_ns", "TsResolutionNs"), (S, "res"), &[f("ns_per_ts", Ty::U64)], What::Resolution)
        .meta().role(Role::Resolution).about(Subject::Nothing),
    e(0x03, ("isr_name", "IsrName"), (I, "name"), &[ISR, NAME], What::Naming).meta(),
    e(0x04, ("isr_enter", "IsrEnter"), (I, "enter"), &[ISR], What::Nothing).does(Meaning::of(Verb::ISR_IN)),
    e(0x05, ("isr_exit", "IsrExit"), (I, "exit"), &[ISR], What::Nothing).does(Meaning::of(Verb::ISR_OUT)),
    e(0x06, ("evtmarker_name", "EvtmarkerName"), (M, "name"), &[MARKER, NAME], What::Naming).meta(),
    e(0x07, ("evtmarker", "Evtmarker"), (M, "instant"), &[MARKER, MSG], What::Message)
        .app().does(Meaning::of(Verb::INSTANT)),
    e(0x08, ("evtmarker_begin", "EvtmarkerBegin"), (M, "begin"), &[MARKER, MSG], What::Message)
        .app().does(Meaning::of(Verb::BEGIN)),
    e(0x09, ("evtmarker_end", "EvtmarkerEnd"), (M, "end"), &[MARKER], What::Nothing).app().does(Meaning::of(Verb::END)),
    e(0x0A, ("valmarker_name", "ValmarkerName"), (V, "name"), &[VALUE, NAME], What::Naming).meta(),
    e(0x0B, ("valmarker", "Valmarker"), (V, "value"), &[VALUE, VAL], What::Number)
        .app().does(Meaning::of(Verb::VALUE).signed()),
    e(0x54, ("task_switched_in", "TaskSwitchedIn"), (T, "run"), &[TASK], What::Nothing)
        .role(Role::SwitchedIn).does(Meaning::of(Verb::RUN)),
    e(0x55, ("task_to_rdy_state", "TaskToRdyState"), (T, "ready"), &[TASK], What::Nothing)
        .does(Meaning::becomes(TaskState::READY).with(F::UNLESS_RUNNING)),
    e(0x56, ("task_resumed", "TaskResumed"), (T, "resume"), &[TASK], What::Nothing)
        .does(Meaning::becomes(TaskState::READY)),
    e(0x57, ("task_resumed_from_isr", "TaskResumedFromIsr"), (T, "resumISR"), &[TASK], What::Nothing)
        .does(Meaning::becomes(TaskState::READY)),
    e(0x58, ("task_suspended", "TaskSuspended"), (T, "suspend"), &[TASK], What::Nothing)
        .does(Meaning::becomes(TaskState::SUSPENDED).of_task().with(F::WHEN_OUT)),
    e(0x59, ("curtask_delay", "CurtaskDelay"), (T, "delay"), &[f("ticks", Ty::U32)], What::ForTicks)
        .about(Subject::Current).does(Meaning::blocks(reason::DELAY, Operand::Second, Operand::Nothing)),
    e(0x5A, ("curtask_delay_until", "CurtaskDelayUntil"), (T, "until"), &[f("time_to_wake", Ty::U32)], What::UntilTick)
        .about(Subject::Current).does(Meaning::blocks(reason::UNTIL, Operand::Second, Operand::Nothing)),
    e(0x5B, ("task_priority_set", "TaskPrioritySet"), (T, "prio"), PRIORITY, What::Priority).does(PRIO),
    e(0x5C, ("task_priority_inherit", "TaskPriorityInherit"), (T, "inherit"), PRIORITY, What::Priority)
        .does(PRIO.with(F::FOR_NOW)),
    e(0x5D, ("task_priority_disinherit", "TaskPriorityDisinherit"), (T, "disinhrt"), PRIORITY, What::Priority)
        .does(PRIO),
    e(0x5E, ("task_created", "TaskCreated"), (T, "create"), &[TASK], What::Nothing).does(Meaning::of(Verb::CREATE)),
    e(0x5F, ("task_name", "TaskName"), (T, "name"), &[TASK, NAME], What::Naming).meta(),
    e(0x60, ("task_is_idle_task", "TaskIsIdleTask"), (T, "idle"), &[TASK, CORE], What::IdleOf)
        .meta().role(Role::IdleTask),
    e(0x61, ("task_is_timer_task", "TaskIsTimerTask"), (T, "timer"), &[TASK], What::Timer).meta().role(Role::TimerTask),
    e(0x62, ("task_deleted", "TaskDeleted"), (T, "delete"), &[TASK], What::Nothing)
        .does(Meaning::of(Verb::DELETE).of_task().with(F::WHEN_OUT)),
    e(0x63, ("queue_created", "QueueCreated"), (Q, "create"), &[QUEUE], What::Nothing).does(Meaning::to(Verb::CREATE)),
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
        .current().does(Meaning::to(Verb::CLEARED).by_current()),
    e(0x6D, ("curtask_block_on_queue_peek", "CurtaskBlockOnQueuePeek"), (T, "blkPeek"), TICKS_TO_WAIT, What::Wait)
        .current().does(Meaning::blocks(reason::PEEK, Operand::Obj, Operand::Second)),
    e(0x6E, ("curtask_block_on_queue_send", "CurtaskBlockOnQueueSend"), (T, "blkSend"), TICKS_TO_WAIT, What::Wait)
        .current().does(Meaning::blocks(reason::SEND, Operand::Obj, Operand::Second)),
    e(0x6F, ("curtask_block_on_queue_receive", "CurtaskBlockOnQueueReceive"), (T, "blkRecv"), TICKS_TO_WAIT, What::Wait)
        .current().does(Meaning::blocks(reason::RECEIVE, Operand::Obj, Operand::Second)),
    e(0x70, ("queue_cur_length", "QueueCurLength"), (Q, "length"), &[QUEUE, f("length", Ty::U32)], What::Fill)
        .does(LEVEL),
    e(0x7A, ("task_evtmarker_name", "TaskEvtmarkerName"), (L, "name"), &[TASK_MARKER, TASK, NAME], What::Naming)
        .of_task(),
    e(0x7B, ("task_evtmarker", "TaskEvtmarker"), (L, "instant"), &[TASK_MARKER, MSG], What::LocalMessage)
        .app().does(Meaning::of(Verb::INSTANT).of_task()),
    e(0x7C, ("task_evtmarker_begin", "TaskEvtmarkerBegin"), (L, "begin"), &[TASK_MARKER, MSG], What::LocalMessage)
        .app().does(Meaning::of(Verb::BEGIN).of_task()),
    e(0x7D, ("task_evtmarker_end", "TaskEvtmarkerEnd"), (L, "end"), &[TASK_MARKER], What::LocalMessage)
        .app().does(Meaning::of(Verb::END).of_task()),
    e(0x7E, ("task_valmarker_name", "TaskValmarkerName"), (L, "name"), &[TASK_VALUE, TASK, NAME], What::Naming)
        .of_task(),
    e(0x7F, ("task_valmarker", "TaskValmarker"), (L, "value"), &[TASK_VALUE, VAL], What::LocalNumber)
        .app().does(Meaning::of(Verb::VALUE).signed().of_task()),
];
