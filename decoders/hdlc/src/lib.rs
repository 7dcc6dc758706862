//! What the decoders of HDLC-like streams share: a flag ends a frame, an escape byte flips the next one, the bytes of
//! a good frame sum up to a fixed value, and short time stamps wrap. Nothing here knows a record.
//!
//! | module | what is in it |
//! |---|---|
//! | `stuffing` | flag and escape, un-stuffing |
//! | `rows` | rows beside the records: notes, bytes given up |
//! | `run` | a stretch of a stream cut at its flags: lengths, sums, escapes |
//! | `splitter` | a stream split at its flags, keeping what has not ended |
//! | `intake` | a stream on its way to a reader, with its marks |
//! | `clock` | time stamps of 1, 2 or 4 bytes extended to 64 bits |
//! | `sequence` | 8-bit sequence numbers: jumps, and what may be missing |
//! | `tally` | records so far |
//! | `frame_bytes` | the un-stuffed frame of a row, for rendering |
//! | `pattern` | fields by name, line patterns split up at compile time |
//! | `value` | numbers and texts of a record |
//! | `names` | look-up of names |
//! | `line`, `number` | text without allocation: a line, numbers |
//! | `memory` | bytes of the target in hexadecimals |
//! | `notes` | what is said of rows that are no records |

mod clock;
pub mod frame_bytes;
mod intake;
pub mod line;
pub mod memory;
mod names;
mod notes;
pub mod number;
pub mod pattern;
mod rows;
mod run;
mod sequence;
mod splitter;
mod stuffing;
mod tally;
pub mod value;

pub use clock::Clock;
pub use intake::{Intake, Reads};
pub use names::Names;
pub use notes::{gap_text, given_up, note_details, sized};
pub use rows::{Head, OwnRows};
pub use run::{PUT, Run, Runs, put_over, sum, sum_first};
pub use sequence::{Jump, Sequence, Step, gap_attachment};
pub use splitter::{MOST_IDLE, Receiver, Splitter, Stretch};
pub use stuffing::{ESCAPE, FLAG, FLIP, PART, unstuff, unstuff_into, unstuff_whole};
pub use tally::Tally;
