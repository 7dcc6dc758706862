//! What every host derives from rows, so that no decoder has to.
//!
//! | module | what is in it |
//! |---|---|
//! | `inheritance` | which rows have a time |
//! | `counters` | what rows add up to |
//! | `drops` | rows of dropped records, from the totals that decoders report |
//! | `notes` | the text of notes, in the same words for all protocols |
//! | `renderer` | rows to text: the decoder's, with the host's words for notes |

mod counters;
mod drops;
mod inheritance;
mod notes;
mod renderer;

pub use counters::{RowCounters, is_plain};
pub use drops::{DropNews, DropTracker};
pub use inheritance::TimeInheritance;
pub use notes::NoteWords;
pub use renderer::Renderer;
