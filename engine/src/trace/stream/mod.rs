//! Decodes and renders streams in bounded memory, without a store. Used by `decode` and `--headless`.
//!
//! | module | what is in it |
//! |---|---|
//! | [`pipeline`] | the sources of a target, decoded, merged and rendered |
//! | [`prepass`] | a first pass over files for options and clocks reported late; cores in blocks |
//! | `block` | rows of a batch that are rendered together, and the sink that they are passed to |
//! | `parts` | the lines of a block, made by several threads |
//! | [`drive`] | runs over logs or readers, of one target or several |

mod block;
pub mod drive;
mod parts;
pub mod pipeline;
pub mod prepass;

pub use block::{Filtered, NextFilter, NullSink, Sink};
pub(crate) use drive::{LogInput, STOP_CHECK};
pub use drive::{TargetFlow, Targets, drive_targets, follow};
pub use parts::{LinePart, RowLines, most_parts};
pub use pipeline::Pipeline;
pub use prepass::Prepass;
