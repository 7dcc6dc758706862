//! The host's side of the contract with decoders: what is derived from rows, so that decoders don't need to.
//!
//! | module | what is in it |
//! |---|---|
//! | `hosted` | a decoder instance under the host's control, and which bytes are in rows |
//! | `counters` | counters of rows |
//! | `drops` | rows of dropped records, from totals reported by decoders |
//! | `notes` | the text of notes, the same for all protocols |
//! | [`kit`] | for tests: a small host, and the conformance kit |
//! | `renderer` | rendering: records by decoder and formatters, notes by the host |

mod counters;
mod drops;
mod hosted;
pub mod kit;
mod notes;
mod renderer;

pub use counters::RowCounters;
pub use drops::{DropNews, DropTracker};
pub use hosted::{Coverage, HostedInstance};
pub use renderer::{FormattedFrom, FormattedRows, NamesOf, Renderer};
