//! When something happens, in losses and switches between threads.

/// When something happens, to know whether a loss lies before something later of the same thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Number of losses before it.
    pub(crate) losses: u32,
    pub(crate) cpu: u8,
    /// Number of switches between threads, and of losses, on this CPU before it.
    pub(crate) switches: u32,
    /// It is known who runs on each CPU.
    pub(crate) all_known: bool,
}

impl Moment {
    /// Whether nothing of a thread can be lost between this and a later moment: nothing is lost at all, or the thread
    /// ran on its CPU all the time.
    pub(crate) fn is_joined_to(self, later: Moment) -> bool {
        (self.all_known && self.losses == later.losses) || (self.cpu, self.switches) == (later.cpu, later.switches)
    }
}
