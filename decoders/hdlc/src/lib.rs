//! HDLC-like framing: a flag ends a frame, an escape modifies the next byte, and the bytes of a valid frame add up to a
//! fixed sum. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `stuffing` | flag and escape, unstuffing, the unstuffed frame of a row |
//! | `run` | cuts a stream at its flags: lengths, sums, escapes |
//! | `splitter` | splits a stream at its flags into segments for a handler |
//! | `suffix` | finds frames at the end of damaged segments; removes printed text from a sample |
//! | `held_text` | holds text between frames until it is clear that it is not damage |
//! | `held_start` | holds a target's start until it is clear whether it is late, repeated or a restart |

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
