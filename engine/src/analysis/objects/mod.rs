//! What every object of a target was doing at a row: active objects, tasks, interrupts, cores, queues, pools, locks,
//! timers, markers and values, with their state, its start, and the last event. Only activities are used, so it works
//! for every protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | [`object`] | one object |
//! | [`state`] | states, as activities report them |
//! | [`level`] | fill levels with their low-water marks |
//! | `shares` | how long an object was in each state |
//! | [`table`] | all objects, updated row by row |
//! | [`mod@line`] | objects as text |

pub mod level;
pub mod line;
pub mod object;
mod shares;
pub mod state;
pub mod table;

#[cfg(test)]
mod table_tests;

pub use line::{ObjectLine, Wording};
pub use object::{Object, ObjectKind};
pub use state::State;
pub use table::ObjectTable;

pub use crate::replay::{FedRow, Moment};
