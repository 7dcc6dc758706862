//! What depends on the operating system: handles that can be waited for, terminals, special files.
//!
//! The rest of the crate uses this module only, so that another system is another folder here.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub(crate) use unix::*;
