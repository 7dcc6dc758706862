//! Sequence numbers: what is missing, late, repeated, or of another numbering.
//!
//! | file | content |
//! |---|---|
//! | `numbers` | the rule: what a number says of its frame |
//! | `aside` | frames beside the numbering, until it is decided what they are |
//! | `early` | frames before the start of the target, which they may have overtaken |
//! | `notes` | the rows of losses and late frames, for all decoders |

mod aside;
mod early;
mod notes;
mod numbers;

pub use aside::Decision;
pub use notes::{Lost, Sequence, Taken, settle};
pub use numbers::{Numbered, Step};

/// Most bytes from the start of a target to its repetition: those of a datagram. Where the same bytes come later, the
/// target has started again.
pub const DATAGRAM: u64 = 1500;
