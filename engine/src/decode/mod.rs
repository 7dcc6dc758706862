//! Decoding: turns the bytes of a log into rows.
//!
//! | module | what is in it |
//! |---|---|
//! | [`instance_host`] | runs a decoder instance: passes on stream events, adds the host's rows, contains faults |
//! | `damage` | recognises patterns of damage |
//! | [`quality`] | the share of records in the bytes of a source |
//! | [`row_context`] | the context of a row; epochs |
//! | `sample` | examines the start of a log for frames and options |
//! | [`span`] | spans of rows, for the gutter of the list |

pub mod instance_host;
pub mod quality;
pub mod row_context;
mod sample;
pub mod span;

pub use instance_host::{InstanceHost, LearnedOptions, OptionLearner};
pub use quality::Quality;
pub use row_context::{Epochs, NameTarget, RowContext};
pub use sample::{Looks, has_frame, is_known_at_start, learn_from_beginning, pattern};
pub use span::{SpanState, core_of};
