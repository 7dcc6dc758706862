//! Lanes, and what they show.

use rustc_hash::FxHashMap;
use spytui_plugin_api::NONE;

use crate::{
    analysis::objects::{
        Object, State,
        level::{Fill, Level},
        state::{StateKey, TaskNow},
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

impl States {
    /// What the state lane of an object shows.
    pub(super) fn of(&mut self, object: &Object) -> Shown {
        if let State::Value { bits, flags } = object.state {
            return number(State::number(bits, flags));
        }
        let is_level = matches!(object.state, State::Level(_));
        let Some(key) = object.state.key().filter(|_| !is_level) else { return Shown::Unknown };
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
