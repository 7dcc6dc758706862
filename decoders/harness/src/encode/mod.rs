//! Encoders of streams, for tests and benches.

pub mod qnx;
pub mod tband;
