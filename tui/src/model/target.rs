//! Commands to the target: what a line would send, and what became of those that were sent.

use std::time::{Duration, Instant};

use spytui_engine::{
    command::{self, CommandError},
    control::{CommandStatus, Control, Preview, TargetStatus},
    log::format::size_text,
};
use spytui_plugin_api::{
    Info,
    info::{ArgForms, CommandInfo},
};

use super::{Effect, Model, links::Source};
use crate::action::{Choice, HelpLine, PromptKind, TARGET};

/// For a protocol without a command for it.
pub const NAMES_BY_RESET: &str = "this protocol sends its names after a reset only";
/// Bytes shown of what a line would send.
const SHOWN: usize = 16;

/// The source whose target gets commands: the first one shown.
#[must_use]
pub fn source(model: &Model) -> usize {
    model.links.scope[0]
}

fn control(model: &Model) -> Option<&Control> {
    model.links.sources[source(model)].status.control.as_deref()
}

/// A line with its first word written out: `f` is `filter`. The second value is by how much that made it longer.
#[must_use]
pub fn expanded(line: &str) -> (String, usize) {
    const FILTER: &str = "filter";
    match line.strip_prefix('f').filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        Some(rest) => (format!("{FILTER}{rest}"), FILTER.len() - 1),
        None => (line.to_owned(), 0),
    }
}

/// How long the header shows that a command is done.
const DONE_TIME: Duration = Duration::from_secs(3);

/// The command under way, or the one just done, in words and in fewer words: `#1 filter 12 s, 3.1 kB ahead`.
#[must_use]
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

/// What a line means.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning {
    /// The Target pane is shown.
    Pane,
    /// The target is to send its names again, and has no command for it.
    Names,
    /// This is sent.
    Command(String),
}

fn meaning(model: &Model, line: &str) -> Meaning {
    let (line, _) = expanded(line);
    let info = &model.links.sources[source(model)].decoding().decoder.info;
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_filter = |command: &CommandInfo| command.args.iter().any(|arg| arg.forms.intersects(ArgForms::FILTER));
    match (words.as_slice(), command::find(&info.commands, &words)) {
        ([], _) | (["filter"], None) => Meaning::Pane,
        (_, Some((command, named))) if named == words.len() && is_filter(command) => Meaning::Pane,
        (["dict"], None) if needs_reset_for_names(info) => Meaning::Names,
        _ => Meaning::Command(line),
    }
}

/// Whether a target sends its names after a reset only: it takes commands, but none for them.
#[must_use]
pub fn needs_reset_for_names(info: &Info) -> bool {
    !info.commands.is_empty() && command::find(&info.commands, &["dict"]).is_none()
}

/// What is wrong with a line, with its column.
#[must_use]
pub fn mistake(model: &Model, line: &str) -> Option<(usize, String)> {
    match meaning(model, line) {
        Meaning::Pane | Meaning::Names => None,
        Meaning::Command(_) => preview(model, line).err().map(|error| (error.column, error.message)),
    }
}

/// Why a line can't be sent now.
#[must_use]
pub fn obstacle(model: &Model, line: &str) -> Option<String> {
    cannot_send(model).filter(|_| matches!(meaning(model, line), Meaning::Command(_)))
}

/// What Enter does with a line, in words.
#[must_use]
pub fn effect_text(model: &Model, line: &str) -> String {
    match meaning(model, line) {
        Meaning::Pane => {
            let usage = usage(model, line);
            let usage = if usage.is_empty() { usage } else { format!("{usage} · ") };
            format!("{usage}Enter alone shows the Target pane")
        }
        Meaning::Names => NAMES_BY_RESET.to_owned(),
        Meaning::Command(_) => preview(model, line).as_ref().map_or_else(|_| String::new(), preview_text),
    }
}

/// What a line (without `target`) would send now.
///
/// # Errors
/// What is wrong with it, with its column.
pub fn preview(model: &Model, line: &str) -> Result<Preview, CommandError> {
    let (line, longer) = expanded(line);
    let Some(control) = control(model) else {
        return Err(CommandError::new(0, "there is no target to send to"));
    };
    control.preview(&line).map_err(|error| CommandError { column: error.column.saturating_sub(longer), ..error })
}

/// Why nothing can be sent now.
#[must_use]
pub fn cannot_send(model: &Model) -> Option<String> {
    control(model)?.cannot_send()
}

/// The preview in one line: what was assumed, then the bytes.
#[must_use]
pub fn preview_text(preview: &Preview) -> String {
    let hex: Vec<String> = preview.bytes.iter().take(SHOWN).map(|byte| format!("{byte:02X}")).collect();
    let more = if preview.bytes.len() > SHOWN { " …" } else { "" };
    let frames = if preview.frames > 1 { format!(" in {} frames", preview.frames) } else { String::new() };
    let bytes = format!("{} B{frames}: {}{more}", preview.bytes.len(), hex.join(" "));
    preview.remarks.iter().cloned().chain([bytes]).collect::<Vec<_>>().join(" · ")
}

/// What a line needs to be asked before it is sent.
#[must_use]
pub fn question(model: &Model, line: &str) -> Option<String> {
    let preview = preview(model, line).ok().filter(|preview| preview.confirm)?;
    let (line, _) = expanded(line);
    let info = &model.list.decoding().decoder.info;
    let words: Vec<&str> = line.split_whitespace().collect();
    let (command, _) = command::find(&info.commands, &words)?;
    Some(format!("{}: Enter again sends {} B, Esc does not", command.help, preview.bytes.len()))
}

/// What may stand at the end of a line.
#[must_use]
pub fn completions(model: &Model, line: &str) -> (usize, Vec<Choice>) {
    let (line, longer) = expanded(line);
    let decoding = model.links.sources[source(model)].decoding();
    let (from, found) = command::complete(&line, &decoding.decoder.info, &decoding.read().dictionary);
    let choices = found.into_iter().map(|item| Choice::new(item.text, item.help)).collect();
    (from.saturating_sub(longer), choices)
}

/// How the command of a line is written, and what it does; empty if it names none.
#[must_use]
pub fn usage(model: &Model, line: &str) -> String {
    let (line, _) = expanded(line);
    let info = &model.links.sources[source(model)].decoding().decoder.info;
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((command, _)) = command::find(&info.commands, &words) else { return String::new() };
    let args = command.args.iter().map(|arg| match arg.is_optional {
        true => format!(" [{}]", arg.name),
        false => format!(" {}", arg.name),
    });
    format!("{}{}  {}", command.name, args.collect::<String>(), command.help)
}

/// Does what a line says: sends it, or shows the pane, or offers a reset.
pub fn run(model: &mut Model, line: &str) {
    match meaning(model, line) {
        Meaning::Pane => model.panes.show(TARGET),
        Meaning::Names => {
            model.prompt.open(PromptKind::Command, "target reset");
            if let Some(line) = &mut model.prompt.line {
                line.refused = Some(NAMES_BY_RESET.to_owned());
            }
        }
        Meaning::Command(line) => model.ask_for(Effect::SendCommand { source: source(model), line }),
    }
}

/// What `?` tells of a command, if the line is no more than its name.
#[must_use]
pub fn explain(model: &Model, line: &str) -> Vec<HelpLine> {
    let (line, _) = expanded(line);
    let info = &model.links.sources[source(model)].decoding().decoder.info;
    let words: Vec<&str> = line.split_whitespace().collect();
    match command::find(&info.commands, &words) {
        Some((command, named)) if named == words.len() => {
            let usage = usage(model, &line);
            let left = usage.trim_end_matches(command.help.as_str()).trim_end().to_owned();
            vec![HelpLine { left, right: command.help.to_string(), heading: false }]
        }
        _ => Vec::new(),
    }
}

/// Commands that have ended since an earlier status.
pub(super) fn ended<'a>(before: &'a TargetStatus, now: &'a TargetStatus) -> impl Iterator<Item = &'a CommandStatus> {
    let was_over = |number| before.commands.iter().any(|command| command.number == number && command.state.is_over());
    now.commands.iter().filter(move |command| command.state.is_over() && !was_over(command.number))
}

/// Whether a source has a target that takes commands.
#[must_use]
pub fn is_able(source: &Source) -> bool {
    !source.decoding().decoder.info.commands.is_empty()
}
