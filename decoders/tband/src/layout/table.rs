//! The table: ids, names, tags, groups, fields and forms of all events.

use spytui_plugin_api::NONE;

use super::{Field, Group, Json, Layout, Role, Second, Subject, Ty, What};
use crate::names::space;

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

/// An event with a stamp that is about the key in its first field.
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
        rtos: id >= 0x54,
        timed: true,
        fields,
        required: fields.len(),
        subject: Subject::First,
        second: Second::Nothing,
        what,
        role: Role::Plain,
        json: Json::new(id >= 0x54, true, pascal, fields),
    }
}

/// Metadata: without a stamp.
const fn meta(layout: Layout) -> Layout {
    let json = Json::new(layout.rtos, false, layout.pascal, layout.fields);
    Layout { timed: false, role: Role::Naming, json, ..layout }
}

/// Of the stream or of the scheduler rather than of an entity.
const fn stream(layout: Layout) -> Layout {
    Layout { role: Role::Stream, ..layout }
}

const fn about(layout: Layout, subject: Subject) -> Layout {
    Layout { subject, ..layout }
}

/// About the task that runs; the key in the first field comes second.
const fn current(layout: Layout) -> Layout {
    Layout { subject: Subject::Current, second: Second::First, ..layout }
}

/// It names something of a task.
const fn of_task(layout: Layout) -> Layout {
    Layout { subject: Subject::Owner, second: Second::First, ..meta(layout) }
}

/// An application record.
const fn app(layout: Layout) -> Layout {
    let subject = if layout.group as u8 == Group::TaskMarker as u8 { Subject::Current } else { Subject::First };
    Layout { subject, second: Second::Code, ..layout }
}

use Group::{Isr as I, Marker as M, Queue as Q, Stream as S, Task as T, TaskMarker as L, Value as V};

#[rustfmt::skip]
pub(crate) static TABLE: [Layout; 47] = [
    about(stream(e(0x00, ("core_id", "CoreId"), (S, "core"), &[CORE], What::Core)), Subject::Nothing),
    about(stream(e(0x01, ("dropped_evt_cnt", "DroppedEvtCnt"), (S, "dropped"), &[f("cnt", Ty::U32)], What::Total)),
        Subject::Nothing),
    about(stream(meta(e(0x02, ("ts_resolution_ns", "TsResolutionNs"), (S, "res"), &[f("ns_per_ts", Ty::U64)],
        What::Resolution))), Subject::Nothing),
    meta(e(0x03, ("isr_name", "IsrName"), (I, "name"), &[ISR, NAME], What::Naming)),
    e(0x04, ("isr_enter", "IsrEnter"), (I, "enter"), &[ISR], What::Nothing),
    e(0x05, ("isr_exit", "IsrExit"), (I, "exit"), &[ISR], What::Nothing),
    meta(e(0x06, ("evtmarker_name", "EvtmarkerName"), (M, "name"), &[MARKER, NAME], What::Naming)),
    app(e(0x07, ("evtmarker", "Evtmarker"), (M, "instant"), &[MARKER, MSG], What::Message)),
    app(e(0x08, ("evtmarker_begin", "EvtmarkerBegin"), (M, "begin"), &[MARKER, MSG], What::Message)),
    app(e(0x09, ("evtmarker_end", "EvtmarkerEnd"), (M, "end"), &[MARKER], What::Nothing)),
    meta(e(0x0A, ("valmarker_name", "ValmarkerName"), (V, "name"), &[VALUE, NAME], What::Naming)),
    app(e(0x0B, ("valmarker", "Valmarker"), (V, "value"), &[VALUE, VAL], What::Number)),
    stream(e(0x54, ("task_switched_in", "TaskSwitchedIn"), (T, "run"), &[TASK], What::Nothing)),
    e(0x55, ("task_to_rdy_state", "TaskToRdyState"), (T, "ready"), &[TASK], What::Nothing),
    e(0x56, ("task_resumed", "TaskResumed"), (T, "resume"), &[TASK], What::Nothing),
    e(0x57, ("task_resumed_from_isr", "TaskResumedFromIsr"), (T, "resumISR"), &[TASK], What::Nothing),
    e(0x58, ("task_suspended", "TaskSuspended"), (T, "suspend"), &[TASK], What::Nothing),
    about(e(0x59, ("curtask_delay", "CurtaskDelay"), (T, "delay"), &[f("ticks", Ty::U32)], What::ForTicks),
        Subject::Current),
    about(e(0x5A, ("curtask_delay_until", "CurtaskDelayUntil"), (T, "until"), &[f("time_to_wake", Ty::U32)],
        What::UntilTick), Subject::Current),
    e(0x5B, ("task_priority_set", "TaskPrioritySet"), (T, "prio"), PRIORITY, What::Priority),
    e(0x5C, ("task_priority_inherit", "TaskPriorityInherit"), (T, "inherit"), PRIORITY, What::Priority),
    e(0x5D, ("task_priority_disinherit", "TaskPriorityDisinherit"), (T, "disinhrt"), PRIORITY, What::Priority),
    e(0x5E, ("task_created", "TaskCreated"), (T, "create"), &[TASK], What::Nothing),
    meta(e(0x5F, ("task_name", "TaskName"), (T, "name"), &[TASK, NAME], What::Naming)),
    meta(e(0x60, ("task_is_idle_task", "TaskIsIdleTask"), (T, "idle"), &[TASK, CORE], What::IdleOf)),
    meta(e(0x61, ("task_is_timer_task", "TaskIsTimerTask"), (T, "timer"), &[TASK], What::Timer)),
    e(0x62, ("task_deleted", "TaskDeleted"), (T, "delete"), &[TASK], What::Nothing),
    e(0x63, ("queue_created", "QueueCreated"), (Q, "create"), &[QUEUE], What::Nothing),
    meta(e(0x64, ("queue_name", "QueueName"), (Q, "name"), &[QUEUE, NAME], What::Naming)),
    meta(e(0x65, ("queue_kind", "QueueKind"), (Q, "kind"), &[QUEUE, KIND], What::KindOf)),
    current(e(0x66, ("queue_send", "QueueSend"), (Q, "send"), LEN_AFTER, What::QueueFill)),
    e(0x67, ("queue_send_from_isr", "QueueSendFromIsr"), (Q, "sendISR"), LEN_AFTER, What::Fill),
    current(e(0x68, ("queue_overwrite", "QueueOverwrite"), (Q, "overwr"), LEN_AFTER, What::QueueFill)),
    e(0x69, ("queue_overwrite_from_isr", "QueueOverwriteFromIsr"), (Q, "overwISR"), LEN_AFTER, What::Fill),
    current(e(0x6A, ("queue_receive", "QueueReceive"), (Q, "recv"), LEN_AFTER, What::QueueFill)),
    e(0x6B, ("queue_receive_from_isr", "QueueReceiveFromIsr"), (Q, "recvISR"), LEN_AFTER, What::Fill),
    current(e(0x6C, ("queue_reset", "QueueReset"), (Q, "reset"), &[QUEUE], What::QueueEmptied)),
    current(e(0x6D, ("curtask_block_on_queue_peek", "CurtaskBlockOnQueuePeek"), (T, "blkPeek"), TICKS_TO_WAIT,
        What::Wait)),
    current(e(0x6E, ("curtask_block_on_queue_send", "CurtaskBlockOnQueueSend"), (T, "blkSend"), TICKS_TO_WAIT,
        What::Wait)),
    current(e(0x6F, ("curtask_block_on_queue_receive", "CurtaskBlockOnQueueReceive"), (T, "blkRecv"), TICKS_TO_WAIT,
        What::Wait)),
    e(0x70, ("queue_cur_length", "QueueCurLength"), (Q, "length"), &[QUEUE, f("length", Ty::U32)], What::Fill),
    of_task(e(0x7A, ("task_evtmarker_name", "TaskEvtmarkerName"), (L, "name"), &[TASK_MARKER, TASK, NAME],
        What::Naming)),
    app(e(0x7B, ("task_evtmarker", "TaskEvtmarker"), (L, "instant"), &[TASK_MARKER, MSG], What::LocalMessage)),
    app(e(0x7C, ("task_evtmarker_begin", "TaskEvtmarkerBegin"), (L, "begin"), &[TASK_MARKER, MSG],
        What::LocalMessage)),
    app(e(0x7D, ("task_evtmarker_end", "TaskEvtmarkerEnd"), (L, "end"), &[TASK_MARKER], What::LocalMessage)),
    of_task(e(0x7E, ("task_valmarker_name", "TaskValmarkerName"), (L, "name"), &[TASK_VALUE, TASK, NAME],
        What::Naming)),
    app(e(0x7F, ("task_valmarker", "TaskValmarker"), (L, "value"), &[TASK_VALUE, VAL], What::LocalNumber)),
];
