//! The engine of spytui: everything between the wire and the screen, without a terminal type in it.

pub mod nearest;
pub mod query;
