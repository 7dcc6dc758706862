//! Bytes to rows, our own reading. `native` makes rows; `console` finds text between frames; `control_event` handles records that affect later ones: cores
//! (`cores`), time, the operating system (`system`); `pending_start` holds frames that may start a recording. `stream` is
//! what the reference tool's receiver shares.

mod console;
mod control_event;
mod cores;
mod native;
mod pending_start;
mod stream;
mod system;

pub(crate) use native::{Native, begin};
pub(crate) use stream::{FrameHandler, FrameStream};
