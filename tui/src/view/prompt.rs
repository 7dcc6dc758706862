//! The last line: the command line while it is open, else the message; and completions over the lines above.

use spytui_engine::present::{clock::grouped, sanitise_text};

use super::tabs::preview_lines;
use crate::{
    input::{Action, HelpLine, Meaning},
    model::{
        Model,
        panes::Offer,
        prompt::{CommandLine, SHOWN, in_lines},
        screen::diagnosis_line,
    },
    term::{Role, cut_middle, cut_start, width},
    widget::Paint,
};

/// Width of the completions, unless one of them is longer.
const LEAST_COMPLETION: usize = 24;
/// Lines of a message at most.
const MOST_LINES: usize = 6;

/// Draws the line; returns the position of the cursor while something is typed.
pub(super) fn draw(model: &Model, paint: &mut Paint<'_>) -> Option<(u16, u16)> {
    let y = model.screen.layout.prompt;
    let room = model.screen.size.0;
    if let Some(line) = &model.prompt.line {
        if line.explained.is_empty() {
            completions(line, model, paint, y);
        } else {
            explanation(&line.explained, model, paint, y);
        }
        let sign = match line.editor.wanted() {
            Some(_) => "^r ".to_owned(),
            None => line.editor.kind().sign().to_string(),
        };
        let (shown, cursor) = line.shown(usize::from(room.saturating_sub(2 + sign.len() as u16)));
        let x = paint.text(0, y, room, &sign, Role::Title);
        let end = paint.text(x, y, room.saturating_sub(x), &shown, Role::Plain);
        paint.text(end, y, room.saturating_sub(end), &line.ghost.take, Role::Help);
        let before: String = shown.chars().take(cursor).collect();
        return Some(((x + width(&before) as u16).min(room.saturating_sub(1)), y));
    }
    if let Some(question) = &model.prompt.question {
        paint.text(0, y, room, &format!(" {}", question.line()), Role::Title);
        return None;
    }
    if !model.prompt.pressed.is_empty() {
        paint.text(0, y, room, &pressed(model), Role::Title);
        return None;
    }
    message(model, paint, y, room);
    None
}

/// The message; a long one takes the lines above until the next key.
fn message(model: &Model, paint: &mut Paint<'_>, y: u16, room: u16) {
    let in_list = is_diagnosis_in_list(model);
    if let Some(notice) = model.prompt.notice.as_ref().filter(|n| !in_list || !says_the_same(model, &n.text)) {
        let role = if notice.error { Role::Error } else { Role::Plain };
        paint.lines_up_to(y, room, &sanitise_text(&notice.text), MOST_LINES, role);
    } else if let Some(diagnosis) = model.screen.diagnosis.as_ref().filter(|_| !in_list) {
        paint.lines_up_to(y, room, diagnosis, 2, Role::Warning);
    } else {
        paint.text(1, y, room.saturating_sub(2), &model.screen.hint, Role::Help);
    }
}

/// `true` if a message repeats the diagnosis below the rows.
fn says_the_same(model: &Model, text: &str) -> bool {
    let start = |text: &str| text.chars().take(40).collect::<String>();
    model.screen.diagnosis.as_deref().is_some_and(|diagnosis| start(diagnosis) == start(text))
}

/// `true` if the diagnosis is shown below the rows.
fn is_diagnosis_in_list(model: &Model) -> bool {
    model.screen.layout.list_area.height > 0 && model.prompt.help.is_none() && diagnosis_line(model).is_some()
}

/// The keys pressed so far, and what may follow, or why nothing may.
fn pressed(model: &Model) -> String {
    let keys: Vec<String> = model.prompt.pressed.iter().map(ToString::to_string).collect();
    let mut text = format!(" {}", keys.join(" "));
    let mut refused = None;
    if let Meaning::Prefix(next) = model.settings.keymap.meaning(model.panes.front(), &model.prompt.pressed) {
        for (key, action) in next {
            match offer(model, action) {
                Offer::Words(words) => text.push_str(&format!("  {key} {words}")),
                Offer::Refused(why) => refused = Some(why),
                Offer::Usual | Offer::Nothing => {}
            }
        }
    }
    if let Some(why) = refused {
        text.push_str(&format!("  {why}"));
    }
    text
}

/// Help for an action.
fn offer(model: &Model, action: Action) -> Offer {
    let front = model.panes.get(model.panes.front());
    match front.map_or(Offer::Usual, |pane| pane.offer(action, model)) {
        Offer::Usual => {
            let entry = model.settings.keymap.catalog().entry(action);
            entry.map_or(Offer::Nothing, |entry| Offer::Words(entry.doc.to_owned()))
        }
        reported => reported,
    }
}

/// Width of the completions: as the longest of them needs, while there is room for help; no more where help needs it.
fn completion_column(typed: &CommandLine, room: usize) -> usize {
    let longest = typed.completions.iter().map(|choice| width(&choice.text)).max().unwrap_or(0);
    let help = typed.completions.iter().map(|choice| width(&choice.help)).max().unwrap_or(0);
    let free = room.saturating_sub(3 + help);
    longest.max(LEAST_COMPLETION.min(free)).min(free.max(room / 2))
}

/// At most six completions, over the lines above the preview.
fn completions(typed: &CommandLine, model: &Model, paint: &mut Paint<'_>, y: u16) {
    let lines = typed.completions.len().min(SHOWN) as u16;
    let top = y.saturating_sub(preview_lines(typed, model.screen.size.0) + lines);
    let first = typed.first_shown();
    let room = usize::from(model.screen.size.0);
    let column = completion_column(typed, room);
    let help = column + 2;
    let last = first + usize::from(lines).saturating_sub(1);
    let more = match typed.completions.len().saturating_sub(last + 1) {
        0 => String::new(),
        count => format!("{} {} more", paint.glyphs().ellipsis(), grouped(count as u64)),
    };
    for (i, choice) in typed.completions.iter().enumerate().skip(first).take(SHOWN) {
        let line = top + (i - first) as u16;
        paint.blank(line, model.screen.size.0);
        let ellipsis = paint.glyphs().ellipsis();
        // The last part of a path identifies it.
        let text = match choice.text.contains('/') {
            true => cut_start(&choice.text, column, ellipsis),
            false => cut_middle(&choice.text, column, ellipsis),
        };
        paint.text(1, line, column as u16, &text, Role::Kind);
        let more = if i == last { more.as_str() } else { "" };
        let end = room.saturating_sub(1 + width(more));
        paint.text(help as u16, line, end.saturating_sub(help + 1) as u16, &choice.help, Role::Help);
        paint.text(end as u16, line, width(more) as u16, more, Role::Help);
        if typed.chosen() == Some(i) {
            paint.tint(0, line, model.screen.size.0, Role::Cursor);
        }
    }
}

/// What `?` shows about a command, over the lines above the tab line.
fn explanation(explained: &[HelpLine], model: &Model, paint: &mut Paint<'_>, y: u16) {
    let room = model.screen.size.0;
    let left = explained.iter().map(|line| width(&line.left)).max().unwrap_or(0).min(usize::from(room) / 2) as u16;
    let words = usize::from(room.saturating_sub(left + 4)).max(1);
    let lines = explained.iter().flat_map(|line| in_lines(line, words, line.right.is_empty()));
    let lines: Vec<HelpLine> = lines.collect();
    let top = y.saturating_sub(1 + lines.len() as u16);
    for (HelpLine { left: usage, right: meaning, .. }, line) in lines.iter().zip(top..y) {
        paint.blank(line, room);
        paint.text(1, line, left, usage, Role::Kind);
        paint.text(left + 3, line, room.saturating_sub(left + 4), meaning, Role::Help);
    }
}
