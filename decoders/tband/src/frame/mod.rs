//! Frames: splits a stream at frame ends (`splitter`), decodes the event in a frame (`cobs`).

pub(crate) mod cobs;
mod splitter;

pub(crate) use splitter::{FrameHandler, Splitter};

/// Ends every frame, and occurs in none.
pub(crate) const END: u8 = 0;
