//! The two header lines: the link, and the losses first.

use super::paint::Paint;
use crate::{
    app::App,
    term::{Role, width},
};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let room = app.size.0;
    let role = if app.shown.header_alarm { Role::Error } else { Role::Title };
    paint.text(0, 0, room, &app.shown.header, role);
    if app.layout.headers < 2 {
        return;
    }
    let (losses, rest) = &app.shown.losses;
    let role = if app.shown.lossy { Role::Loss } else { Role::Plain };
    let end = paint.text(0, 1, room, losses, role);
    let rest_width = width(rest) as u16;
    let at = (room.saturating_sub(rest_width + 1)).max(end + 2);
    // In the middle where there is room, so that both ends stay readable.
    let at = if room > 110 { at.min(end + 8) } else { at };
    paint.text(at, 1, room.saturating_sub(at), rest, Role::Plain);
}
