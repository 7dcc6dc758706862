//! Framing of HDLC-like streams: a flag ends a frame, an escape byte flips the next one, and the bytes of a valid frame
//! sum up to a fixed value. Independent of any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | `stuffing` | flag and escape, un-stuffing |
//! | `run` | a stream cut at its flags: lengths, sums, escapes |
//! | `splitter` | splits a stream at its flags, keeping an incomplete frame |
//! | `stream` | a stream split into segments for a handler, with its events |
//! | `suffix` | where a frame may begin in a damaged segment |
//! | `held_text` | text between frames, held until what follows shows that it is no damage |
//! | `held_start` | the start of a target that may have come late or twice, held until what follows shows that |
//! | `without_text` | a sample for a probe, without text that a target printed |
//! | `frame_bytes` | the un-stuffed frame of a row, for rendering |

pub mod frame_bytes;
mod held_start;
mod held_text;
mod run;
mod splitter;
mod stream;
mod stuffing;
mod suffix;
mod without_text;

pub use held_start::{HeldStart, StartHandler};
pub use held_text::{HeldText, TextHandler};
pub use run::{PUT, Run, Runs, copy_masked, sum};
pub use splitter::{MOST_IDLE, Segment, Splitter};
pub use stream::{FrameHandler, HdlcStream};
pub use stuffing::{ESCAPE, FLAG, FLIP, stuff, unstuff, unstuffed};
pub use suffix::{Suffix, suffixes};
pub use without_text::{Numbered, without_text};
