//! The two header lines: the link, and the losses first.

use super::paint::Paint;
use crate::{
    app::App,
    term::{Role, width},
};

/// Blanks between the parts on the right.
const GAP: &str = "   ";

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let room = app.size.0;
    let header = &app.shown.header;
    let role = if header.alarm { Role::Error } else { Role::Title };
    paint.text(0, 0, room, &header.link, role);
    if app.layout.headers < 2 {
        return short(app, paint);
    }
    let role = if header.lossy { Role::Loss } else { Role::Plain };
    let end = paint.text(0, 1, room, &header.losses, role);
    let spare = usize::from(room.saturating_sub(end + 2));
    // What does not fit is left out whole; the first parts matter most.
    let mut rest = String::new();
    for part in &header.rest {
        let more = if rest.is_empty() { part.clone() } else { format!("{rest}{GAP}{part}") };
        if width(&more) < spare {
            rest = more;
        }
    }
    let at = room.saturating_sub(width(&rest) as u16 + 1).max(end + 2);
    // In the middle where there is room, so that both ends stay readable.
    let at = if room > 110 { at.min(end + 6) } else { at };
    paint.text(at, 1, room.saturating_sub(at), &rest, Role::Plain);
}

/// With one line, losses stand at its end.
fn short(app: &App, paint: &mut Paint<'_>) {
    let header = &app.shown.header;
    if !header.lossy {
        return;
    }
    let text = format!(" {} ", header.short_losses);
    let at = app.size.0.saturating_sub(width(&text) as u16);
    paint.text(at, 0, app.size.0, &text, Role::Loss);
}
