//! Bytes to rows, our own reading. `native` makes rows; `console` finds text between frames; `control_event` handles records that affect later ones: cores
//! (`cores`), time (`resolution`), the operating system (`system`); `pending_start` holds frames that may start a recording.

mod console;
mod control_event;
mod cores;
mod native;
mod pending_start;
mod resolution;
mod system;

pub(crate) use native::{Native, begin};
