//! Rebuilds the target's state from activities: task and machine states, messages in flight, fill levels, locks and
//! interrupts. Works on the verbs of the plugin contract, in merged order, for any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `reducer` | dispatches each activity to the modules below |
//! | `change` | the state changes that activities cause |
//! | `entity` | tasks, queues, machines … as small numbers |
//! | `scheduler` | tasks and cores |
//! | `machine` | state machines and their run-to-completion steps |
//! | `pairing` | matches received messages to sent ones |
//! | `fill_level` | fill levels of queues and pools, lock owners |
//! | `spans` | interrupts, critical sections, timers |
//! | [`causes`] | from which earlier row a row follows |
//! | [`lifelines`] | the lifelines of such a diagram |
//! | [`sequence`] | messages between lifelines, for sequence diagrams |
//! | `waiting` | events that wait in queues, with the row of their post |
//! | [`objects`] | what every object was doing at a row |
//! | [`statistics`] | rates, times, shares of the processor and levels of a whole trace |
//! | [`findings`] | what an expert would spot in a capture |
//! | [`time_axis`] | one axis for the times of all epochs |
//! | [`timeline`] | what every object did over time, in columns |
//! | [`kinds`] | rows and bytes of each kind |
//! | [`distribution`] | count, min, median, 95th percentile and max of measured values |
//! | [`histogram`] | the same as a histogram |

pub mod causes;
mod change;
pub mod distribution;
mod entity;
mod fill_level;
pub mod findings;
pub mod histogram;
pub mod kinds;
pub mod lifelines;
mod machine;
pub mod objects;
mod pairing;
mod reducer;
mod scheduler;
pub mod sequence;
mod spans;
pub mod statistics;
pub mod time_axis;
pub mod timeline;
mod waiting;

pub use causes::{Cause, CauseFinder, Causes, Why};
pub use change::Doing;
pub(crate) use change::{Change, Holder, MachineState, Section, TaskState};
pub use entity::{Entities, Id, Key, Operands};
pub(crate) use reducer::Reducer;
