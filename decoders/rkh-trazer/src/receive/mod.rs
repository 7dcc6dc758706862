//! Bytes to rows in our own reading. `native` takes a stream in, `validate` decides what a frame is, `split` takes
//! frames apart that ran together, `target_info` follows what the target tells of itself, `posts` pairs posts and gets,
//! `symbols` reads a stream for its names alone.

mod native;
mod posts;
mod split;
mod symbols;
mod target_info;
mod validate;

pub(crate) use native::{Native, begin};
pub(crate) use symbols::read_symbols;
pub(crate) use target_info::TargetConfig;
