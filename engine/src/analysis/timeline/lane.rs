//! Lanes, and what they show.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;
use spytui_plugin_api::NONE;

use crate::{
    analysis::objects::{
        Object, State,
        level::{Fill, Level},
        state::TaskNow,
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
pub enum Shown {
    #[default]
    Unknown,
    State(u32),
    /// A value, or used or free elements; infinite = without limit.
    Number(f64),
}

/// Numbers distinct states.
#[derive(Debug, Clone, Default)]
pub(super) struct States {
    numbers: FxHashMap<StateKey, u32>,
    all: Vec<State>,
}

/// The properties that distinguish the states of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StateKey {
    what: u8,
    /// Who holds or runs, as part of the state.
    who: Option<Key>,
    number: u64,
}

impl Hash for StateKey {
    /// Hashes in few steps, as every record causes a lookup.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.what) | self.number << 8);
        self.who.unwrap_or(Key { space: NONE, key: 0, scope: 0 }).hash(state);
    }
}

impl StateKey {
    fn of(state: &State) -> Option<StateKey> {
        let (what, who, number) = match *state {
            State::Unknown | State::Value { .. } | State::Level(_) => return None,
            State::Task(task) => (0, None, task.doing.number()),
            State::Machine(state) => (1, Some(state), 0),
            State::Held(by) => (2, by, 0),
            State::Free => (3, None, 0),
            State::Armed { .. } => (4, None, 0),
            State::Disarmed => (5, None, 0),
            State::Inside(_) => (6, None, 0),
            State::Outside => (7, None, 0),
            State::Begun => (8, None, 0),
            State::Ended => (9, None, 0),
            State::Runs(task) => (10, Some(task), 0),
            State::Idle => (11, None, 0),
        };
        Some(StateKey { what, who, number })
    }
}

impl States {
    /// What the state lane of an object shows.
    pub(super) fn of(&mut self, object: &Object) -> Shown {
        if let State::Value { bits, flags } = object.state {
            return number(State::number(bits, flags));
        }
        let Some(key) = StateKey::of(&object.state) else { return Shown::Unknown };
        if let Some(number) = self.numbers.get(&key) {
            return Shown::State(*number);
        }
        if self.all.len() >= MOST {
            return Shown::Unknown;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(key, number);
        self.all.push(without_reasons(object.state));
        Shown::State(number)
    }

    pub(super) fn get(&self, number: u32) -> Option<&State> {
        self.all.get(number as usize)
    }
}

/// A state without reasons and cores, which vary each time.
fn without_reasons(state: State) -> State {
    match state {
        State::Task(task) => State::Task(TaskNow { doing: task.doing, core: NONE, why: None, on: None, said_by: None }),
        State::Inside(_) => State::Inside(NONE),
        other => other,
    }
}

/// NaN is not shown.
fn number(number: f64) -> Shown {
    if number.is_nan() { Shown::Unknown } else { Shown::Number(number) }
}

/// What the level lane of an object shows: used elements, or free ones if the target counts those.
pub(super) fn level(level: Option<&Level>) -> Shown {
    let Some(level) = level else { return Shown::Unknown };
    Shown::Number(match (level.fill, level.counts_free) {
        (Fill::Count(count), _) => count as f64,
        (Fill::Empty, false) | (Fill::Full, true) => 0.0,
        (Fill::Empty, true) | (Fill::Full, false) => f64::INFINITY,
    })
}
