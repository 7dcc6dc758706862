//! Decoding: turns the bytes of a log into rows.
//!
//! | module | what is in it |
//! |---|---|
//! | [`instance_host`] | runs a decoder instance: passes on stream events, adds the host's rows, contains faults |
//! | `core` | the core of a source |
//! | `damage` | damage with a pattern |
//! | [`epochs`] | counts records and epochs |
//! | `frames` | whether bytes contain a frame |
//! | [`learned_options`] | options that the target reports late |
//! | [`looks`] | when the start of streams is looked at for sizes |
//! | [`quality`] | the share of records in the bytes of a source |
//! | [`row_context`] | the context of a row |
//! | `sample` | learns options from the start of a log |
//! | [`span`] | spans of rows, for the gutter of the list |
//! | [`step_end`] | what ends a step |

mod core;
mod damage;
pub mod epochs;
mod frames;
pub mod instance_host;
pub mod learned_options;
pub mod looks;
pub mod quality;
pub mod row_context;
mod sample;
pub mod span;
pub mod step_end;

pub use core::core_of;
pub use damage::pattern;
pub use epochs::Epochs;
pub use frames::has_frame;
pub use instance_host::InstanceHost;
pub use learned_options::{LearnedOptions, OptionLearner};
pub use looks::Looks;
pub use quality::Quality;
pub use row_context::{NameTarget, RowContext};
pub use sample::{is_known_at_start, learn_from_beginning};
pub use span::SpanState;
