//! What is known of active objects that were switched by address, one by one. Which ids of the local filter they have,
//! the host does not know.

use std::collections::{BTreeMap, VecDeque};

use spytui_plugin_api::FilterState;

/// Switches by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    /// As acknowledged since the last filter of ids, which says it for all objects.
    known: BTreeMap<u64, bool>,
    /// As sent, oldest first, not acknowledged yet.
    sent: VecDeque<(u64, bool)>,
    /// As sent without an answer in time, oldest first.
    late: VecDeque<(u64, bool)>,
    /// Some were switched, or may have been, since the last filter of ids.
    is_switched: bool,
}

impl Objects {
    pub(super) fn is_switched(&self) -> bool {
        self.is_switched
    }

    /// A frame switches an object.
    pub(super) fn send(&mut self, address: u64, is_on: bool) {
        self.sent.push_back((address, is_on));
        self.late.clear();
    }

    /// The target acknowledged the oldest frame.
    pub(super) fn acknowledge(&mut self) {
        if let Some((address, is_on)) = self.sent.pop_front().or_else(|| self.late.pop_front()) {
            self.known.insert(address, is_on);
            self.is_switched = true;
        }
    }

    /// The target refused the oldest frame.
    pub(super) fn keep(&mut self) {
        if self.sent.pop_front().is_none() {
            self.late.pop_front();
        }
    }

    /// Whether the target has what was sent is unknown.
    pub(super) fn doubt(&mut self) {
        for sent in std::mem::take(&mut self.sent) {
            self.known.remove(&sent.0);
            self.is_switched = true;
            self.late.push_back(sent);
        }
    }

    /// A filter of ids was acknowledged.
    pub(super) fn overrule(&mut self) {
        self.known.clear();
        self.is_switched = false;
    }

    pub(super) fn states(&self, table: u16, out: &mut Vec<FilterState>) {
        let state = |(&first, &is_on): (&u64, &bool)| FilterState { table, is_on, is_known: true, first, last: first };
        out.extend(self.known.iter().map(state));
    }
}
