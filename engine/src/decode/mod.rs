//! Decoding: what turns the bytes of a log into rows, whatever becomes of them.
//!
//! | module | what is in it |
//! |---|---|
//! | [`instance_host`] | runs a decoder instance: converts stream events, adds the host's own rows, contains faults |
//! | `coverage` | which bytes are in rows, and whether a feed kept the rules |
//! | `core` | the core that the decoder of a source is given |
//! | [`learned_options`] | options that the target reports late |
//! | [`row_context`] | what holds for a row beside itself |
//! | `sample` | what the beginning of a log reports late |
//! | [`span`] | which rows belong together: the gutter of the list |
//! | [`target_drops`] | drops of a target with several sources |

mod core;
mod coverage;
pub mod instance_host;
pub mod learned_options;
pub mod row_context;
mod sample;
pub mod span;
pub mod target_drops;

pub use core::core_of;
pub use instance_host::InstanceHost;
pub use learned_options::{LearnedOptions, OptionLearner};
pub use row_context::{NameTarget, RowContext};
pub use sample::learn_from_beginning;
pub use span::SpanState;
pub use target_drops::{DropInOrder, TargetDrops};
