//! The command line: commands, searches, filters and notes, with completions, and error messages before Enter.

use crossterm::event::{KeyCode, KeyEvent};
use spytui_engine::{
    device::line::TargetLine,
    query::{self, Expr},
};

use crate::{
    app_log::LogLevel,
    input::{self, Aid, ArgKind, Completions, EditOutcome, Ghost, Given, KeyPress, PromptKind},
    model::{
        Effect, Model, filter, jump, line_search,
        prompt::{CommandLine, Help, Notice},
        search, target,
    },
};

/// A filter is completed like the argument of this command.
const FILTER: &str = "filter ";

/// Handles a key while the line is open.
///
/// After a character, preview and completions wait for the next frame, so that many characters cost no more than one.
pub(super) fn key(model: &mut Model, key: KeyPress) {
    let is_character = key.character().is_some();
    if !is_character {
        catch_up(model);
    }
    let Some(mut line) = model.prompt.line.take() else { return };
    line.explained.clear();
    if key.character() == Some('?') && is_asked_about(&line) {
        let text = line.editor.text();
        if text.trim().is_empty() {
            // The help lists all commands.
            model.prompt.help = Some(Help { filter: ":".to_owned(), ..Help::default() });
            return;
        }
        line.explained = match of_target(text).map(str::trim).filter(|command| !command.is_empty()) {
            Some(command) => target::explain(model, command),
            None => input::explain(text, model),
        };
        if !line.explained.is_empty() {
            return model.prompt.line = Some(line);
        }
    }
    let kind = line.editor.kind();
    let complete = |text: &str, cursor: usize| complete(model, kind, text, cursor);
    let aid = Aid { complete: &complete, ghost: &line.ghost.take, history: &model.prompt.history };
    if line.is_list && (key.character().is_some() || key.code() == KeyCode::Esc) {
        // Typing narrows the list instead of following the choice, and Esc closes it.
        line.is_list = false;
        line.editor.key(KeyPress::of(KeyEvent::from(KeyCode::Esc)), &aid);
    }
    match line.editor.key(key, &aid) {
        EditOutcome::Leave => search::close(model),
        EditOutcome::Run(text) => enter(model, line, &text),
        EditOutcome::Changed => {
            (line.refused, line.asked) = (None, None);
            if kind == PromptKind::Search {
                search::typed(model, line.editor.text());
            }
            model.prompt.line = Some(line);
        }
        EditOutcome::Nothing => model.prompt.line = Some(line),
    }
    match &mut model.prompt.line {
        Some(line) if is_character => line.is_behind = true,
        _ => refresh(model),
    }
}

/// Updates what typed characters left outdated.
pub(super) fn catch_up(model: &mut Model) {
    if model.prompt.line.as_ref().is_some_and(|line| line.is_behind) {
        refresh(model);
    }
}

/// Chooses the first entry of a list that was just opened.
pub(super) fn choose_of_list(model: &mut Model) {
    if model.prompt.line.as_ref().is_some_and(|line| line.is_list && line.editor.choices().is_none()) {
        key(model, KeyPress::of(KeyEvent::from(KeyCode::Tab)));
    }
}

/// `?` at the end of a command asks about it; everywhere else it is a character.
fn is_asked_about(line: &CommandLine) -> bool {
    let editor = &line.editor;
    editor.kind() == PromptKind::Command && editor.at_end() && editor.wanted().is_none()
}

/// Runs a valid line. An invalid one stays open, with the cursor at the error.
fn enter(model: &mut Model, mut line: CommandLine, text: &str) {
    let kind = line.editor.kind();
    match read(model, kind, text) {
        Ok(given) if asks_first(given.as_ref(), &mut line, text) => model.prompt.line = Some(line),
        Ok(given) => {
            model.prompt.notice = None;
            run(model, kind, text, given);
            keep_open(model, kind, text);
        }
        Err((column, message)) => {
            model.log(LogLevel::Warning, "app", message.clone());
            line.editor.set(text);
            line.editor.go_to(column);
            line.refused = Some(message);
            model.prompt.line = Some(line);
        }
    }
}

/// Whether a line needs a second Enter, because it stops the target or overwrites its memory.
fn asks_first(given: Option<&Given>, line: &mut CommandLine, text: &str) -> bool {
    let asked = given.and_then(|given| given.target.as_ref()).filter(|_| line.asked.as_deref() != Some(text));
    let Some(question) = asked.and_then(target::question) else { return false };
    line.editor.set(text);
    (line.asked, line.question) = (Some(text.to_owned()), question);
    true
}

/// The command that just ran was refused.
pub(super) fn take_refusal(model: &mut Model, message: String) {
    let just_run = model.prompt.just_run.clone();
    model.fail(message);
    if let Some((kind, text)) = just_run {
        keep_open(model, kind, &text);
        refresh(model);
    }
}

/// Reopens the line of a failed command, with the cursor at the argument at fault, if it has arguments.
fn keep_open(model: &mut Model, kind: PromptKind, text: &str) {
    let has_arguments = kind == PromptKind::Command && text.trim().contains(' ');
    if !has_arguments || model.prompt.line.is_some() || model.prompt.question.is_some() {
        return;
    }
    let Some(notice) = model.prompt.notice.take_if(|notice| notice.error) else { return };
    let column = at_fault(model, text, &notice.text).unwrap_or_else(|| text.chars().count());
    let line = model.prompt.open(kind, text);
    line.editor.go_to(column);
    line.refused = Some(notice.text);
}

/// Column of the argument that a message is about: the longest one that it mentions, otherwise the first one.
fn at_fault(model: &Model, text: &str, message: &str) -> Option<usize> {
    let given = input::parse(text, model).ok()?;
    let named = |word: &str| {
        let key = word.split_once('=').map_or(word, |(key, _)| key);
        message.contains(word) || message.contains(key)
    };
    let all: Vec<(usize, &str)> = given.arguments(text).collect();
    let longest = all.iter().filter(|(_, word)| named(word)).max_by_key(|(_, word)| word.len());
    longest.or(all.first()).map(|(column, _)| *column)
}

/// Parses a line: its command, if it is one; or its first error, with the column.
fn read(model: &Model, kind: PromptKind, text: &str) -> Result<Option<Given>, (usize, String)> {
    let of_query = |error: query::QueryError| (error.column, error.to_string());
    match kind {
        PromptKind::Command => input::parse(text, model).map(Some).map_err(|error| (error.column, error.to_string())),
        PromptKind::Filter => query::parse(text, &filter::vocabulary(model)).map(|_| None).map_err(of_query),
        PromptKind::Search => query::search(text, &filter::vocabulary(model)).map(|_| None).map_err(of_query),
        PromptKind::Note => Ok(None),
    }
}

/// Inserts pasted text into the command line, if open.
pub(super) fn paste(model: &mut Model, text: &str) {
    match &mut model.prompt.line {
        Some(line) => {
            line.editor.paste(text);
            line.refused = None;
            line.explained.clear();
            refresh(model);
        }
        None => model.say("paste works in the command line only: press : first"),
    }
}

fn complete(model: &Model, kind: PromptKind, text: &str, cursor: usize) -> Completions {
    match kind {
        PromptKind::Command => input::complete(text, cursor, model),
        PromptKind::Filter => {
            let mut found = input::complete(&format!("{FILTER}{text}"), cursor + FILTER.len(), model);
            found.from = found.from.saturating_sub(FILTER.len());
            found
        }
        PromptKind::Search | PromptKind::Note => Completions::default(),
    }
}

/// Updates preview, ghost and completions for the current line.
pub(super) fn refresh(model: &mut Model) {
    let Some(mut line) = model.prompt.line.take() else { return };
    line.is_behind = false;
    let (kind, text) = (line.editor.kind(), line.editor.text().to_owned());
    let at_end = line.editor.at_end();
    line.ghost = match kind {
        PromptKind::Command if at_end => input::ghost(&text, model.prompt.history.newest(kind, &text), model),
        _ => Ghost::default(),
    };
    line.completions = match line.editor.choices() {
        Some((items, _)) => items.to_vec(),
        None if text.is_empty() => Vec::new(),
        None => {
            let found = complete(model, kind, &text, line.editor.cursor());
            let known = model.prompt.looked_up.as_ref().map(|found| &found.query);
            if let Some(query) = found.lookup.filter(|query| known != Some(query)) {
                model.ask_for(Effect::LookUp(query));
            }
            found.items
        }
    };
    line.preview = line.refused.as_ref().map_or_else(|| preview(model, &line), Notice::mistake);
    model.prompt.line = Some(line);
}

/// What a command would send depends on what the target has sent, which continues while the user types.
pub(super) fn follow(model: &mut Model) {
    catch_up(model);
    let Some(mut line) = model.prompt.line.take() else { return };
    let is_command = line.editor.kind() == PromptKind::Command && of_target(line.editor.text()).is_some();
    if is_command && line.refused.is_none() {
        line.preview = preview(model, &line);
    }
    model.prompt.line = Some(line);
}

fn preview(model: &Model, line: &CommandLine) -> Notice {
    let text = line.editor.text();
    if let Some(wanted) = line.editor.wanted() {
        return Notice::said(format!("history with \"{wanted}\" · ^r older"));
    }
    if text.trim().is_empty() {
        return Notice::said(match line.editor.kind() {
            PromptKind::Command => "a command; Tab completes, ? explains, Up recalls, Enter repeats the last",
            PromptKind::Search => "words as they stand in the rows, /regex/, or a test as kind:Tran",
            PromptKind::Filter => "which rows to show, as kind:Tran,Ignored -sig:TEMP*; empty shows all",
            PromptKind::Note => "a note for this row",
        });
    }
    match line.editor.kind() {
        PromptKind::Command => {
            let preview = preview_command(model, line);
            // Of several targets, whose command it is.
            let source = model.links.is_joint().then(|| format!("{}: ", model.links.addressed().name()));
            Notice { text: format!("{}{}", source.unwrap_or_default(), preview.text), ..preview }
        }
        PromptKind::Filter => match filter::read(model, text) {
            Ok(expr) => doubt(model, &expr, line).map_or(Notice::default(), Notice::mistake),
            Err(error) => Notice::mistake(error),
        },
        PromptKind::Search => {
            let error = match line_search::is_here(model) {
                true => query::plain(text).err(),
                false => query::search(text, &filter::vocabulary(model)).err(),
            };
            error.map_or_else(Notice::default, |error| Notice::mistake(error.to_string()))
        }
        PromptKind::Note => Notice::default(),
    }
}

fn preview_command(model: &Model, line: &CommandLine) -> Notice {
    let text = line.editor.text();
    if line.asked.is_some() {
        return Notice::said(&line.question);
    }
    match input::parse(text, model) {
        Ok(given) if given.command.args.iter().any(|arg| arg.kind == ArgKind::Target) => {
            let is_filled = line.filled.as_deref() == Some(text);
            let keys = if is_filled { "Enter sends it to the target, Esc drops it · " } else { "" };
            let asked = given.target.as_ref().unwrap_or(&TargetLine::Show);
            let keys = if matches!(asked, TargetLine::Advice(_)) { "" } else { keys };
            match target::effect_text(model, &given.must(0), asked) {
                Ok(effect) => Notice::said(format!("{keys}{effect}")),
                Err(obstacle) => Notice::mistake(obstacle),
            }
        }
        Ok(given) => {
            let expr = expression(model, &given);
            let doubt = expr.and_then(|expr| doubt(model, &expr, line));
            doubt.map_or_else(|| Notice::said(&line.ghost.help), Notice::mistake)
        }
        // Missing text is no error yet.
        Err(error) if error.column >= text.trim_end().chars().count() => Notice::said(usage(model, line)),
        // Nor is the beginning of a word for the target.
        Err(_) if of_target(text).is_some() && may_go_on(line) => Notice::said(usage(model, line)),
        Err(error) => Notice::mistake(match error.column {
            0 => error.to_string(),
            column => format!("column {}: {error}", column + 1),
        }),
    }
}

/// Syntax and description of the line's command.
fn usage(model: &Model, line: &CommandLine) -> String {
    let usage = of_target(line.editor.text()).map(|command| target::usage(model, command));
    usage.filter(|usage| !usage.is_empty()).unwrap_or_else(|| line.ghost.help.clone())
}

/// What follows `target` in a line.
fn of_target(text: &str) -> Option<&str> {
    text.split_once(' ').filter(|(word, _)| matches!(*word, "t" | "target")).map(|(_, command)| command)
}

/// Whether the last word may become one of the completions.
fn may_go_on(line: &CommandLine) -> bool {
    !line.completions.is_empty() && !line.editor.text().ends_with(' ')
}

/// The expression that a command filters or searches by.
fn expression(model: &Model, given: &Given) -> Option<Expr> {
    let at = given.command.args.iter().position(|arg| matches!(arg.kind, ArgKind::Filter | ArgKind::Search))?;
    match given.command.args[at].kind {
        ArgKind::Search => given.search(at, model),
        _ => match given.filter(at, model) {
            input::FilterArg::Expr(expr) => Some(expr),
            _ => None,
        },
    }
}

/// A warning about an unknown name in an expression; none while the word may still become a known one.
fn doubt(model: &Model, expr: &Expr, line: &CommandLine) -> Option<String> {
    if may_go_on(line) {
        return None;
    }
    query::doubt(expr, &filter::vocabulary(model))
}

fn run(model: &mut Model, kind: PromptKind, text: &str, given: Option<Given>) {
    if model.prompt.history.add(kind, text) {
        model.ask_for(Effect::SaveHistory(kind, text.to_owned()));
    }
    model.prompt.just_run = Some((kind, text.to_owned()));
    match kind {
        PromptKind::Command => {
            if let Some((command, given)) = given.and_then(|given| Some((model.settings.command(&given)?, given))) {
                (command.run)(&given, model);
            }
        }
        PromptKind::Filter => filter::set_text(model, text),
        PromptKind::Search => search::enter(model, text),
        PromptKind::Note => jump::mark(model, None, text.to_owned()),
    }
}
