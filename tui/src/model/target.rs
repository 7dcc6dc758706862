//! Commands to the target: what a line would send, results of commands sent, and the filter that makes the trace fit
//! its link (`:target advise`), which is only put into the command line.

use std::time::{Duration, Instant};

use spytui_engine::{
    device::{
        advise::{Advice, AdvisedWord, Prices, Proposal, Question, advise, prices},
        command::{self, CommandError},
        control::{Control, Prepared},
        line::{TargetLine, expanded},
    },
    io::log::format::size_text,
};
use spytui_plugin_api::info::CommandInfo;

use super::{Effect, Model, links::Source, panes};
use crate::input::{Choice, HelpLine, PromptKind, TARGET};

/// For a protocol without a command for names.
pub const NAMES_BY_RESET: &str = "names come after a reset, from some targets also for target info";
/// Number of bytes shown of what a line would send.
const SHOWN: usize = 16;

/// Sends commands to the source addressed.
fn control(model: &Model) -> Option<&Control> {
    model.links.addressed().status.control.as_deref()
}

/// How long the header shows that a command is done.
const DONE_TIME: Duration = Duration::from_secs(3);

/// The active command, or the one just done, in a long and a short form: `#1 filter 12 s, 3.1 kB ahead`.
pub fn under_way(source: &Source, now: Instant) -> Option<[String; 2]> {
    let commands = &source.status.target.commands;
    if let Some(command) = commands.iter().find(|command| !command.state.is_over()) {
        let name = format!("#{} {}", command.number, command.name);
        let Some(pending) = command.pending else { return Some([format!("{name} waits"), name]) };
        let seconds = now.saturating_duration_since(pending.since).as_secs();
        let ahead = match pending.upto.saturating_sub(source.log().len()) {
            0 => String::new(),
            bytes => format!(", {} ahead", size_text(bytes)),
        };
        return Some([format!("{name} {seconds} s{ahead}"), format!("{name} {seconds} s")]);
    }
    let is_recent = |at: Instant| now.saturating_duration_since(at) < DONE_TIME;
    let done = commands.iter().rev().find(|command| command.done_at.is_some_and(is_recent))?;
    Some([format!("#{} {} ✓", done.number, done.name), format!("#{} ✓", done.number)])
}

/// The meaning of a line (without `target`).
pub fn read(model: &Model, line: &str) -> Result<TargetLine, CommandError> {
    let info = &model.links.addressed().decoding().decoder.info;
    TargetLine::read(line, info, |line| match control(model) {
        Some(control) => control.prepare(line),
        None => Err(CommandError::new(0, "there is no target to send to")),
    })
}

/// What Enter does with such a line; or why it can't be sent now.
pub fn effect_text(model: &Model, line: &str, asked: &TargetLine) -> Result<String, String> {
    match asked {
        TargetLine::Show => {
            let usage = usage(model, line);
            let usage = if usage.is_empty() { usage } else { format!("{usage} · ") };
            Ok(format!("{usage}Enter alone shows the Target pane"))
        }
        TargetLine::Advice(_) => Ok(HELP.to_owned()),
        TargetLine::Names => Ok(NAMES_BY_RESET.to_owned()),
        TargetLine::Send(prepared) => cannot_send(model).map_or_else(|| Ok(prepared_text(prepared)), Err),
    }
}

pub fn cannot_send(model: &Model) -> Option<String> {
    control(model)?.cannot_send()
}

/// What would be sent, in one line: assumptions, then the bytes.
fn prepared_text(prepared: &Prepared) -> String {
    let hex: Vec<String> = prepared.bytes.iter().take(SHOWN).map(|byte| format!("{byte:02X}")).collect();
    let more = if prepared.bytes.len() > SHOWN { " …" } else { "" };
    let frames = if prepared.frames > 1 { format!(" in {} frames", prepared.frames) } else { String::new() };
    let bytes = format!("{} B{frames}: {}{more}", prepared.bytes.len(), hex.join(" "));
    prepared.remarks.iter().cloned().chain([bytes]).collect::<Vec<_>>().join(" · ")
}

/// The question to ask before it is sent, if any.
pub fn question(asked: &TargetLine) -> Option<String> {
    let TargetLine::Send(prepared) = asked else { return None };
    let Prepared { command, bytes, .. } = &**prepared;
    command.confirm.then(|| format!("{}: Enter again sends {} B, Esc does not", command.help, bytes.len()))
}

/// Completions at the end of a line.
pub fn completions(model: &Model, line: &str) -> (usize, Vec<Choice>) {
    let (line, longer) = expanded(line);
    let decoding = model.links.addressed().decoding();
    let (from, found) = command::complete(&line, &decoding.decoder.info, &decoding.read().dictionary);
    let choices = found.into_iter().map(|item| Choice::new(item.text, item.help)).collect();
    (from.saturating_sub(longer), choices)
}

/// The command named by a line, and whether the line contains only its name.
fn named<'a>(model: &'a Model, line: &str) -> Option<(&'a CommandInfo, bool)> {
    let (line, _) = expanded(line);
    let info = &model.links.addressed().decoding().decoder.info;
    let words: Vec<&str> = line.split_whitespace().collect();
    command::find(&info.commands, &words).map(|(command, named)| (command, named == words.len()))
}

/// `peek OFFS SIZE [NUM]`
fn written(command: &CommandInfo) -> String {
    let args = command.args.iter().map(|arg| match arg.is_optional {
        true => format!(" [{}]", arg.name),
        false => format!(" {}", arg.name),
    });
    format!("{}{}", command.name, args.collect::<String>())
}

/// Syntax and description of the command of a line; empty if it names none.
pub fn usage(model: &Model, line: &str) -> String {
    named(model, line).map_or_else(String::new, |(command, _)| format!("{}  {}", written(command), command.help))
}

/// Carries out a line: sends it, shows the pane, fills in advice, or offers a reset.
pub fn run(model: &mut Model, asked: TargetLine) {
    match asked {
        TargetLine::Show => panes::show(model, TARGET),
        TargetLine::Advice(rate) => fill(model, rate),
        TargetLine::Names => {
            model.prompt.open(PromptKind::Command, "target reset").refused = Some(NAMES_BY_RESET.to_owned());
        }
        TargetLine::Send(command) => model.ask_for(Effect::SendCommand { source: model.links.focus, command }),
    }
}

/// Explanation from `?` for a command, if the line contains only its name.
pub fn explain(model: &Model, line: &str) -> Vec<HelpLine> {
    let command = named(model, line).filter(|(_, is_all)| *is_all).map(|(command, _)| command);
    command.map(|command| HelpLine::new(written(command), command.help.as_str())).into_iter().collect()
}

/// Description of `advise`.
pub const HELP: &str = "propose a filter that fits the link, which carries RATE B/s if that is given; nothing is sent";

/// Puts the filter that fits into the command line, or says why there is none.
pub fn fill(model: &mut Model, rate: Option<u64>) {
    if let Some(why) = cannot_send(model) {
        return model.fail(why);
    }
    match ask(model, rate, advise) {
        Advice::Nothing(text) | Advice::Missing(text) => model.say(text),
        Advice::Filter(proposal) => open(model, &proposal),
    }
}

pub fn costs(model: &Model) -> Prices {
    ask(model, None, prices)
}

fn ask<T>(model: &Model, rate: Option<u64>, answer: impl Fn(&Question<'_>) -> T) -> T {
    let source = model.links.addressed();
    let decoding = source.decoding();
    let state = decoding.read();
    answer(&Question {
        info: &decoding.decoder.info,
        dictionary: &state.dictionary,
        known: &source.status.target.filter,
        window: &source.traffic.busiest(),
        capacity: rate.or(source.status.facts.line_rate.map(u64::from)),
    })
}

/// Opens the command line with a filter; the text above it says what each word saves.
fn open(model: &mut Model, proposal: &Proposal) {
    let (off, on): (Vec<&AdvisedWord>, Vec<&AdvisedWord>) = proposal.words.iter().partition(|word| word.saves > 0);
    let off = off.iter().map(|word| HelpLine::new(word.word.as_str(), word.meaning()));
    let on: Vec<&str> = on.iter().map(|word| word.word.as_str()).collect();
    let stays = (!on.is_empty()).then(|| HelpLine::new("+", format!("{}: what reports errors stays", on.join(" "))));
    let sum = HelpLine::new("", format!("{}; Enter sends it", proposal.text()));
    let line = model.prompt.open(PromptKind::Command, &format!("target {}", proposal.line()));
    line.explained = off.chain(stays).chain([sum]).collect();
}
