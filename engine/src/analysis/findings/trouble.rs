//! Repeated resets, and failed assertions.

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::Moment;

/// Minimum number of resets; fewer may be the start of a session or intended.
const AGAIN: u64 = 3;

/// Problems of the target as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Trouble {
    resets: Evidence,
    asserts: Evidence,
    /// The first row of the epoch.
    start: u64,
}

impl Trouble {
    /// The target was reset; the worst reset is the one after the fewest rows.
    pub(super) fn reset(&mut self, here: Moment) {
        let lived = here.row.saturating_sub(self.start);
        self.resets.add(here, u64::MAX - lived);
        self.start = here.row;
    }

    pub(super) fn assertion(&mut self, here: Moment) {
        self.asserts.add(here, 0);
    }

    pub(super) fn found(&self, out: &mut Vec<Found>) {
        if self.asserts.count > 0 {
            out.push(Found::new(Rule::Assertion, None, self.asserts, Detail::Nothing));
        }
        if self.resets.count >= AGAIN {
            out.push(Found::new(Rule::Resets, None, self.resets, Detail::Nothing));
        }
    }
}
