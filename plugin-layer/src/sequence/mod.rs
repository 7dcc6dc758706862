//! Sequence numbers: missing, late, repeated or unrelated frames.
//!
//! | file | content |
//! |---|---|
//! | `numbers` | classifies a frame by its number |
//! | `aside` | frames outside of the current numbering, until they are explained |
//! | `notes` | rows for losses and late frames, for all decoders |

mod aside;
mod notes;
mod numbers;

pub use aside::Decision;
pub use notes::{Lost, Sequence, Taken, settle};
pub use numbers::{Numbered, Step};

/// Maximum distance in bytes at which a target's start can be late or repeated: the size of a datagram. Farther on, the
/// target has restarted.
pub const DATAGRAM: u64 = 1500;
