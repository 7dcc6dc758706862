//! Bytes to rows in our own reading: `reader` makes rows of frames; `control_event` handles events that change the
//! meaning of later ones: cores (`cores`), drop counts (`drops`), time; `pending_start` waits for what a start of
//! recording turns out to be.

mod control_event;
mod cores;
mod drops;
mod pending_start;
mod reader;

pub(crate) use reader::Tracer;
