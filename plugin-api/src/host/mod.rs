//! The host's side of the contract with decoders: what is derived from rows, so that decoders don't need to.
//!
//! | module | what is in it |
//! |---|---|
//! | `hosted` | an instance with what the host does to its output |
//! | `coverage` | which bytes are in rows, and the rules of the contract for rows |
//! | `inheritance` | inherited times |
//! | `counters` | counters of rows |
//! | `drops` | rows of dropped records, from totals reported by decoders |
//! | `notes` | the text of notes, the same for all protocols |
//! | `formatted` | what formatters say of application records |
//! | `picked` | some of the rows of a block |
//! | `grouped` | numbers in groups of three digits |
//! | `renderer` | rendering: records by decoder and formatters, notes by the host |

mod counters;
mod coverage;
mod drops;
mod formatted;
mod grouped;
mod hosted;
mod inheritance;
mod notes;
mod picked;
mod renderer;

pub use counters::{RowCounters, is_plain};
pub use coverage::Coverage;
pub use drops::{DropNews, DropTracker};
pub use formatted::{FormattedFrom, FormattedRows};
pub use grouped::{grouped, push_grouped};
pub use hosted::HostedInstance;
pub use inheritance::TimeInheritance;
pub use notes::NoteWords;
pub use renderer::Renderer;
