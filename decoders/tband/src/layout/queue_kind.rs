//! Kinds of queues.

use spytui_plugin_api::info::Class;

#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueKind {
    pub(crate) name: &'static str,
    /// Class of its queues: mutexes are locks.
    pub(crate) class: Class,
}

const fn kind(name: &'static str, class: Class) -> QueueKind {
    QueueKind { name, class }
}

/// Kinds of queues by number.
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
