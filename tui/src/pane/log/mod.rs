//! The Log pane: messages of the program, of links and plugins, and captured stderr.

use std::time::SystemTime;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::present::{local_time::date_and_time, sanitise_text};

use super::table::TableCursor;
use crate::{
    action::{Action, LOG, PaneKeys},
    app_log::{Level, LogLine},
    model::{Model, panes::Pane, screen::Piece},
    term::{Role, wrap},
    widget::{Paint, Rule},
};

const KEYS: PaneKeys = PaneKeys { id: LOG, title: "log", tab: Some("Log"), actions: &[] };

/// Its lines, wrapped, and the cursor.
#[derive(Debug, Default)]
pub(super) struct LogPane {
    rows: Vec<Piece>,
    /// Number of lines, time of the newest, and the width that they were wrapped for.
    made: Option<(usize, Option<SystemTime>, u16)>,
    cursor: TableCursor,
}

/// Column at which a line goes on.
const INDENT: usize = 18;

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

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        let lines = &model.prompt.log;
        let key = (lines.len(), lines.last().map(|line| line.time), width);
        if self.made != Some(key) {
            let room = usize::from(width).saturating_sub(1);
            self.rows = lines.iter().flat_map(|line| wrapped(line, room)).collect();
            self.made = Some(key);
        }
        // At the end it follows new lines.
        if self.cursor.at + 1 >= self.cursor.len {
            self.cursor.go_to_end();
        }
        self.cursor.fit(self.rows.len(), usize::from(height));
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
        self.cursor.draw_lines(&self.rows, |piece| vec![piece.clone()], look, area, buffer);
    }
}

/// A line of the log in lines of at most `room` cells.
fn wrapped(line: &LogLine, room: usize) -> Vec<Piece> {
    let role = match line.level {
        Level::Error => Role::Error,
        Level::Warning => Role::Warning,
        Level::Info | Level::Debug => Role::Plain,
    };
    let (time, text) = text_of(line);
    let parts = wrap(&text, room.saturating_sub(INDENT).max(INDENT));
    let begin = |i: usize| if i == 0 { format!(" {time}") } else { String::new() };
    parts.into_iter().enumerate().map(|(i, part)| (format!("{:<INDENT$}{part}", begin(i)), role)).collect()
}

/// Time and text of a line of the log; the text with its origin.
fn text_of(line: &LogLine) -> (String, String) {
    let since_1970 = line.time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let time = date_and_time(u64::try_from(since_1970.as_nanos()).unwrap_or(0));
    let (source, text) = (sanitise_text(&line.source), sanitise_text(&line.text));
    // Many messages begin with the name of their link themselves.
    let who = if text.starts_with(&*source) { String::new() } else { format!("{source}: ") };
    (time, format!("{who}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_goes_on_under_its_text() {
        let line = |text: &str| LogLine {
            time: SystemTime::UNIX_EPOCH,
            level: Level::Warning,
            source: "app".to_owned(),
            text: text.to_owned(),
        };
        let lines = wrapped(&line("a message that does not fit into a line"), 40);
        let texts: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        let [first, second, third] = texts[..] else { panic!("{texts:?}") };
        assert!(first.ends_with("app: a message that"), "{first}");
        assert_eq!((&second[..INDENT], &second[INDENT..]), ("                  ", "does not fit into a"));
        assert_eq!(third.trim_start(), "line");
        assert!(lines.iter().all(|(text, role)| text.len() <= 40 && *role == Role::Warning));
        assert_eq!(wrapped(&line("short"), 40).len(), 1);
    }
}
