//! The two header lines: the link, and the losses first.

use crate::{
    model::{Model, screen::Piece},
    term::{Role, width},
    widget::Paint,
};

/// Blanks between the parts on the right.
const GAP: &str = "   ";

pub(super) fn draw(model: &Model, paint: &mut Paint<'_>) {
    let room = model.screen.size.0;
    let header = &model.screen.header;
    paint.spans(0, 0, room, pieces(&header.link));
    if model.screen.layout.headers < 2 {
        return short(model, paint);
    }
    let end = paint.spans(0, 1, room, pieces(&header.losses));
    let spare = usize::from(room.saturating_sub(end + 2));
    let rest = in_room(&header.rest, spare);
    let at = room.saturating_sub(width(&rest) as u16 + 1).max(end + 2);
    // In the middle where there is room, so that both ends stay readable.
    let at = if room > 110 { at.min(end + 6) } else { at };
    paint.text(at, 1, room.saturating_sub(at), &rest, Role::Plain);
}

/// The parts for which there is room, joined. What does not fit is left out whole; the first parts matter most.
fn in_room(parts: &[[String; 2]], room: usize) -> String {
    let fits = |parts: &[&str]| width(&parts.join(GAP)) < room;
    let mut shown: Vec<&str> = Vec::new();
    let mut full = Vec::new();
    for [words, fewer] in parts {
        shown.push(fewer);
        if fits(&shown) {
            full.push(words);
        } else {
            shown.pop();
        }
    }
    for (i, words) in full.into_iter().enumerate() {
        let fewer = std::mem::replace(&mut shown[i], words);
        if !fits(&shown) {
            shown[i] = fewer;
        }
    }
    shown.join(GAP)
}

fn pieces(line: &[Piece]) -> impl Iterator<Item = (&str, Role)> {
    line.iter().map(|(text, role)| (text.as_str(), *role))
}

/// With one header line, losses are at its end.
fn short(model: &Model, paint: &mut Paint<'_>) {
    let header = &model.screen.header;
    if header.short_losses.is_empty() {
        return;
    }
    let text = format!(" {} ", header.short_losses);
    let at = model.screen.size.0.saturating_sub(width(&text) as u16);
    paint.text(at, 0, model.screen.size.0, &text, Role::Loss);
}
