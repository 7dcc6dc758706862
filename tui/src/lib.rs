//! spytui: software tracing of embedded systems in a terminal.

pub mod term;
