//! The Counters pane: the accounting, every counter, bandwidth by group, the list of losses.

use super::paint::Paint;
use crate::{app::App, term::Role};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((y, area)) = app.layout.pane else { return };
    paint.rule(area.x, y, area.width, "Counters", "as of now");
    let lines = usize::from(area.height);
    for (i, row) in app.shown.counters.iter().enumerate().skip(app.counters.top).take(lines) {
        let y = area.y + (i - app.counters.top) as u16;
        let role = if row.loss { Role::Loss } else { Role::Plain };
        paint.text(area.x, y, area.width, &row.text, role);
        if i == app.counters.cursor {
            paint.cursor_line(area.x, y, area.width);
        }
    }
}
