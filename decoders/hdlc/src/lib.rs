//! What the decoders of HDLC-like streams share: a flag ends a frame, an escape byte flips the next one, the bytes of
//! a good frame sum up to a fixed value, and short time stamps wrap. Nothing here knows a record.
//!
//! | module | what is in it |
//! |---|---|
//! | `stuffing` | flag and escape, un-stuffing |
//! | `run` | length and sum of the bytes up to a flag, eight at a time |
//! | `splitter` | a stream split at its flags, keeping what has not ended |
//! | `clock` | time stamps of 1, 2 or 4 bytes extended to 64 bits |

mod clock;
mod run;
mod splitter;
mod stuffing;

pub use clock::Clock;
pub use run::{Run, run, sum};
pub use splitter::{MOST_IDLE, Receiver, Splitter, Stretch};
pub use stuffing::{ESCAPE, FLAG, FLIP, unstuff, unstuff_into, unstuff_whole};
