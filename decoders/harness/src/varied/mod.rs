//! Streams in which no record repeats, for benches: caching rendered text doesn't help.
//!
//! A generated stream repeats the records of a real capture in order, but with other time stamps, values and names,
//! drawn from a seed. It is valid: sequence numbers, checksums and escapes are correct, and its dictionaries name all
//! keys in its records. Layouts and framing are independent of the decoders.

mod check;
mod draw;
mod qs;
mod qs_sizes;
mod rkh;
mod tband;

pub use check::sound_and_varied;
pub use qs::stream as qs;
pub use qs_sizes::QsSizes;
pub use rkh::stream as rkh;
pub use tband::stream as tband;
