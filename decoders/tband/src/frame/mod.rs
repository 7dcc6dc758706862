//! Frames: splits a stream at frame ends (`splitter`), decodes the event in a frame (`cobs`).

pub(crate) mod cobs;
mod splitter;

pub(crate) use splitter::{Piece, Splitter};

/// Frame end; does not occur within frames.
pub(crate) const END: u8 = 0;
