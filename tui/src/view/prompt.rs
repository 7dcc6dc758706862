//! The last line: the command line while it is open, else the message; and completions over the lines above.

use super::paint::Paint;
use crate::{
    app::App,
    term::{Role, width},
};

/// Draws it; the place of the cursor while something is typed.
pub(super) fn draw(app: &App, paint: &mut Paint<'_>) -> Option<(u16, u16)> {
    let y = app.layout.prompt;
    let room = app.size.0;
    if let Some(prompt) = &app.prompt {
        completions(app, paint, y);
        let sign = prompt.sign();
        let (shown, cursor, ghost) = prompt.shown(usize::from(room.saturating_sub(2 + sign.len() as u16)));
        let x = paint.text(0, y, room, sign, Role::Title);
        let end = paint.text(x, y, room.saturating_sub(x), &shown, Role::Plain);
        paint.text(end, y, room.saturating_sub(end), &ghost, Role::Help);
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
    if let Some(sign) = app.pending_key {
        let text = if sign == '-' { " hide: k kind  g group  o object  s signal  c core" } else { " only: k kind  g group  o object  s signal  c core" };
        paint.text(0, y, room, text, Role::Title);
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

/// At most six completions, over the lines above the tab line.
fn completions(app: &App, paint: &mut Paint<'_>, y: u16) {
    let Some(prompt) = &app.prompt else { return };
    let list = prompt.completions();
    let lines = list.len().min(6) as u16;
    let top = y.saturating_sub(1 + lines);
    let (first, chosen) = prompt.window(6);
    for (i, (word, doc)) in list.iter().skip(first).take(6).enumerate() {
        let line = top + i as u16;
        let blank = " ".repeat(usize::from(app.size.0));
        paint.text(0, line, app.size.0, &blank, Role::Plain);
        paint.text(1, line, 24, word, Role::Kind);
        paint.text(26, line, app.size.0.saturating_sub(27), doc, Role::Help);
        if chosen == Some(first + i) {
            paint.tint(0, line, app.size.0, Role::Cursor);
        }
    }
}
