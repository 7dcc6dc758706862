//! The host's side of the contract with decoders: what is derived from rows, so that decoders don't need to, and the
//! conformance kit for their tests.
//!
//! | module | what is in it |
//! |---|---|
//! | `inheritance` | inherited times |
//! | `counters` | counters of rows |
//! | `drops` | rows of dropped records, from totals reported by decoders |
//! | `notes` | the text of notes, the same for all protocols |
//! | `renderer` | rendering: records by decoder and formatters, notes by the host |
//! | `kit` | a small host, and the conformance kit, for tests of decoders |

mod counters;
mod drops;
mod inheritance;
pub mod kit;
mod notes;
mod renderer;

pub use counters::{RowCounters, is_plain};
pub use drops::{DropNews, DropTracker};
pub use inheritance::TimeInheritance;
pub use notes::NoteWords;
pub use renderer::{Format, Formatted, Renderer};
