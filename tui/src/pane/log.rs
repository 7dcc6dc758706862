//! The Log pane: messages of the program, of links and plugins, and captured stderr.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::Widget,
};
use spytui_engine::{
    io::format_files::{FormatSet, RecordLine},
    open::Decoder,
    present::{
        clock::{date_and_time, grouped},
        sanitise_text,
        words::counted,
    },
    store::View,
    trace::list::{RenderRequest, RowRenderer},
};
use spytui_plugin_api::render::Want;

use super::{live::highlight, table::TableCursor};
use crate::{
    app_log::{LogLevel, LogLine},
    input::{Action, Hint, LOG, PaneAction, PaneKeys},
    model::{
        Model, line_search,
        panes::{ActionOffer, Pane},
        screen::Piece,
    },
    term::{Role, wrap},
    widget::{Paint, TitleRule},
};

const KEYS: PaneKeys = PaneKeys {
    id: LOG,
    title: "log",
    tab: Some("Log"),
    actions: &[HIDE_LEVEL, HIDE_SOURCE, ONLY_LEVEL, ONLY_SOURCE, ALL_LINES],
    hints: &[Hint(&[Action::Search], "find"), Hint(&[Action::Follow], "newest"), Hint(&[Action::Zoom], "alone")],
    signs: "",
};

const HIDE_LEVEL: PaneAction = PaneAction::new("hide-level", "hide this level", "only-core");
const HIDE_SOURCE: PaneAction = PaneAction::new("hide-source", "hide lines of this origin", "only-core");
const ONLY_LEVEL: PaneAction = PaneAction::new("only-level", "only this level", "only-core");
const ONLY_SOURCE: PaneAction = PaneAction::new("only-source", "only lines of this origin", "only-core");
const ALL_LINES: PaneAction = PaneAction::new("all-lines", "all lines", "only-core");

/// Its wrapped lines, the cursor, and what is hidden.
#[derive(Debug, Default)]
pub(super) struct LogPane {
    /// The wrapped lines, with the indexes of the original ones.
    rows: Vec<(usize, Piece)>,
    /// Input of the rows.
    made: Option<Made>,
    cursor: TableCursor,
    /// The cursor stays on the last line.
    follow: bool,
    /// What is hidden (`true`) or exclusively shown.
    terms: Vec<(Common, bool)>,
    /// Shown after the other lines.
    unused: Unused,
}

/// Number of lines, time of the newest, wrapping width, how often they were narrowed, and how often the unused lines
/// changed.
type Made = (usize, Option<SystemTime>, u16, usize, usize);

/// Common properties of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Common {
    Level(LogLevel),
    Source(String),
}

impl Common {
    /// The property of a line that an action concerns, and whether it hides; `None` for other actions.
    fn of(action: Action, line: &LogLine) -> Option<(Common, bool)> {
        let source = || Common::Source(line.source.clone());
        match action {
            Action::OfPane(_, HIDE_LEVEL) => Some((Common::Level(line.level), true)),
            Action::OfPane(_, ONLY_LEVEL) => Some((Common::Level(line.level), false)),
            Action::OfPane(_, HIDE_SOURCE) => Some((source(), true)),
            Action::OfPane(_, ONLY_SOURCE) => Some((source(), false)),
            _ => None,
        }
    }

    fn is_of(&self, line: &LogLine) -> bool {
        match self {
            Common::Level(level) => line.level == *level,
            Common::Source(source) => line.source == *source,
        }
    }

    fn word(&self) -> &str {
        match self {
            Common::Level(level) => level.word(),
            Common::Source(source) => source,
        }
    }
}

impl LogPane {
    /// The line under the cursor, which may take several rows.
    fn line_here(&self) -> usize {
        self.rows.get(self.cursor.at).map_or(0, |(line, _)| *line)
    }

    fn lines<'m>(&'m self, model: &'m Model) -> Vec<&'m LogLine> {
        let passes = |line: &&LogLine| self.terms.iter().all(|(common, hide)| common.is_of(line) != *hide);
        model.prompt.log.iter().chain(&self.unused.lines).filter(passes).collect()
    }
}

const INDENT: usize = 18;

impl Pane for LogPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn is_of_all(&self) -> bool {
        true
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        if let Action::OfPane(_, ALL_LINES) = action {
            return self.terms.clear();
        }
        let here = self.lines(model).get(self.line_here()).and_then(|line| Common::of(action, line));
        match here {
            Some(term) => self.terms.push(term),
            None if self.cursor.handle(action, model.screen.front_height()) => {
                let is_up = matches!(action, Action::Top | Action::Up | Action::HalfUp | Action::PageUp);
                self.follow = !is_up && self.cursor.at + 1 >= self.cursor.len;
            }
            None => {}
        }
    }

    fn offer(&self, action: Action, model: &Model) -> ActionOffer {
        let lines = self.lines(model);
        let Some((common, _)) = lines.get(self.line_here()).and_then(|line| Common::of(action, line)) else {
            return ActionOffer::Usual;
        };
        let count = lines.iter().filter(|line| common.is_of(line)).count();
        ActionOffer::Words(format!("{} {}", common.word(), grouped(count as u64)))
    }

    fn work(&mut self, model: &mut Model) -> bool {
        self.unused.work(model)
    }

    fn forget_rows(&mut self) {
        self.unused.rendered = 0;
    }

    fn line(&self) -> Option<usize> {
        Some(self.line_here())
    }

    fn line_texts(&self, model: &Model) -> Vec<String> {
        self.lines(model).into_iter().map(|line| text_of(line).1).collect()
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = self.rows.iter().position(|(of, _)| *of == line).unwrap_or(0);
        self.follow = false;
    }

    fn shown(&mut self) {
        self.follow = true;
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        self.cursor.click(at, 0, model);
        self.follow = false;
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        let log = &model.prompt.log;
        let key = (log.len(), log.last().map(|line| line.time), width, self.terms.len(), self.unused.version);
        if self.made != Some(key) {
            let room = usize::from(width).saturating_sub(1);
            let lines = self.lines(model).into_iter().enumerate();
            let rows = lines.flat_map(|(at, line)| wrapped(line, room).into_iter().map(move |piece| (at, piece)));
            self.rows = rows.collect();
            self.made = Some(key);
        }
        if self.follow {
            self.cursor.go_to_end();
        }
        self.cursor.fit(self.rows.len(), usize::from(height));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let (look, lines) = (&model.screen.look, self.lines(model));
        let count = counted(lines.len() as u64, "line");
        let hidden = model.prompt.log.len() + self.unused.lines.len() - lines.len();
        let hidden = if hidden > 0 { format!(" · hides {}", grouped(hidden as u64)) } else { String::new() };
        let place = line_search::percent(self.cursor.at, self.rows.len(), usize::from(area.height));
        let title = format!("Log{hidden}{}{place}", line_search::title(model, LOG));
        TitleRule { title: &title, right: &count, look }.render(area, buffer);
        let area = super::below_title(area);
        if lines.is_empty() {
            Paint::new(buffer, look).text(area.x + 1, area.y + 1, area.width, "no messages", Role::Help);
            return;
        }
        self.cursor.draw_lines(&self.rows, |(_, piece)| vec![piece.clone()], look, area, buffer);
        highlight(model, LOG, area, &mut Paint::new(buffer, look));
    }
}

/// A log line wrapped to `room` cells.
fn wrapped(line: &LogLine, room: usize) -> Vec<Piece> {
    let role = match line.level {
        LogLevel::Error => Role::Error,
        LogLevel::Warning => Role::Warning,
        LogLevel::Info | LogLevel::Debug => Role::Plain,
    };
    let (time, text) = text_of(line);
    let parts = wrap(&text, room.saturating_sub(INDENT).max(INDENT)).into_iter();
    let heads = std::iter::once(format!(" {time}")).chain(std::iter::repeat(String::new()));
    parts.zip(heads).map(|(part, head)| (format!("{head:<INDENT$}{part}"), role)).collect()
}

/// Time and text of a log line; the text includes its origin.
fn text_of(line: &LogLine) -> (String, String) {
    let since_1970 = line.time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let time = date_and_time(u64::try_from(since_1970.as_nanos()).unwrap_or(0));
    let (source, text) = (sanitise_text(&line.source), sanitise_text(&line.text));
    // Many messages already begin with the name of their link.
    let who = if text.starts_with(&*source) { String::new() } else { format!("{source}: ") };
    (time, format!("{who}{text}"))
}

/// Rows rendered at once.
const PIECE: u64 = 2048;
/// Maximum number of lines listed; the others are counted.
const MOST: usize = 50;

/// Lines of format files not used by any record, as log lines. Only rendering reveals the line of a record, so rows are
/// rendered in pieces while the pane is in front.
#[derive(Debug, Default)]
struct Unused {
    formats: Option<Arc<FormatSet>>,
    rendered: u64,
    renderer: RowRenderer,
    lines: Vec<LogLine>,
    /// Number of changes of the lines.
    version: usize,
}

impl Unused {
    /// Continues with the rows; `true` if there are more.
    fn work(&mut self, model: &Model) -> bool {
        let formats = &model.links.registry.formats;
        if !self.formats.as_ref().is_some_and(|known| Arc::ptr_eq(known, formats)) {
            self.formats = Some(formats.clone());
            self.rendered = 0;
        }
        let len = model.list.rows.len();
        let decoder = &model.list.decoding().decoder;
        let has_lines = formats.records.iter().any(|line| is_of(line, decoder));
        let end = if has_lines { len.min(self.rendered + PIECE) } else { len };
        if has_lines {
            let ask = RenderRequest { want: Want::FIELDS, view: View::Effective, short: false, before: None };
            self.renderer.views(&model.list.rows, self.rendered.min(end)..end, ask, |_, _| true);
        }
        self.rendered = end;
        if end == len {
            self.report(model, formats);
        }
        end < len
    }

    fn report(&mut self, model: &Model, formats: &FormatSet) {
        let texts = texts(model, formats);
        if self.lines.iter().map(|line| &line.text).eq(&texts) {
            return;
        }
        let time = model.prompt.log.last().map_or(UNIX_EPOCH, |line| line.time);
        let line = |text| LogLine { time, level: LogLevel::Info, source: "formats".to_owned(), text };
        self.lines = texts.into_iter().map(line).collect();
        self.version += 1;
    }
}

fn texts(model: &Model, formats: &FormatSet) -> Vec<String> {
    let open: Vec<&Decoder> = model.links.sources.iter().map(|source| &*source.decoding().decoder).collect();
    let shown = &model.list.decoding().decoder;
    let formatters = shown.formatting.get();
    let has_used = |line: &RecordLine| formatters.as_ref().is_some_and(|formatters| formatters.has_used(&line.id));
    let unused = formats.records.iter().filter(|line| is_of(line, shown) && !has_used(line));
    let mut texts: Vec<String> = unused.clone().take(MOST).map(|line| format!("unused so far: {line}")).collect();
    if let more @ 1.. = unused.count().saturating_sub(MOST) {
        texts.push(format!("unused so far: {more} more lines"));
    }
    texts.extend(of_no_source(model, formats, &open));
    texts
}

/// Lines for protocols without an open source, by file.
fn of_no_source(model: &Model, formats: &FormatSet, open: &[&Decoder]) -> Vec<String> {
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    // The list of files reports protocols without a decoder.
    let known = &model.links.registry.decoders;
    let lines = formats.records.iter().filter(|line| known.iter().any(|decoder| is_of(line, decoder)));
    for line in lines.filter(|line| !open.iter().any(|decoder| is_of(line, decoder))) {
        let (file, _) = line.at.rsplit_once(':').unwrap_or_default();
        *counts.entry((file, &line.protocol)).or_default() += 1;
    }
    if !open.iter().any(|decoder| decoder.takes_formats()) {
        let files = formats.files.iter().filter(|file| file.qnx_lines > 0);
        counts.extend(files.map(|file| ((file.name.as_str(), "QNX"), file.qnx_lines)));
    }
    let text = |((file, protocol), count): (&(&str, &str), &usize)| {
        let lines = if *count == 1 { "line" } else { "lines" };
        format!("unused: {file}: {count} {lines} for {protocol} records")
    };
    counts.iter().map(text).collect()
}

fn is_of(line: &RecordLine, decoder: &Decoder) -> bool {
    decoder.info.names().any(|name| name == line.protocol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_goes_on_under_its_text() {
        let line = |text: &str| LogLine {
            time: SystemTime::UNIX_EPOCH,
            level: LogLevel::Warning,
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
