//! Everything specific to the operating system: descriptors, terminal modes, captured output, signals.
//!
//! The rest of the crate uses only this module, so another system is supported by adding a file here.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::*;
