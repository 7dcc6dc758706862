//! Operating system interface: handles, terminals, special files.
//!
//! The rest of the crate uses only this module, so another system is supported by adding a folder here.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::distrust;
#[cfg(unix)]
pub(crate) use unix::*;
