//! spytui: software tracing of embedded systems in a terminal.

pub mod action;
pub mod app;
pub mod cli;
pub mod config;
pub mod demo;
pub mod journal;
pub mod term;
pub mod view;
