//! The Log pane: messages of the app, of links and plugins, and what others wrote to stderr.

use super::paint::Paint;
use crate::{
    app::App,
    journal::{self, Level},
    term::{Role, sanitise},
};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((y, area)) = app.layout.pane else { return };
    let lines = journal::since(0);
    paint.rule(area.x, y, area.width, "Log", &format!("{} lines", lines.len()));
    if lines.is_empty() {
        paint.text(area.x + 1, area.y + 1, area.width, "nothing to tell", Role::Help);
    }
    for (i, line) in lines.iter().enumerate().skip(app.log.top).take(usize::from(area.height)) {
        let y = area.y + (i - app.log.top) as u16;
        let role = match line.level {
            Level::Error => Role::Error,
            Level::Warning => Role::Warning,
            _ => Role::Plain,
        };
        let text = format!(" {:<8} {}", line.source, sanitise(&line.text));
        paint.text(area.x, y, area.width, &text, role);
    }
}
