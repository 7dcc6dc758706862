//! The resolution of time stamps: from an option, then from the target.

use spytui_plugin_api::batch::ClockEvent;

use crate::config::clock_of;

/// Nanoseconds per tick.
#[derive(Clone, Debug)]
pub(crate) struct Resolution {
    /// 0 = unknown.
    pub(super) ns: u64,
    /// Given by an option, or by the target in this epoch.
    pub(super) given: bool,
}

impl Resolution {
    /// As given by an option; 0 = none.
    pub(crate) fn new(ns: u64) -> Resolution {
        Resolution { ns, given: ns != 0 }
    }

    pub(crate) fn clock(&self) -> ClockEvent {
        clock_of(self.ns)
    }
}
