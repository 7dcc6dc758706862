//! How long an object was in each state.

use super::state::StateKey;

/// Maximum number of states timed per object; bounds memory on noisy input.
const MOST: usize = 32;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shares {
    by_state: Vec<(StateKey, u64)>,
    /// Ticks in states beyond `MOST`.
    beyond: u64,
}

impl Shares {
    pub(super) fn add(&mut self, key: StateKey, ticks: u64) {
        if ticks == 0 {
            return;
        }
        if let Some((_, sum)) = self.by_state.iter_mut().find(|state| state.0 == key) {
            *sum = sum.saturating_add(ticks);
        } else if self.by_state.len() < MOST {
            self.by_state.push((key, ticks));
        } else {
            self.beyond = self.beyond.saturating_add(ticks);
        }
    }

    /// Share of a state per mille, with the object in it for `open` more ticks; `None` without time, or if the state is
    /// not timed.
    pub(super) fn permille(&self, key: StateKey, open: u64) -> Option<u16> {
        let kept = self.by_state.iter().find(|state| state.0 == key).map(|state| state.1);
        if kept.is_none() && self.by_state.len() >= MOST {
            return None;
        }
        let sum = |ticks: u64| u128::from(ticks);
        let all = self.by_state.iter().map(|state| sum(state.1)).sum::<u128>() + sum(self.beyond) + sum(open);
        let here = sum(kept.unwrap_or(0)) + sum(open);
        u16::try_from((here * 1000 + all / 2).checked_div(all)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_since_the_last_change_counts() {
        let mut shares = Shares::default();
        let key = |key| StateKey { what: 2, space: 16, key };
        assert_eq!(shares.permille(key(1), 0), None);
        shares.add(key(1), 30);
        shares.add(key(2), 10);
        shares.add(key(1), 20);
        assert_eq!((shares.permille(key(1), 40), shares.permille(key(2), 0)), (Some(900), Some(167)));
        assert_eq!(shares.permille(key(3), 60), Some(500));
    }

    #[test]
    fn of_many_states_the_first_ones_are_kept() {
        let mut shares = Shares::default();
        let key = |key| StateKey { what: 2, space: 16, key };
        (0..100).for_each(|key| shares.add(key(key), 10));
        assert_eq!(shares.by_state.len(), MOST);
        assert_eq!((shares.permille(key(5), 0), shares.permille(key(99), 5)), (Some(10), None));
    }
}
