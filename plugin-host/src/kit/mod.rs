//! For tests of decoders: a small host, and the conformance kit.
//!
//! The kit calls decoders through their function tables, so its results also hold across the library boundary. It
//! panics if a rule is broken.

mod commands;
mod conform;
mod formatter;
mod host;
mod prints;
mod random;

pub use conform::conform;
pub use formatter::{conform_formatter, format, format_opened};
pub use host::{Host, Names, Run, Sample, end_event, lines, opt_vals, start_event};
pub use random::Random;
