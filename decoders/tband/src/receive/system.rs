//! Whether the target has FreeRTOS: one such event may be damage, several close together are not.

use spytui_plugin_api::{Output, info::prop};

/// So many events ..
const ENOUGH: u8 = 8;
/// .. within so many bytes are certain.
const WITHIN: u64 = 1024;

/// What is known of the target's system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct System {
    seen: bool,
    /// Position of the first event counted.
    since: u64,
    count: u8,
}

impl System {
    /// Whether events of FreeRTOS say nothing new.
    #[inline]
    pub(super) fn is_certain(self) -> bool {
        self.count >= ENOUGH
    }

    /// Takes an event of FreeRTOS.
    pub(super) fn event(&mut self, pos: u64, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.seen, true) {
            out.prop(prop::SYSTEM, 0, b"FreeRTOS");
        }
        if self.count == 0 || pos.saturating_sub(self.since) > WITHIN {
            self.since = pos;
            self.count = 0;
        }
        self.count += 1;
        if self.is_certain() {
            out.prop(prop::CERTAIN, 0, b"1");
        }
    }
}
