//! Lanes, what they show, and what they do in one column.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use spytui_plugin_api::NONE;

use crate::{
    analysis::objects::{
        ObjectState, TrackedObject,
        object::{StateKey, TaskNow},
    },
    replay::Key,
};

/// Maximum number of distinct states, to bound memory on noisy input; others count as unknown.
const MOST: usize = 1 << 14;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneKey {
    pub object: Key,
    /// The lane shows the object's fill level, not its state.
    pub is_level: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum LaneValue {
    #[default]
    Unknown,
    State(u32),
    /// A value, or used or free elements; infinite = without limit.
    Number(f64),
}

/// Numbers distinct states.
#[derive(Debug, Clone, Default)]
pub(super) struct States(IndexMap<StateKey, ObjectState, FxBuildHasher>);

impl States {
    /// What the state lane of an object shows.
    pub(super) fn of(&mut self, object: &TrackedObject) -> LaneValue {
        if let ObjectState::Value { bits, flags } = object.state {
            return number(ObjectState::number(bits, flags));
        }
        let is_level = matches!(object.state, ObjectState::Level(_));
        let Some(key) = object.state.key().filter(|_| !is_level) else { return LaneValue::Unknown };
        let number = match self.0.get_index_of(&key) {
            Some(number) => number,
            None if self.0.len() >= MOST => return LaneValue::Unknown,
            None => self.0.insert_full(key, without_reasons(object.state)).0,
        };
        LaneValue::State(number as u32)
    }

    pub(super) fn get(&self, number: u32) -> Option<&ObjectState> {
        self.0.get_index(number as usize).map(|(_, state)| state)
    }
}

/// A state without reasons and cores, which vary each time.
fn without_reasons(state: ObjectState) -> ObjectState {
    match state {
        ObjectState::Task(task) => {
            ObjectState::Task(TaskNow { doing: task.doing, core: NONE, why: None, on: None, said_by: None })
        }
        ObjectState::Inside(_) => ObjectState::Inside(NONE),
        other => other,
    }
}

/// NaN is not shown.
fn number(number: f64) -> LaneValue {
    if number.is_nan() { LaneValue::Unknown } else { LaneValue::Number(number) }
}

/// Maximum number of states timed per cell; bounds memory on noisy input.
const MOST_TIMED: usize = 16;

/// Summary of a lane within an interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// Ticks in each state, in order of appearance; 0 for a state left at once.
    pub states: SmallVec<[(u32, u64); 2]>,
    /// Ticks in further states.
    pub beyond: u64,
    /// Number of changes of what the lane shows.
    pub changes: u32,
    pub range: Option<(f64, f64)>,
    /// The state or number at the end of the interval.
    pub last: LaneValue,
    /// Missing records may have changed it for at least part of the time.
    pub unsure: bool,
}

impl Cell {
    /// Heap memory, bytes.
    pub(super) fn memory(&self) -> usize {
        if self.states.spilled() { self.states.capacity() * size_of::<(u32, u64)>() } else { 0 }
    }

    /// Adds ticks in which the lane shows this.
    pub(super) fn add(&mut self, shown: LaneValue, ticks: u64, unsure: bool) {
        match shown {
            LaneValue::Unknown => {}
            LaneValue::State(state) => self.state(state, ticks),
            LaneValue::Number(number) => self.number((number, number)),
        }
        self.last = shown;
        self.unsure |= unsure && shown != LaneValue::Unknown;
    }

    fn state(&mut self, state: u32, ticks: u64) {
        if let Some((_, sum)) = self.states.iter_mut().find(|known| known.0 == state) {
            *sum = sum.saturating_add(ticks);
        } else if self.states.len() < MOST_TIMED {
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

    pub fn is_blank(&self) -> bool {
        self.states.is_empty() && self.range.is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TimelineEntry {
    /// A lane shows something else, or its certainty changes.
    Lane {
        lane: u32,
        shown: LaneValue,
        /// Missing records may have changed it.
        unsure: bool,
    },
    /// Records are missing from here on, so lanes are uncertain.
    LossBegins,
    LossEnds,
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn a_state_that_was_left_at_once_is_there() {
        let mut cell = Cell::default();
        cell.add(LaneValue::State(7), 0, false);
        cell.add(LaneValue::State(2), 0, false);
        cell.add(LaneValue::State(2), 9, true);
        assert_eq!((cell.states.as_slice(), cell.unsure), (&[(7, 0), (2, 9)][..], true));
    }

    #[test]
    fn many_states_take_bounded_memory() {
        let mut cell = Cell::default();
        (0..100).for_each(|state| cell.add(LaneValue::State(state), 5, false));
        assert_eq!((cell.states.len(), cell.beyond), (MOST_TIMED, 5 * (100 - MOST_TIMED as u64)));
    }

    #[test]
    fn cells_join_to_one() {
        let cell = |numbers: &[f64]| {
            let mut cell = Cell::default();
            numbers.iter().for_each(|number| cell.add(LaneValue::Number(*number), 1, false));
            cell
        };
        let mut joined = cell(&[3.0, 5.0]);
        joined.join(&cell(&[1.0, 4.0]), (1, 1));
        assert_eq!((joined.range, joined.last), (Some((1.0, 5.0)), LaneValue::Number(4.0)));
        let mut part = Cell::default();
        part.join(&Cell { states: smallvec![(1, 100)], ..Cell::default() }, (1, 4));
        assert_eq!(part.states.as_slice(), [(1, 25)]);
    }
}
