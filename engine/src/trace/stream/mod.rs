//! Streaming: decodes and renders in bounded memory, without a store. Used by `decode` and `--headless`.
//!
//! | module | what is in it |
//! |---|---|
//! | [`pipeline`] | the sources of a target, decoded, merged and rendered |
//! | [`targets`] | several independent targets |
//! | [`start`] | opens the decoder of a target when the start of its streams was looked at |
//! | [`prepass`] | a first pass over files, for options and clocks reported late |
//! | `cores` | sources whose cores are not in order of time |
//! | `source_stream` | one source: feed, keep current names, render |
//! | `block` | rows of a batch that are rendered together and passed to the sink |
//! | [`sink`] | where rendered rows go |
//! | [`filtered`] | passes on the rows that pass a filter |
//! | [`drive`] | runs over logs or readers |
//! | `window` | recent bytes of the stream |

mod block;
mod cores;
pub mod drive;
pub mod filtered;
mod inputs;
pub mod pipeline;
pub mod prepass;
pub mod sink;
mod source_stream;
pub mod start;
mod target_context;
pub mod targets;
mod window;

pub use drive::{drive_logs, drive_targets};
pub use filtered::{Filtered, NextFilter};
pub use pipeline::Pipeline;
pub use prepass::Prepass;
pub use sink::{NullSink, Sink};
pub use start::TargetStart;
pub use targets::Targets;
