//! The command line: arguments, and the commands that need no screen.
//!
//! | module | what is in it |
//! |---|---|
//! | [`args`] | the arguments, one definition for parser, help and completions |
//! | [`failure`] | exit codes and their sentences |
//! | [`decoders`] | which decoders there are: built in, and plugin files |
//! | [`settings`] | configuration and profiles under the arguments |
//! | [`links`] | links from arguments |
//! | [`peers`] | all targets on their way to one output, with senders that join |
//! | [`output`] | rows to an output in one of the formats |
//! | [`decode`] | `spytui decode` |
//! | [`lines`] | `spytui` without a terminal on stdout |
//! | [`record`] | `spytui record` |
//! | [`stats`] | `spytui stats` |
//! | [`export`] | `spytui export` |
//! | [`about`] | `spytui completions`, `spytui man` |
//! | [`listings`] | `spytui ports`, `spytui plugins` |

pub mod about;
pub mod args;
pub mod decode;
pub mod decoders;
pub mod export;
pub mod failure;
pub mod lines;
pub mod links;
pub mod listings;
pub mod output;
pub mod peers;
pub mod record;
pub mod settings;
pub mod stats;
pub mod stop;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Args, Command, ExportCommand};
use failure::Failure;

/// Runs the command that the arguments name; the program's exit code.
pub fn main() -> ExitCode {
    match settings::Settings::load().and_then(|settings| command(&Args::parse(), settings)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}

fn command(args: &Args, mut settings: settings::Settings) -> Result<u8, Failure> {
    match &args.command {
        Some(Command::Decode(decode)) => decode::run(decode, &settings),
        Some(Command::Record(record)) => record::run(record),
        Some(Command::Stats(stats)) => stats::run(stats, &settings),
        Some(Command::Ports) => listings::ports(),
        Some(Command::Plugins(plugins)) => listings::plugins(plugins, &settings),
        Some(Command::Export(ExportCommand::Perfetto(perfetto))) => export::perfetto(perfetto, &settings),
        Some(Command::Completions(shell)) => about::completions(shell.shell),
        Some(Command::Man) => about::man(),
        None => {
            let args = settings.complete(args)?;
            match misspelt(&args) {
                Some(failure) => Err(failure),
                None => run(&args, settings),
            }
        }
    }
}

/// A single word where a link is expected, of no file, and no decoder: a command that there is not.
fn misspelt(args: &Args) -> Option<Failure> {
    let word = args.link.input.first()?;
    let single = word.len() > 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
    if !single || args.decoder.proto.is_some() || std::path::Path::new(word).exists() {
        return None;
    }
    let commands = Args::command();
    let names: Vec<&str> = commands.get_subcommands().map(clap::Command::get_name).collect();
    let help = match spytui_plugin_api::nearest::nearest(word, names.iter().copied()) {
        Some(name) => format!("nearest: {name}"),
        None => format!("the commands are {}; a link wants --proto NAME", names.join(" ")),
    };
    Some(Failure::usage(format!("{word}: no such command or file; {help}")))
}

/// The program itself: on a terminal the screen, otherwise lines.
fn run(args: &Args, settings: settings::Settings) -> Result<u8, Failure> {
    use std::io::IsTerminal;
    if args.print_config {
        return listings::configuration(&settings);
    }
    let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    if args.headless || dumb || !std::io::stdout().is_terminal() {
        return lines::run(args, &settings);
    }
    crate::app::run(args, settings)
}
