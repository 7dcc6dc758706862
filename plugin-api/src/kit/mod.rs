//! For the tests of decoders: a small host that feeds, keeps and renders, and the conformance kit.
//!
//! The kit works through the tables, so what it proves holds across the library boundary. It panics with a
//! sentence where a rule is broken.

mod conform;
mod emitted;
mod host;
mod names;
mod random;
mod sample;

pub use conform::conform;
pub use host::{Host, Run, end_event, opt_vals, start_event};
pub use names::Names;
pub use random::Random;
pub use sample::Sample;
