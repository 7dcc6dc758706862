//! Receiving: bytes to rows. `base` is the state shared by both receivers, `native` is spytui's own receiver,
//! `validate` classifies segments, `target_info` tracks the target's configuration.

mod base;
mod native;
mod target_info;
mod validate;

pub(crate) use base::{Base, add_activities};
pub(crate) use native::{Native, begin};
pub(crate) use target_info::TargetConfig;
