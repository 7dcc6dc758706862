//! Sequence numbers: what is missing, late, repeated, or of another numbering.
//!
//! | file | content |
//! |---|---|
//! | `numbers` | the rule: what a number says of its frame |
//! | `aside` | frames beside the numbering, until it is decided what they are |
//! | `notes` | the rows of losses and late frames, for all decoders |

mod aside;
mod notes;
mod numbers;

pub use aside::Decision;
pub use notes::{Lost, Sequence, Taken, settle};
pub use numbers::{Numbered, Step};

/// Most bytes by which the start of a target comes late or again: those of a datagram. Farther behind, the target has
/// started again.
pub const DATAGRAM: u64 = 1500;
