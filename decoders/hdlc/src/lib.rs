//! Framing of HDLC-like streams: a flag ends a frame, an escape byte flips the next one, and the bytes of a valid frame
//! sum up to a fixed value. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `stuffing` | flag and escape, un-stuffing, the un-stuffed frame of a row |
//! | `run` | a stream cut at its flags: lengths, sums, escapes |
//! | `splitter` | a stream with its events, split at its flags into segments for a handler |
//! | `suffix` | where a frame may begin in a damaged segment; a sample for a probe, without text that a target printed |
//! | `held_text` | text between frames, held until what follows shows that it is no damage |
//! | `held_start` | the start of a target that may have come late or twice, held until what follows shows that |

mod held_start;
mod held_text;
mod run;
mod splitter;
mod stuffing;
mod suffix;

pub use held_start::{HeldStart, StartHandler};
pub use held_text::{HeldText, TextHandler};
pub use run::{PUT, Run, Runs, copy_masked, sum};
pub use splitter::{FrameHandler, HdlcStream, MOST_IDLE, Segment, Splitter};
pub use stuffing::{ESCAPE, FLAG, FLIP, Room, body, frame, stuff, unstuff, unstuffed};
pub use suffix::{Numbered, Suffix, suffixes, without_text};
