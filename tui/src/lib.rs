//! spytui: software tracing of embedded systems in a terminal.

pub mod action;
pub mod app;
pub mod app_log;
pub mod cli;
pub mod config;
pub mod demo;
pub mod hint;
pub mod sys;
pub mod term;
pub mod view;

/// Runs the program; its exit code.
pub fn main() -> std::process::ExitCode {
    cli::main(app::run)
}
