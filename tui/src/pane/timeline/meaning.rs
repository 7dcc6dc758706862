//! How states are drawn.

use spytui_engine::analysis::{Doing, objects::State};

/// How a state is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Named,
    /// As a bar: it runs, is open, held or armed.
    On,
    /// As a thin line: it is ready to run.
    Ready,
    /// Not at all.
    Off,
}

impl Meaning {
    pub(super) fn of(state: &State) -> Meaning {
        match state {
            State::Machine(_) | State::Runs(_) | State::Idle => Meaning::Named,
            State::Task(task) => match task.doing {
                Doing::Running => Meaning::On,
                Doing::Ready => Meaning::Ready,
                _ => Meaning::Off,
            },
            State::Held(_) | State::Armed { .. } | State::Inside(_) | State::Begun => Meaning::On,
            _ => Meaning::Off,
        }
    }
}
