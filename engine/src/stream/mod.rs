//! Streaming: decodes and renders in bounded memory, without a store. Used by `decode` and by the program without a
//! screen.
//!
//! | module | what is in it |
//! |---|---|
//! | [`pipeline`] | the stream of one source |
//! | [`merged`] | the streams of several sources of a target, in one order |
//! | [`targets`] | several targets beside each other |
//! | [`prepass`] | a first pass over files for what is told late |
//! | `cores` | sources whose cores are not in one order of time |
//! | `source_stream` | one source at work: feed, keep names as of now, render |
//! | `block` | rows of a batch put together for rendering |
//! | `emit` | renders a block and passes its rows to the sink |
//! | [`sink`] | where rendered rows go |
//! | [`drive`] | over a log or anything that can be read |
//! | `window` | the end of the stream, as far back as rows need it |

mod block;
mod cores;
pub mod drive;
mod emit;
mod inputs;
pub mod merged;
pub mod pipeline;
pub mod prepass;
pub mod sink;
mod source_stream;
mod target_context;
pub mod targets;
mod window;

pub use drive::{drive_flows, drive_log, drive_logs, drive_reader};
pub use merged::Merged;
pub use pipeline::Pipeline;
pub use prepass::Prepass;
pub use sink::{NullSink, Sink};
pub use targets::Targets;
