//! Bytes to rows, our own reading. `native` receives a stream, `validate` decides what a frame is, `split` separates
//! fused frames, `target_config` and `target_info` track what the target reports about itself, `posts` pairs posts and gets, `symbols`
//! reads a stream for its names only.

mod native;
mod posts;
mod split;
mod symbols;
mod target_config;
mod target_info;
mod validate;

pub(crate) use native::{Native, begin};
pub(crate) use symbols::read_symbols;
pub(crate) use target_config::TargetConfig;
