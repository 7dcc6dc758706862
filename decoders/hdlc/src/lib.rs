//! HDLC-like framing: a flag ends a frame, an escape modifies the next byte, and the bytes of a valid frame add up to a
//! fixed sum. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `stuffing` | flag and escape, unstuffing, the unstuffed frame of a row; frames at the end of damaged segments |
//! | `splitter` | splits a stream at its flags into segments for a handler: lengths, sums, escapes |
//! | `held` | holds text between frames, and a target's start, until it is clear what they are |

mod held;
mod splitter;
mod stuffing;

pub use held::{HeldStart, HeldText, IDLE, LineHandler, LineState};
pub use splitter::{FrameHandler, HdlcStream, MOST_IDLE, Runs, Segment, StuffedRun, sum};
pub use stuffing::{
    ESCAPE, FLAG, FLIP, NumberedFrame, Suffix, body, frame, stuff, suffixes, unstuff, unstuffed, whole, without_text,
};
