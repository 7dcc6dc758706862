//! Streaming: bytes through a decoder to rendered rows, in bounded memory, without a store. What `decode` and the
//! program without a screen run on.
//!
//! | module | what is in it |
//! |---|---|
//! | [`pipeline`] | the stream of one source |
//! | [`merged`] | the streams of several sources of a target, in one order |
//! | [`flows`] | several targets beside each other |
//! | [`survey`] | a first pass over files for what is told late |
//! | `lanes` | sources whose lanes are not in one order of time |
//! | `strand` | one source at work: feed, keep names as of now, render |
//! | `block` | rows of a batch put together for rendering |
//! | `walk` | a block's rows rendered together and handed on one by one |
//! | [`sink`] | where rendered rows go |
//! | [`drive`] | over a log or anything that can be read |
//! | `window` | the end of the stream, as far back as rows need it |
//! | [`item`] | one rendered row with all that an export may ask |

mod block;
pub mod drive;
pub mod flows;
pub mod item;
mod lanes;
pub mod merged;
pub mod pipeline;
pub mod sink;
mod strand;
pub mod survey;
mod walk;
mod window;

pub use drive::{drive_flows, drive_log, drive_logs, drive_reader};
pub use flows::Flows;
pub use item::{Block, Item};
pub use merged::Merged;
pub use pipeline::Pipeline;
pub use sink::{Nowhere, Sink};
pub use survey::Survey;
