//! Spaces of the dictionary.

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
/// Reasons of waiting.
pub(crate) const REASONS: u16 = OWN + 7;
pub(crate) const QUEUE_KINDS: u16 = OWN + 8;
