//! Receiving: bytes to rows. `base` is the state that both receivers share, `native` our own receiver, `validate` classifies segments, `recover` finds frames
//! after noise, `target_info` tracks the target's configuration, `drop_total` what it dropped, `posts` how long events waited, `ticks` what the numbers of ticks show, `console` text on the line, `answer` marks answers to commands.

mod answer;
mod base;
mod console;
mod drop_total;
mod native;
mod posts;
mod recover;
mod target_info;
mod ticks;
mod validate;

pub(crate) use base::Base;
pub(crate) use native::{Native, begin};
pub(crate) use target_info::TargetConfig;
