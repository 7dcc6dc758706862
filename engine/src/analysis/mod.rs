//! What activities mean: states of tasks and machines, messages on their way, levels, locks, interrupts, rebuilt from
//! the verbs of the plugin contract in merged order. Knows no protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | [`reducer`] | routes each activity; all of them together |
//! | [`change`] | what activities change |
//! | [`entity`] | who takes part |
//! | [`scheduler`] | tasks and processors |
//! | [`machine`] | state machines and their steps |
//! | [`pairing`] | which message taken is which message sent |
//! | [`fill_level`] | queues, pools, locks |
//! | [`spans`] | interrupts, critical sections, timers |
//! | [`distribution`] | count, least, median, 95th percentile and greatest of what a decoder measured |

pub mod change;
pub mod distribution;
pub mod entity;
pub mod fill_level;
pub mod machine;
pub mod pairing;
pub mod reducer;
pub mod scheduler;
pub mod spans;

pub use change::{Change, Doing, Holder, Section, State, TaskState};
pub use entity::{Entities, Id, Key, Operands};
pub use reducer::Reducer;
