//! Spaces of the dictionary.

use spytui_plugin_api::info::space::OWN;

/// Processes by id.
pub(crate) const PROCESSES: u16 = OWN;
/// Threads by process and thread id.
pub(crate) const THREADS: u16 = OWN + 1;
/// Interrupts by number.
pub(crate) const INTERRUPTS: u16 = OWN + 2;
/// User events by number.
pub(crate) const USER_EVENTS: u16 = OWN + 3;

/// Kernel calls by number.
pub(crate) const CALLS: u16 = OWN + 4;

/// Channels by id, of a process.
pub(crate) const CHANNELS: u16 = OWN + 5;

/// The key of a thread.
#[inline]
pub(crate) fn thread(pid: u32, tid: u32) -> u64 {
    u64::from(pid) << 32 | u64::from(tid)
}
