//! A filter of 128 switches as a bit mask, and what is known of it.

use spytui_plugin_api::{FilterOpKind, FilterState};

/// Bits `first` to `last`.
pub(super) fn bits(first: u64, last: u64) -> u128 {
    (first..=last.min(127)).fold(0, |mask, bit| mask | 1 << bit)
}

/// Applies one change to a mask.
pub(super) fn change(mask: u128, kind: FilterOpKind, ranges: &[(u64, u64)]) -> u128 {
    let these = ranges.iter().fold(0, |mask, (first, last)| mask | bits(*first, *last));
    match kind {
        FilterOpKind::ON => mask | these,
        FilterOpKind::OFF => mask & !these,
        _ => 0,
    }
}

/// What is known of a filter that can't be read back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// As last acknowledged in this epoch.
    pub(super) mask: Option<u128>,
    /// As sent, not acknowledged yet.
    sent: Option<u128>,
    /// As sent without an answer in time, and as acknowledged before.
    late: Option<(u128, Option<u128>)>,
}

impl Known {
    /// A frame sets the filter.
    pub(super) fn send(&mut self, mask: u128) {
        (self.sent, self.late) = (Some(mask), None);
    }

    /// Whether an answer may still come.
    pub(super) fn is_waiting(&self) -> bool {
        self.sent.is_some() || self.late.is_some()
    }

    /// The target acknowledged what was sent.
    pub(super) fn acknowledge(&mut self) {
        let late = self.late.take().map(|(mask, _)| mask);
        self.mask = self.sent.take().or(late).or(self.mask);
    }

    /// The target refused what was sent: what was before stays.
    pub(super) fn keep(&mut self) {
        if let Some((_, before)) = self.late.take() {
            self.mask = before;
        }
        self.sent = None;
    }

    /// Whether the target has what was sent is unknown, until an answer comes late.
    pub(super) fn doubt(&mut self) {
        if let Some(mask) = self.sent.take() {
            self.late = Some((mask, self.mask.take()));
        }
    }

    /// Consecutive switches of the same state, from `first` to `last`.
    pub(super) fn states(&self, table: u16, (first, last): (u64, u64), out: &mut Vec<FilterState>) {
        let Some(mask) = self.mask else { return };
        let is_on = |bit: u64| mask >> bit & 1 == 1;
        for bit in first..=last {
            match out.last_mut().filter(|state| state.table == table && state.is_on == is_on(bit)) {
                Some(state) => state.last = bit,
                None => out.push(FilterState { table, is_on: is_on(bit), is_known: true, first: bit, last: bit }),
            }
        }
    }
}
