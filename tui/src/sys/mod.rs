//! Everything specific to the operating system: descriptors, terminal modes, captured output, signals.
//!
//! The rest of the crate uses this module only, so that another system is another file here.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::*;
