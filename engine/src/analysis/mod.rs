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
//! | `waiting` | events that wait in queues, with the row of their post |
//! | [`kinds`] | rows and bytes of each kind |
//! | [`distribution`] | count, min, median, 95th percentile and max of measured values |

pub mod causes;
mod change;
pub mod distribution;
mod entity;
mod fill_level;
pub mod kinds;
mod machine;
mod pairing;
mod reducer;
mod scheduler;
mod spans;
mod waiting;

pub use causes::{Cause, CauseFinder, Causes, Why};
pub(crate) use change::{Change, Doing, Holder, MachineState, Section, TaskState};
pub use entity::{Entities, Id, Key, Operands};
pub(crate) use reducer::Reducer;
