//! The program as its users meet it: the real binary in a pseudo-terminal, with links that come and go.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs)]

mod port;
mod rig;

mod attach;
mod losses;
