//! Dictionary: names from metadata events.

use spytui_plugin_api::{
    Output,
    batch::{AttrId, DictEvent, DictOp},
    info::Class,
};

use crate::{
    layout::{QUEUE_KINDS, REASONS, Role, queue_kind, space},
    record::Record,
};

/// The task number for "no task".
const NOBODY: u64 = 0;

pub(crate) fn built_in(out: &mut Output<'_>) {
    for (key, name) in (1..).zip(REASONS) {
        out.built_in_name(space::REASONS, key, 0, name.as_bytes());
    }
    for (key, kind) in (0..).zip(QUEUE_KINDS) {
        out.built_in_name(space::QUEUE_KINDS, key, 0, kind.name.as_bytes());
    }
}

/// Reports the names in a metadata event. `core` = current core, `task` = task running on it.
pub(crate) fn from_record(record: &Record<'_>, core: u16, task: Option<u64>, out: &mut Output<'_>) {
    let [key, second] = record.numbers;
    match record.layout.role {
        Role::IdleTask => attribute(space::TASKS, key, AttrId::IDLE, 1, b"", out),
        Role::TimerTask => attribute(space::TASKS, key, AttrId::KIND, Class::TASK.0.into(), b"Timer Service", out),
        Role::QueueKind => {
            let kind = queue_kind(second).unwrap_or(&QUEUE_KINDS[0]);
            attribute(space::QUEUES, key, AttrId::KIND, kind.class.0.into(), kind.name.as_bytes(), out);
        }
        Role::Name => match record.layout.first_space() {
            space::ISRS => out.name(space::ISRS, key, core.into(), record.text),
            space @ (space::TASK_MARKERS | space::TASK_VALUES) => {
                local(space, key, owner(record, task), record.text, out);
            }
            space => out.name(space, key, 0, record.text),
        },
        Role::Plain | Role::Core | Role::Dropped | Role::Resolution | Role::SwitchedIn => {}
    }
}

/// The task that a task-local name belongs to. Targets always send "no task"; then it is the running task, if known.
pub(crate) fn owner(record: &Record<'_>, task: Option<u64>) -> Option<u64> {
    Some(record.numbers[1]).filter(|named| *named != NOBODY).or(task)
}

fn local(space: u16, key: u64, owner: Option<u64>, name: &[u8], out: &mut Output<'_>) {
    out.name(space, key, owner.unwrap_or(NOBODY), name);
    if let Some(task) = owner {
        let event =
            DictEvent { op: DictOp::SET, attr: AttrId::PARENT, space, key, scope: task, ..DictEvent::default() };
        out.dict(DictEvent { val: task, val_space: space::TASKS, ..event }, b"");
    }
}

fn attribute(space: u16, key: u64, attr: AttrId, val: u64, text: &[u8], out: &mut Output<'_>) {
    out.dict(DictEvent { op: DictOp::SET, attr, space, key, val, ..DictEvent::default() }, text);
}
