//! Command lines to the frames that a target gets.
//!
//! | module | what is tested |
//! |---|---|
//! | [`golden`] | frames, byte for byte like those of the QS reference host |
//! | [`differences`] | the differences listed in `docs/commands.md` |
//! | [`habits`] | what stands for the options and keys of QSPY |
//! | [`versions`] | frames for QS targets of other versions |
//! | [`sizes`] | QS targets of every size: random commands decode back |
//! | [`garbage`] | senseless lines and names, for every decoder |
//!
//! [`target`] is what a target has reported, and the encoder of its commands.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs)]

mod differences;
mod garbage;
mod golden;
mod habits;
mod sizes;
mod target;
mod versions;
