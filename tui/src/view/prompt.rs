//! The last line: the command line while it is open, else the message; and completions over the lines above.

use super::paint::Paint;
use crate::{
    action::Meaning,
    app::{
        App,
        typing::{SHOWN, Typing},
    },
    term::{Role, width},
};

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
    match &app.notice {
        Some(notice) => {
            let role = if notice.error { Role::Error } else { Role::Plain };
            paint.text(1, y, room.saturating_sub(1), &notice.text, role);
        }
        None if !app.touched => {
            paint.text(1, y, room, ": command  / find  - hide this  x next loss  d details  ? all keys", Role::Help);
        }
        None => {}
    }
    None
}

/// The keys pressed so far, and what may follow.
fn pressed(app: &App) -> String {
    let keys: Vec<String> = app.pressed.iter().map(ToString::to_string).collect();
    let mut text = format!(" {}", keys.join(" "));
    if let Meaning::Prefix(next) = app.keymap.meaning(app.place(), &app.pressed) {
        for (key, act) in next {
            text.push_str(&format!("  {key} {}", act.entry().doc));
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
        let blank = " ".repeat(usize::from(app.size.0));
        paint.text(0, line, app.size.0, &blank, Role::Plain);
        paint.text(1, line, 24, &choice.text, Role::Kind);
        paint.text(26, line, app.size.0.saturating_sub(27), &choice.help, Role::Help);
        if typing.chosen() == Some(i) {
            paint.tint(0, line, app.size.0, Role::Cursor);
        }
    }
}
