//! The decoder's own counters.

use spytui_plugin_api::{CounterId, Output};

use crate::layout::counter;

/// Number of counters.
const COUNTERS: usize = (counter::OVERRUN_BYTES.0 - counter::BUFFERS.0) as usize + 1;

/// The decoder's own counters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// `None` = the stream can't say.
    values: [Option<u64>; COUNTERS],
    changed: bool,
}

impl Counts {
    /// The stream reports these, from 0 on.
    pub(super) fn begin(&mut self, ids: &[CounterId]) {
        ids.iter().for_each(|&id| self.add(id, 0));
    }

    pub(super) fn add(&mut self, id: CounterId, more: u64) {
        if let Some(value) = self.values.get_mut(usize::from(id.0 - counter::BUFFERS.0)) {
            *value = Some(value.unwrap_or(0) + more);
            self.changed = true;
        }
    }

    /// Reports the counters to the host, if one changed.
    pub(super) fn report(&mut self, out: &mut Output<'_>) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        for (id, value) in (counter::BUFFERS.0..).map(CounterId).zip(self.values) {
            if let Some(value) = value {
                out.count(id, value);
            }
        }
    }
}
