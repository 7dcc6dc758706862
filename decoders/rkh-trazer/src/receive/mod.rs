//! Receiving: bytes to rows. `base` is the state that both receivers share, `native` our own receiver, `validate` classifies frames, `split` separates fused
//! frames, `console` finds text between frames, `target_config` and `target_info` track the target's configuration,
//! `drop_total` what it dropped, `posts` pairs posts and gets, `symbols` reads the names of another stream.

mod base;
mod console;
mod drop_total;
mod native;
mod posts;
mod split;
mod symbols;
mod target_config;
mod target_info;
mod validate;

pub(crate) use base::Base;
pub(crate) use native::{Native, begin};
pub(crate) use symbols::read_symbols;
pub(crate) use target_config::TargetConfig;
