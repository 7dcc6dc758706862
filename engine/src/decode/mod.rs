//! Decoding: chooses a decoder, and turns the bytes of a log into rows.
//!
//! | module | what is in it |
//! |---|---|
//! | [`instance_host`] | runs a decoder instance: passes on stream events, adds the host's rows, contains faults |
//! | [`guess`] | looks at the start of a log: decoder, options, frames, patterns of damage |
//! | [`log_decoding`] | decodes a whole log, for what only its rows say |
//! | [`opener`] | chooses a decoder and its options |
//! | [`quality`] | the share of records in the bytes of a source |
//! | [`row_context`] | the context of a row; epochs |
//! | [`span`] | spans of rows, for the gutter of the list |

pub mod guess;
pub mod instance_host;
pub mod log_decoding;
pub mod opener;
pub mod quality;
pub mod row_context;
pub mod span;

pub use guess::{DamagePattern, Looks, has_frame, is_known_at_start, learn_from_beginning, pattern};
pub use instance_host::{InstanceHost, LearnedOptions, OptionLearner};
pub use log_decoding::LogDecoding;
pub use opener::{Chosen, Opener};
pub use quality::Quality;
pub use row_context::{Epochs, NameTarget, RowContext};
pub use span::{SpanState, core_of};
