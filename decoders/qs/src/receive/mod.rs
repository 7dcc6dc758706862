//! Receiving: bytes to rows. `base` is the state that both receivers share, `native` our own receiver, `validate` classifies
//! segments, `target_info` tracks the target's configuration.

mod base;
mod native;
mod target_info;
mod validate;

pub(crate) use base::{Base, add_activities};
pub(crate) use native::{Native, begin};
pub(crate) use target_info::TargetConfig;
