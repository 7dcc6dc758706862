//! The Log pane: messages of the program, of links and plugins, and captured stderr.

use std::time::{Duration, SystemTime};

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::present::sanitise_text;

use super::table::TableCursor;
use crate::{
    action::{Action, LOG, PaneKeys},
    app_log::{Level, LogLine},
    model::{Model, panes::Pane},
    term::Role,
    widget::{Paint, Rule},
};

const KEYS: PaneKeys = PaneKeys { id: LOG, title: "log", tab: Some("Log"), actions: &[] };

/// The cursor; the lines are in the model.
#[derive(Debug, Default)]
pub(super) struct LogPane {
    cursor: TableCursor,
}

impl Pane for LogPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        self.cursor.handle(action, model.screen.list_height());
    }

    fn shown(&mut self) {
        self.cursor.go_to_end();
    }

    fn prepare(&mut self, model: &Model, _width: u16, height: u16) {
        let lines = model.prompt.log.len();
        // At the end it follows new lines.
        if self.cursor.at + 1 >= self.cursor.len {
            self.cursor.go_to_end();
        }
        self.cursor.fit(lines, usize::from(height));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let (look, lines) = (&model.screen.look, &model.prompt.log);
        let count = if lines.len() == 1 { "1 line".to_owned() } else { format!("{} lines", lines.len()) };
        Rule { title: "Log", right: &count, look }.render(area, buffer);
        let area = super::below_title(area);
        if lines.is_empty() {
            Paint::new(buffer, look).text(area.x + 1, area.y + 1, area.width, "no messages", Role::Help);
            return;
        }
        let line = |line: &LogLine| {
            let role = match line.level {
                Level::Error => Role::Error,
                Level::Warning => Role::Warning,
                Level::Info | Level::Debug => Role::Plain,
            };
            let text = text_of(line, model.links.started).chars().skip(model.screen.sideways).collect();
            vec![(text, role)]
        };
        self.cursor.draw_lines(lines, line, look, area, buffer);
    }
}

/// A line of the log: time since the start, origin, text.
fn text_of(line: &LogLine, started: SystemTime) -> String {
    let s = line.time.duration_since(started).unwrap_or(Duration::ZERO).as_secs();
    let (source, text) = (sanitise_text(&line.source), sanitise_text(&line.text));
    // Many messages begin with the name of their link themselves.
    let who = if text.starts_with(&*source) { String::new() } else { format!("{source}: ") };
    format!(" {:02}:{:02}:{:02}  {who}{text}", s / 3600, s / 60 % 60, s % 60)
}
