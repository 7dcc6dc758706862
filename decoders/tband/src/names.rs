//! The dictionary: its spaces, and what metadata says.

use spytui_plugin_api::{
    Output,
    batch::{DictEvent, attr, dict_op},
    info::Class,
};

use crate::{event::Event, layout::id};

/// Spaces of keys.
pub(crate) mod space {
    use spytui_plugin_api::info::space::OWN;

    /// Interrupts, of each core for itself.
    pub(crate) const ISRS: u16 = OWN;
    pub(crate) const MARKERS: u16 = OWN + 1;
    pub(crate) const VALUES: u16 = OWN + 2;
    pub(crate) const TASKS: u16 = OWN + 3;
    pub(crate) const QUEUES: u16 = OWN + 4;
    /// Markers and values of a task, of each task for itself.
    pub(crate) const TASK_MARKERS: u16 = OWN + 5;
    pub(crate) const TASK_VALUES: u16 = OWN + 6;
    /// What a task waits for.
    pub(crate) const REASONS: u16 = OWN + 7;
    pub(crate) const QUEUE_KINDS: u16 = OWN + 8;
}

/// Kinds of queues by their number: as people call them, and as the reference tool writes them.
pub(crate) const QUEUE_KINDS: [(&str, &str); 6] = [
    ("Queue", "FrqkQueue"),
    ("Counting Semaphore", "FrqkCountingSemphr"),
    ("Binary Semaphore", "FrqkBinarySemphr"),
    ("Mutex", "FrqkMutex"),
    ("Recursive Mutex", "FrqkRecursiveMutex"),
    ("Queue Set", "FrqkQueueSet"),
];

/// What a task waits for, from 1.
pub(crate) const REASONS: [&str; 5] = ["delay", "delay until", "receive", "send", "peek"];
/// The task number that stands for nobody.
const NOBODY: u64 = 0;

/// Names that no target sends.
pub(crate) fn built_in(out: &mut Output<'_>) {
    for (key, name) in (1..).zip(REASONS) {
        out.name(space::REASONS, key, 0, name.as_bytes());
    }
    for (key, (name, _)) in (0..).zip(QUEUE_KINDS) {
        out.name(space::QUEUE_KINDS, key, 0, name.as_bytes());
    }
}

/// Tells what an event of metadata says. `core` = core in force, `task` = what runs on it.
pub(crate) fn from_event(event: &Event<'_>, core: u16, task: Option<u64>, out: &mut Output<'_>) {
    let [key, second] = event.numbers;
    let named = event.layout.fields.first().map_or(0, |f| f.space);
    match (event.layout.id, named) {
        (id::TASK_IDLE, _) => attribute(space::TASKS, key, attr::IDLE, 1, b"", out),
        (id::TASK_TIMER, _) => attribute(space::TASKS, key, attr::KIND, Class::TASK.0.into(), b"Timer Service", out),
        (id::QUEUE_KIND, _) => {
            let (name, _) = usize::try_from(second).ok().and_then(|k| QUEUE_KINDS.get(k)).unwrap_or(&QUEUE_KINDS[0]);
            attribute(space::QUEUES, key, attr::KIND, queue_class(second).0.into(), name.as_bytes(), out);
        }
        (_, space::ISRS) => out.name(space::ISRS, key, core.into(), event.text),
        (_, space::TASK_MARKERS | space::TASK_VALUES) => local(named, key, owner(event, task), event.text, out),
        _ => out.name(named, key, 0, event.text),
    }
}

/// Whom a task-local name belongs to. Targets always say "nobody": then it is the task that runs where the name
/// stands in the stream, if one is known.
pub(crate) fn owner(event: &Event<'_>, task: Option<u64>) -> Option<u64> {
    Some(event.numbers[1]).filter(|said| *said != NOBODY).or(task)
}

fn local(space: u16, key: u64, owner: Option<u64>, name: &[u8], out: &mut Output<'_>) {
    out.name(space, key, owner.unwrap_or(NOBODY), name);
    if let Some(task) = owner {
        let event = DictEvent { op: dict_op::SET, attr: attr::PARENT, space, key, scope: task, ..DictEvent::default() };
        out.dict(DictEvent { val: task, val_space: space::TASKS, ..event }, b"");
    }
}

fn attribute(space: u16, key: u64, attr: u8, val: u64, text: &[u8], out: &mut Output<'_>) {
    out.dict(DictEvent { op: dict_op::SET, attr, space, key, val, ..DictEvent::default() }, text);
}

/// What an entity of a kind of queue is: what is taken and given back is a lock.
pub(crate) fn queue_class(kind: u64) -> Class {
    if matches!(kind, 3 | 4) { Class::LOCK } else { Class::QUEUE }
}
