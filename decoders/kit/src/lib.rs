//! What the decoders share beside their framing. Nothing here knows a frame or a record.
//!
//! | module | what is in it |
//! |---|---|
//! | `clock` | time stamps of 1, 2 or 4 bytes extended to 64 bits |
//! | `configs` | configurations told so far, with their ids |
//! | `sequence` | 8-bit sequence numbers: jumps, and what may be missing |
//! | `tally` | records so far |
//! | `rows` | rows beside the records: notes, skipped bytes |
//! | `pattern` | fields by name, line patterns split up at compile time |
//! | `meaning` | activities of records, as columns of their table |
//! | `value` | numbers and texts of a record |
//! | `names` | look-up of names |
//! | `number` | numbers as text |
//! | `memory` | bytes of the target in hexadecimals |
//! | `notes` | texts of rows that are no records |

mod clock;
mod configs;
mod meaning;
pub mod memory;
mod names;
mod notes;
pub mod number;
pub mod pattern;
mod rows;
mod sequence;
mod tally;
pub mod value;

pub use clock::Clock;
pub use configs::ConfigRegistry;
pub use meaning::Meaning;
pub use names::Names;
pub use notes::{gap_text, given_up, sized};
pub use rows::{RowBuilder, RowContext};
pub use sequence::{Jump, Sequence, Step, gap_attachment};
pub use tally::Tally;
