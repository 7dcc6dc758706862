//! Bytes to rows, our own reading. `reader` makes rows; `control_event` handles events that affect later ones: cores
//! (`cores`), drop counts (`drops`), time; `pending_start` holds what may be the start of a recording.

mod control_event;
mod cores;
mod drops;
mod pending_start;
mod reader;

pub(crate) use reader::Tracer;
