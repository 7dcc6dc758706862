//! What every object of a target was doing at a row: active objects, tasks, interrupts, cores, queues, pools, locks,
//! timers, markers and values, with their state, its start, and the last event. Only activities are used, so it works
//! for every protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | [`object`] | one object: its state, fill level, and how long it was in each state
//! | [`table`] | all objects, updated row by row |
//! | [`mod@line`] | objects as text |

pub mod line;
pub mod object;
pub mod table;

#[cfg(test)]
mod table_tests;

pub use line::{ObjectLine, Wording};
pub use object::{ObjectKind, ObjectState, TrackedObject};
pub use table::ObjectTable;

pub use crate::replay::{FedRow, Moment};
