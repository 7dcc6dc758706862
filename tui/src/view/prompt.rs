//! The last line: the command line while it is open, else the message; and completions over the lines above.

use spytui_engine::present::sanitise_text;

use super::paint::Paint;
use crate::{
    action::Meaning,
    app::{
        App,
        typing::{SHOWN, Typing},
    },
    term::{Role, width, wrap},
};

/// Lines of a message at most.
const MOST_LINES: usize = 6;

/// Draws it; the place of the cursor while something is typed.
pub(super) fn draw(app: &App, paint: &mut Paint<'_>) -> Option<(u16, u16)> {
    let y = app.layout.prompt;
    let room = app.size.0;
    if let Some(typing) = &app.typing {
        completions(typing, app, paint, y);
        let sign = match typing.editor.wanted() {
            Some(_) => "^r ".to_owned(),
            None => typing.editor.prompt().sign().to_string(),
        };
        let (shown, cursor) = typing.shown(usize::from(room.saturating_sub(2 + sign.len() as u16)));
        let x = paint.text(0, y, room, &sign, Role::Title);
        let end = paint.text(x, y, room.saturating_sub(x), &shown, Role::Plain);
        paint.text(end, y, room.saturating_sub(end), &typing.ghost.take, Role::Help);
        let before: String = shown.chars().take(cursor).collect();
        return Some(((x + width(&before) as u16).min(room.saturating_sub(1)), y));
    }
    if app.asks_to_quit {
        let recording = app.source().recorder.is_some();
        let text = if recording {
            " quit? q yes, recording stops · any other key stays"
        } else {
            " quit? q yes · s save everything received first · any other key stays"
        };
        paint.text(0, y, room, text, Role::Title);
        return None;
    }
    if !app.pressed.is_empty() {
        paint.text(0, y, room, &pressed(app), Role::Title);
        return None;
    }
    message(app, paint, y, room);
    None
}

/// The message; a long one takes the lines above until the next key.
fn message(app: &App, paint: &mut Paint<'_>, y: u16, room: u16) {
    let inner = room.saturating_sub(2);
    let told = is_told(app);
    if let Some(notice) = app.notice.as_ref().filter(|n| !told || !says_the_same(app, &n.text)) {
        let role = if notice.error { Role::Error } else { Role::Plain };
        let text = sanitise_text(&notice.text);
        let lines = wrap(&text, usize::from(inner));
        let shown = lines.len().min(MOST_LINES);
        for (i, line) in lines.into_iter().take(shown).enumerate() {
            let y = (y + 1 + i as u16).saturating_sub(shown as u16);
            paint.blank(y, room);
            paint.text(1, y, inner, line, role);
        }
    } else if let Some(trouble) = app.shown.trouble.as_ref().filter(|_| !told) {
        let lines = wrap(trouble, usize::from(inner));
        let shown = lines.len().min(2);
        for (i, line) in lines.into_iter().take(shown).enumerate() {
            let y = (y + 1 + i as u16).saturating_sub(shown as u16);
            paint.blank(y, room);
            paint.text(1, y, inner, line, Role::Warning);
        }
    } else if !app.touched && app.config.on("ui.hints") {
        paint.text(1, y, inner, ": command  / find  - hide this  x next loss  d details  ? all keys", Role::Help);
    }
}

/// Whether a message is what is told below the rows already.
fn says_the_same(app: &App, text: &str) -> bool {
    let start = |text: &str| text.chars().take(40).collect::<String>();
    app.shown.trouble.as_deref().is_some_and(|trouble| start(trouble) == start(text))
}

/// Whether the list has room to say what is wrong.
fn is_told(app: &App) -> bool {
    app.layout.list_area.height > 0 && app.help.is_none() && super::records::trouble_at(app).is_some()
}

/// The keys pressed so far, and what may follow.
fn pressed(app: &App) -> String {
    let keys: Vec<String> = app.pressed.iter().map(ToString::to_string).collect();
    let mut text = format!(" {}", keys.join(" "));
    if let Meaning::Prefix(next) = app.keymap.meaning(app.place(), &app.pressed) {
        for (key, act) in next {
            if let Some(words) = app.offer(act) {
                text.push_str(&format!("  {key} {words}"));
            }
        }
    }
    text
}

/// At most six completions, over the lines above the tab line.
fn completions(typing: &Typing, app: &App, paint: &mut Paint<'_>, y: u16) {
    let lines = typing.completions.len().min(SHOWN) as u16;
    let top = y.saturating_sub(1 + lines);
    let first = typing.first_shown();
    for (i, choice) in typing.completions.iter().enumerate().skip(first).take(SHOWN) {
        let line = top + (i - first) as u16;
        paint.blank(line, app.size.0);
        paint.text(1, line, 24, &choice.text, Role::Kind);
        paint.text(26, line, app.size.0.saturating_sub(27), &choice.help, Role::Help);
        if typing.chosen() == Some(i) {
            paint.tint(0, line, app.size.0, Role::Cursor);
        }
    }
}
