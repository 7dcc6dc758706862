//! What every object of a target was doing at a row: active objects, tasks, interrupts, cores, queues, pools, locks,
//! timers, markers and values, with their state, since when, and what happened to them last. From activities alone, so
//! that it is the same for any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | [`object`] | what is known of one object |
//! | [`state`] | states, as activities report them |
//! | [`level`] | fill levels with their low-water marks |
//! | `shares` | how long an object was in which state |
//! | [`table`] | all objects, updated row by row |
//! | [`mod@line`] | one object in words |

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
