//! Command lines to the frames that a target gets.
//!
//! | module | what is tried |
//! |---|---|
//! | [`golden`] | frames, byte for byte as the reference host of QS makes them |
//! | [`differences`] | where they are not: what `docs/commands.md` says about it |
//! | [`versions`] | what QS targets of other versions get |
//! | [`sizes`] | QS targets of every size: random commands decode back |
//! | [`garbage`] | lines and names that make no sense, for every decoder |
//!
//! [`target`] is what a target has reported, and the encoder of its commands.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs)]

mod differences;
mod garbage;
mod golden;
mod sizes;
mod target;
mod versions;
