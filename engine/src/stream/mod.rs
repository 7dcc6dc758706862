//! Streaming: bytes through a decoder to rendered rows, in bounded memory, without a store. What `decode` and the
//! program without a screen run on.
//!
//! | module | what is in it |
//! |---|---|
//! | [`pipeline`] | feed, keep names as of now, render in blocks |
//! | [`drive`] | over a log or anything that can be read |
//! | `window` | the end of the stream, as far back as rows need it |
//! | [`item`] | one rendered row with all that an export may ask |

pub mod drive;
pub mod item;
pub mod pipeline;
mod window;

pub use drive::{drive_log, drive_reader};
pub use item::{Block, Item};
pub use pipeline::{Nowhere, Pipeline, Sink};
