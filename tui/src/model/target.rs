//! Commands to the target: what a line would send, and what became of those that were sent.

use spytui_engine::{
    command::{self, CommandError},
    control::{CommandStatus, Control, Preview, TargetStatus},
};

use super::{Effect, Model, links::Source};
use crate::action::Choice;

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

/// Sends a line.
pub fn send(model: &mut Model, line: &str) {
    let (line, _) = expanded(line);
    model.ask_for(Effect::SendCommand { source: source(model), line });
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
