//! spytui: software tracing of embedded systems in a terminal.

pub mod cli;
pub mod demo;
pub mod journal;
pub mod term;
