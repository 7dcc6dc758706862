//! What a lane does in one column.

use smallvec::SmallVec;

use super::lane::Shown;

/// Maximum number of states timed per cell; bounds memory on noisy input.
const MOST: usize = 16;

/// Summary of a lane within an interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// Ticks in each state, in order of appearance; 0 for a state left at once.
    pub states: SmallVec<[(u32, u64); 2]>,
    /// Ticks in further states.
    pub beyond: u64,
    /// Number of changes of what the lane shows.
    pub changes: u32,
    /// Least and greatest number.
    pub range: Option<(f64, f64)>,
    /// The state or number at the end of the interval.
    pub last: Shown,
    /// Missing records may have changed it for at least part of the time.
    pub unsure: bool,
}

impl Cell {
    /// Heap memory, bytes.
    pub(super) fn memory(&self) -> usize {
        if self.states.spilled() { self.states.capacity() * size_of::<(u32, u64)>() } else { 0 }
    }

    /// Adds ticks in which the lane shows this.
    pub(super) fn add(&mut self, shown: Shown, ticks: u64, unsure: bool) {
        match shown {
            Shown::Unknown => {}
            Shown::State(state) => self.state(state, ticks),
            Shown::Number(number) => self.number((number, number)),
        }
        self.last = shown;
        self.unsure |= unsure && shown != Shown::Unknown;
    }

    fn state(&mut self, state: u32, ticks: u64) {
        if let Some((_, sum)) = self.states.iter_mut().find(|known| known.0 == state) {
            *sum = sum.saturating_add(ticks);
        } else if self.states.len() < MOST {
            self.states.push((state, ticks));
        } else {
            self.beyond = self.beyond.saturating_add(ticks);
        }
    }

    fn number(&mut self, (low, high): (f64, f64)) {
        let (least, most) = self.range.unwrap_or((low, high));
        self.range = Some((least.min(low), most.max(high)));
    }

    /// Appends a later cell in the same column; `share` = (numerator, denominator) of its time if it spans several
    /// columns.
    pub(super) fn join(&mut self, later: &Cell, share: (u64, u64)) {
        let part = |ticks: u64| {
            if share.0 == share.1 {
                return ticks;
            }
            let product = u128::from(ticks) * u128::from(share.0) / u128::from(share.1.max(1));
            u64::try_from(product).unwrap_or(u64::MAX)
        };
        later.states.iter().for_each(|(state, ticks)| self.state(*state, part(*ticks)));
        self.beyond = self.beyond.saturating_add(part(later.beyond));
        self.changes = self.changes.saturating_add(later.changes);
        later.range.into_iter().for_each(|range| self.number(range));
        self.last = later.last;
        self.unsure |= later.unsure;
    }

    /// The longest state; the first of several.
    pub fn longest(&self) -> Option<u32> {
        let longest = self.states.iter().map(|state| state.1).max()?;
        self.states.iter().find(|state| state.1 == longest).map(|state| state.0)
    }

    pub fn is_blank(&self) -> bool {
        self.states.is_empty() && self.range.is_none()
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn a_state_that_was_left_at_once_is_there() {
        let mut cell = Cell::default();
        cell.add(Shown::State(7), 0, false);
        cell.add(Shown::State(2), 0, false);
        cell.add(Shown::State(2), 9, true);
        assert_eq!((cell.states.as_slice(), cell.longest(), cell.unsure), (&[(7, 0), (2, 9)][..], Some(2), true));
    }

    #[test]
    fn many_states_take_bounded_memory() {
        let mut cell = Cell::default();
        (0..100).for_each(|state| cell.add(Shown::State(state), 5, false));
        assert_eq!((cell.states.len(), cell.beyond), (MOST, 5 * (100 - MOST as u64)));
    }

    #[test]
    fn cells_join_to_one() {
        let cell = |numbers: &[f64]| {
            let mut cell = Cell::default();
            numbers.iter().for_each(|number| cell.add(Shown::Number(*number), 1, false));
            cell
        };
        let mut joined = cell(&[3.0, 5.0]);
        joined.join(&cell(&[1.0, 4.0]), (1, 1));
        assert_eq!((joined.range, joined.last), (Some((1.0, 5.0)), Shown::Number(4.0)));
        let mut part = Cell::default();
        part.join(&Cell { states: smallvec![(1, 100)], ..Cell::default() }, (1, 4));
        assert_eq!(part.states.as_slice(), [(1, 25)]);
    }
}
