//! The decoder's own counters.

use std::collections::BTreeMap;

use spytui_plugin_api::{CounterId, Output};

/// The decoder's own counters, by number; those that a stream can't say are not among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    values: BTreeMap<u16, u64>,
    changed: bool,
}

impl Counts {
    /// The stream reports these, from 0 on.
    pub(super) fn begin(&mut self, ids: &[CounterId]) {
        ids.iter().for_each(|&id| self.add(id, 0));
    }

    pub(super) fn add(&mut self, id: CounterId, more: u64) {
        *self.values.entry(id.0).or_default() += more;
        self.changed = true;
    }

    /// Reports the counters to the host, if one changed.
    pub(super) fn report(&mut self, out: &mut Output<'_>) {
        if std::mem::take(&mut self.changed) {
            self.values.iter().for_each(|(&id, &value)| out.count(CounterId(id), value));
        }
    }
}
