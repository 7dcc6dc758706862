//! Bytes to rows, our own reading: `native` takes a stream apart, `validate` says what a segment is, `recover` finds
//! frames behind noise, `console` text between frames, `target_info` takes over what the target reports of itself.

mod console;
pub(crate) mod native;
mod recover;
mod target_info;
mod validate;

pub(crate) use native::{Native, begin};
pub(crate) use target_info::TargetConfig;
