//! The command line: arguments, and the commands that need no screen.
//!
//! | module | what is in it |
//! |---|---|
//! | [`args`] | the arguments, one definition for parser, help and completions |
//! | [`failure`] | exit codes and messages |
//! | [`decoders`] | available decoders, built in and from plugin files; `spytui ports`, `spytui plugins` |
//! | [`settings`] | configuration and profiles as defaults of the arguments |
//! | [`links`] | links from arguments |
//! | [`mod@filter`] | `--filter`, and the message when nothing passes |
//! | [`output`] | writes rows in one of the formats; standard output that can't block the end of a run |
//! | [`decode`] | `spytui decode` |
//! | [`exec`] | runs a script while lines are printed |
//! | [`like_qspy`] | what stands for the options and keys of QSPY |
//! | [`lines`] | `spytui` without a terminal on stdout: all targets, merged into one output |
//! | [`play`] | `spytui play` |
//! | `check` | `spytui check` |
//! | `compare` | `spytui compare` |
//! | `cut` | `spytui cut` |
//! | [`record`] | `spytui record`, and the recordings of any run |
//! | `tee` | the bytes of a link that is recorded, for readers |
//! | [`stats`] | `spytui stats` |
//! | [`export`] | `spytui export` |
//! | [`about`] | output of `-h`, `spytui completions`, `spytui man` |
//! | `doctor` | `spytui doctor` |
//! | [`formats`] | format files, `spytui formats` |
//! | `parquet` | `spytui export parquet` |
//! | `sql` | `spytui sql` |
//! | `plugin_new` | `spytui plugin new` |

pub mod about;
pub mod args;
mod check;
mod compare;
mod cut;
pub mod decode;
pub mod decoders;
mod doctor;
pub mod exec;
pub mod export;
pub mod failure;
pub mod filter;
pub mod formats;
pub mod like_qspy;
pub mod lines;
pub mod links;
pub mod output;
mod parquet;
pub mod play;
mod plugin_new;
pub mod record;
pub mod settings;
mod sql;
pub mod stats;
mod tee;

use std::{ffi::OsString, path::Path, process::ExitCode};

use clap::{CommandFactory, FromArgMatches};
use spytui_engine::{open::has_left, present::sanitise};

use crate::sys;
use args::{Args, CliCommand, ConfigCommand, ExportCommand, FormatsCommand, PluginCommand};
use failure::Failure;

pub type OpenScreen = fn(&Args, settings::Settings) -> Result<u8, Failure>;

/// Runs the command named by the arguments, or opens the screen; returns the program's exit code.
pub fn main(screen: OpenScreen) -> ExitCode {
    let code = arguments().and_then(|args| dispatch(&args, screen)).unwrap_or_else(|failure| failure.report());
    // Whatever the result: a plugin call has not returned.
    ExitCode::from(if has_left() && code < 128 { failure::PLUGIN_FAILED } else { code })
}

/// Runs commands that don't need the configuration, or loads it.
fn dispatch(args: &Args, screen: OpenScreen) -> Result<u8, Failure> {
    if args.command.is_some() {
        sys::keep_stdout();
    }
    match &args.command {
        Some(CliCommand::Completions { shell }) => about::completions(*shell),
        Some(CliCommand::Man) => about::man(),
        Some(CliCommand::Config(ConfigCommand::Init)) => settings::init(),
        Some(CliCommand::Doctor) => doctor::run(),
        Some(CliCommand::Sql(sql)) => sql::run(sql),
        Some(CliCommand::Plugin(PluginCommand::New { name, kind })) => plugin_new::run(name, *kind),
        None if args.like_qspy.is_some() => {
            let line = like_qspy::line(args.like_qspy.as_deref().unwrap_or_default())?;
            output::print(&format!("{line}\n")).map(|()| 0)
        }
        _ => {
            let settings = settings::Settings::load()?;
            settings.config.refused.iter().for_each(failure::say);
            command(args, settings, screen)
        }
    }
}

/// Parses the program's arguments; help and the like end it.
fn arguments() -> Result<Args, Failure> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let args = parsed(&words)?;
    command_first(&args, words).map_or(Ok(args), |words| parsed(&words))
}

fn parsed(words: &[OsString]) -> Result<Args, Failure> {
    let parse = |words: &[OsString]| -> Result<Args, clap::Error> {
        let mut command = about::command_for(words);
        let mut matches = command.try_get_matches_from_mut(words)?;
        Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    };
    parse(words).map_err(|error| {
        if !error.use_stderr() {
            error.exit();
        }
        // The message quotes the arguments between its own colours, so sanitised arguments make it safe to print.
        let safe: Vec<OsString> = words.iter().map(|word| sanitise(word.as_encoded_bytes()).into()).collect();
        match parse(&safe) {
            Err(error) if error.use_stderr() => error.exit(),
            _ => Failure::usage(error),
        }
    })
}

/// The words with the command first, if options precede it: `--plugin X plugins`. A file with that name is a file.
fn command_first(args: &Args, mut words: Vec<OsString>) -> Option<Vec<OsString>> {
    let word = args.link.input.first().filter(|word| args.command.is_none() && !Path::new(word).exists())?;
    Args::command().get_subcommands().find(|command| word == command.get_name())?;
    let at = words.iter().skip(1).position(|other| other == word)? + 1;
    let command = words.remove(at);
    words.insert(1, command);
    Some(words)
}

fn command(args: &Args, mut settings: settings::Settings, screen: OpenScreen) -> Result<u8, Failure> {
    match &args.command {
        Some(CliCommand::Decode(decode)) => decode::run(decode, &settings),
        Some(CliCommand::Record(record)) => record::run(record, &settings),
        Some(CliCommand::Cut(cut)) => cut::run(cut, &settings),
        Some(CliCommand::Play(play)) => match &play.serve_tcp {
            Some(address) => play::serve(play, address, &settings),
            None => {
                let args = settings.complete(&play::as_link(args, play))?;
                run(&args, settings, screen)
            }
        },
        Some(CliCommand::Stats(stats)) => stats::run(stats, &settings),
        Some(CliCommand::Check(check)) => check::run(check, &settings),
        Some(CliCommand::Compare(compare)) => compare::run(compare, &settings),
        Some(CliCommand::Ports) => decoders::ports(),
        Some(CliCommand::Plugins(plugins)) => decoders::plugins(plugins, &settings),
        Some(CliCommand::Formats(formats)) => match &formats.command {
            Some(FormatsCommand::New { from, decoder }) => formats::print_lines_for(from, decoder, &settings),
            _ => formats::run(formats, &settings),
        },
        Some(CliCommand::Export(ExportCommand::Perfetto(args))) => export::perfetto(args, &settings),
        Some(CliCommand::Export(ExportCommand::Ctf(args))) => export::ctf(args, &settings),
        Some(CliCommand::Export(ExportCommand::Vcd(args))) => export::vcd(args, &settings),
        Some(CliCommand::Export(ExportCommand::Parquet(args))) => parquet::run(args, &settings),
        Some(CliCommand::Export(ExportCommand::Sequence(args))) => export::sequence(args, &settings),
        _ => {
            let args = settings.complete(args)?;
            match misspelt(&args) {
                Some(failure) => Err(failure),
                None => run(&args, settings, screen),
            }
        }
    }
}

/// A single word instead of a link, without such a file and without `--proto`, is a mistyped command.
fn misspelt(args: &Args) -> Option<Failure> {
    let word = args.link.input.first()?.to_str()?;
    let single = word.len() > 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
    if !single || args.decoder.proto.is_some() || Path::new(word).exists() {
        return None;
    }
    let commands = Args::command();
    let names: Vec<&str> = commands.get_subcommands().map(clap::Command::get_name).collect();
    let hint = match crate::hint::did_you_mean(word, names.iter().copied()) {
        hint if hint.is_empty() => format!("; the commands are {}", names.join(" ")),
        hint => hint,
    };
    Some(Failure::usage(format!("{word}: no such command or file{hint}")))
}

/// Shown without a link.
const START: &str = "which link? For example
  spytui --demo qs                         a target inside this program, no hardware needed
  spytui trace.bin                         a file; decoder from its bytes, or --proto NAME
  spytui --port /dev/ttyUSB0 --baud 115200 a serial port; `spytui ports` lists them
  spytui --tcp HOST:PORT                   a server; --listen PORT and --udp PORT wait for boards
  spytui --help                            everything else; on the screen ? lists the keys";

/// Runs the program without a command: the screen on a terminal, otherwise lines.
fn run(args: &Args, settings: settings::Settings, screen: OpenScreen) -> Result<u8, Failure> {
    if args.print_config {
        return decoders::configuration(&settings);
    }
    if links::specs(&args.link)?.is_empty() && args.demo.proto.is_none() && args.console.is_empty() {
        return Err(Failure::usage(START));
    }
    let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    if args.headless || args.exec.is_some() || dumb || !sys::is_stdout_terminal() {
        if !args.console.is_empty() {
            return Err(Failure::usage(
                "--console needs the screen; lines of its text alone: spytui --proto console LINK",
            ));
        }
        sys::keep_stdout();
        return lines::run(args, &settings);
    }
    screen(args, settings)
}
