//! All tests of the engine in one program, because each program is linked separately.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod discarded_bytes;
mod docs;
mod dumps;
mod files;
mod groups;
mod house;
mod in_process;
mod merge;
mod net;
mod perfetto;
mod pipeline;
mod plugins;
mod recording;
mod serial;
