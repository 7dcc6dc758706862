//! The Log pane: messages of the app, of links and plugins, and what others wrote to stderr.

use std::time::{Duration, SystemTime};

use spytui_engine::present::sanitise_text;

use super::paint::Paint;
use crate::{
    app::App,
    app_log::{self, Level, LogLine},
    term::Role,
};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((y, area)) = app.layout.pane else { return };
    let lines = app_log::since(0);
    let count = if lines.len() == 1 { "1 line".to_owned() } else { format!("{} lines", lines.len()) };
    paint.rule(area.x, y, area.width, "Log", &count);
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
        let text: String = text_of(line, app.started).chars().skip(app.sideways).collect();
        paint.text(area.x, y, area.width, &text, role);
        if i == app.log.cursor {
            paint.cursor_line(area.x, y, area.width);
        }
    }
}

/// Time since the start, who says it, what.
fn text_of(line: &LogLine, started: SystemTime) -> String {
    let s = line.time.duration_since(started).unwrap_or(Duration::ZERO).as_secs();
    let (source, text) = (sanitise_text(&line.source), sanitise_text(&line.text));
    // Many messages begin with the name of their link themselves.
    let who = if text.starts_with(&*source) { String::new() } else { format!("{source}: ") };
    format!(" {:02}:{:02}:{:02}  {who}{text}", s / 3600, s / 60 % 60, s % 60)
}
