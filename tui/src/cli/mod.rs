//! The command line: arguments, and the commands that need no screen.
//!
//! | module | what is in it |
//! |---|---|
//! | [`args`] | the arguments, one definition for parser, help and completions |
//! | [`failure`] | exit codes and their sentences |
//! | [`decoders`] | which decoders there are: built in, and plugin files |
//! | [`links`] | links from arguments |
//! | [`output`] | rows to an output in one of the formats |
//! | [`decode`] | `spytui decode` |
//! | [`lines`] | `spytui` without a terminal on stdout |
//! | [`record`] | `spytui record` |
//! | [`stats`] | `spytui stats` |
//! | [`listings`] | `spytui ports`, `spytui plugins` |

pub mod args;
pub mod decode;
pub mod decoders;
pub mod failure;
pub mod lines;
pub mod links;
pub mod listings;
pub mod output;
pub mod record;
pub mod stats;
pub mod stop;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

/// Runs the command that the arguments name; the program's exit code.
pub fn main() -> ExitCode {
    let args = Args::parse();
    let answer = match &args.command {
        Some(Command::Decode(decode)) => decode::run(decode),
        Some(Command::Record(record)) => record::run(record),
        Some(Command::Stats(stats)) => stats::run(stats),
        Some(Command::Ports) => listings::ports(),
        Some(Command::Plugins(plugins)) => listings::plugins(plugins),
        None => run(&args),
    };
    match answer {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}

/// The program itself: on a terminal the screen, otherwise lines.
fn run(args: &Args) -> Result<u8, Failure> {
    use std::io::IsTerminal;
    let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    if args.headless || dumb || !std::io::stdout().is_terminal() {
        return lines::run(args);
    }
    crate::app::run(args)
}
