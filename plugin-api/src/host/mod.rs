//! Derived by the host from rows, so that decoders don't need to.
//!
//! | module | what is in it |
//! |---|---|
//! | `inheritance` | inherited times |
//! | `counters` | counters of rows |
//! | `drops` | rows of dropped records, from totals reported by decoders |
//! | `growth` | gaps that grow when the target tells how many records it dropped |
//! | `notes` | the text of notes, the same for all protocols |
//! | `renderer` | rendering: records by decoder and formatters, notes by the host |

mod counters;
mod drops;
mod growth;
mod inheritance;
mod notes;
mod renderer;

pub use counters::{RowCounters, is_plain};
pub use drops::{DropNews, DropTracker};
pub use growth::Growth;
pub use inheritance::TimeInheritance;
pub use notes::NoteWords;
pub use renderer::{Format, Formatted, Renderer};
