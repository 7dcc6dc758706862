//! spytui: software tracing of embedded systems in a terminal.
//!
//! | module | what is in it |
//! |---|---|
//! | [`cli`] | the command line, and the commands that need no screen |
//! | [`app`] | the main loop of the screen |
//! | [`update`], [`model`] | messages change the model and request effects |
//! | [`effects`] | links, threads, files and the clipboard |
//! | [`commands`], [`pane`] | the commands and panes; each has a file or folder, and a line in a list |
//! | [`view`], [`widget`] | drawing |
//! | [`input`] | keys, actions, and the command line |
//! | [`term`], [`sys`] | the terminal and the operating system |
//! | [`recording`], [`writing`] | how sources are recorded; files in the formats of a reference host |
//! | [`trigger`], [`watching`] | triggers as users write them; the threads that judge rows for them |
//! | [`config`], [`app_log`], [`demo`], [`hint`] | settings, the program's own log, `--demo`, suggestions for mistyped words |

pub mod app;
pub mod app_log;
pub mod cli;
pub mod commands;
pub mod config;
pub mod demo;
pub mod effects;
pub mod hint;
pub mod input;
pub mod model;
pub mod pane;
pub mod recording;
pub mod sys;
pub mod term;
pub mod trigger;
pub mod update;
pub mod view;
pub mod watching;
pub mod widget;
pub mod writing;

pub fn main() -> std::process::ExitCode {
    if sys::serve_as_guard() {
        return std::process::ExitCode::SUCCESS;
    }
    // If this fails, exceeding the file size limit ends the program, as usual.
    let _ = sys::survive_size_limit();
    cli::main(app::run)
}
