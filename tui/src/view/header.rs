//! The two header lines: the link, and the losses first.

use crate::{
    model::Model,
    term::{Role, width},
    widget::Paint,
};

/// Blanks between the parts on the right.
const GAP: &str = "   ";

pub(super) fn draw(model: &Model, paint: &mut Paint<'_>) {
    let room = model.screen.size.0;
    let header = &model.screen.header;
    let role = if header.alarm { Role::Error } else { Role::Title };
    paint.text(0, 0, room, &header.link, role);
    if model.screen.layout.headers < 2 {
        return short(model, paint);
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

/// With one header line, losses are at its end.
fn short(model: &Model, paint: &mut Paint<'_>) {
    let header = &model.screen.header;
    if !header.lossy {
        return;
    }
    let text = format!(" {} ", header.short_losses);
    let at = model.screen.size.0.saturating_sub(width(&text) as u16);
    paint.text(at, 0, model.screen.size.0, &text, Role::Loss);
}
