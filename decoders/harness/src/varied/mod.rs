//! Streams in which no record repeats, for benches: what remembers earlier texts gains nothing on them.
//!
//! A generated stream has the records of a real capture, in its order and again and again, but with other time stamps,
//! values and names, drawn from a seed. It is sound: sequence numbers, checksums and escapes are right, and its
//! dictionaries name what its records refer to. Layouts and framing are written apart from the decoders.

mod check;
mod draw;
mod qs;
mod rkh;
mod tband;

pub use check::sound_and_varied;
pub use qs::stream as qs;
pub use rkh::stream as rkh;
pub use tband::stream as tband;
