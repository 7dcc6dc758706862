//! Plugins as real library files, built by cargo next to this test program because they are dev-dependencies.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)]

mod common;
mod filtered;
mod listed;
mod many;
mod panics;
mod refused;
mod reload;
mod same;
mod session;
