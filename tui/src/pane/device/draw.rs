//! Draws the pane: the tree in columns, staged changes and the latest commands below.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::{
    device::control::{CommandState, CommandStatus},
    io::{link::LinkState, log::format::percent},
    present::{clock::grouped, sanitise_text},
};

use super::{
    STAGE, Staged, TargetPane, UNFOLD, UNSTAGE,
    lines::{SwitchLine, TrafficFigures, TreeLine},
    tree,
};
use crate::{
    input::{Action, PaneAction, TARGET},
    model::{Model, line_search, links::WayBack, screen::Piece},
    pane::{below_title, live::highlight},
    term::{Role, cut_middle, end_marked, width, wrap},
    widget::{Paint, TitleRule},
};

/// Widths of the figures: records, bytes, share.
const FIGURES: [usize; 3] = [9, 9, 8];
/// Width before the name of a group: cursor, staged, blank, mark, blank.
const BEFORE: usize = 7;
const LONG_NAME: usize = 20;
/// Minimum width of titles.
const TITLE: usize = 8;

#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    title: usize,
    shown: [bool; 3],
    state: usize,
}

impl Columns {
    fn of(lines: &[TreeLine], room: usize) -> Columns {
        let switches =
            || lines.iter().filter_map(|line| if let TreeLine::Switch(line) = line { Some(line) } else { None });
        let name = switches().map(|line| width(&line.name) + line.depth * 2).max().unwrap_or(0).min(LONG_NAME);
        let state = switches().map(|line| width(&line.state)).max().unwrap_or(0).max("unknown".len());
        let fixed = BEFORE + name + 2 + state;
        let has_share = switches().any(|line| line.figures.is_some_and(|figures| figures.share.is_some()));
        let columns = |shown: [bool; 3]| {
            let columns = Columns { name, title: 0, shown: [shown[0], shown[1], shown[2] && has_share], state };
            Columns { title: room.saturating_sub(fixed + columns.used() + 1), ..columns }
        };
        // Bytes are more important than records, and these than the share.
        let bytes = columns([false, true, false]);
        let choices = [columns([true; 3]), columns([true, true, false]), bytes];
        let fits = choices.into_iter().find(|columns| columns.title >= TITLE);
        let is_narrow = fixed + bytes.used() < room;
        fits.or(is_narrow.then_some(Columns { title: 0, ..bytes })).unwrap_or_else(|| columns([false; 3]))
    }

    fn used(self) -> usize {
        self.figures(|at| FIGURES[at]).into_iter().sum()
    }

    /// A value for each of the figures shown.
    fn figures<T>(self, of: impl Fn(usize) -> T) -> Vec<T> {
        (0..FIGURES.len()).filter(|at| self.shown[*at]).map(of).collect()
    }
}

pub(super) fn draw(pane: &TargetPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    let source = model.links.addressed();
    let facts = tree::title(&source.decoding().decoder.info, &source.decoding().read());
    let title = format!("Target{}", line_search::title(model, TARGET));
    TitleRule { title: &title, right: &facts, look }.render(area, buffer);
    let area = below_title(area);
    let below = pane.commands.height(&pane.staged) as u16;
    let above = Rect { height: area.height.saturating_sub(below), ..area };
    let columns = Columns::of(&pane.lines, usize::from(area.width));
    let is_live = source.status.state == LinkState::Live;
    let line = |line: &TreeLine| pieces(line, columns, usize::from(area.width), is_live, look.glyphs.ellipsis());
    pane.cursor.draw_lines(&pane.lines, line, look, above, buffer);
    let mut paint = Paint::new(buffer, look);
    highlight(model, TARGET, above, &mut paint);
    draw_below(pane, model, Rect { y: above.bottom(), height: area.height - above.height, ..area }, &mut paint);
}

/// The staged changes, and the latest commands.
fn draw_below(pane: &TargetPane, model: &Model, area: Rect, paint: &mut Paint<'_>) {
    let mut y = area.y;
    if !pane.staged.changes.is_empty() {
        let keys = format!("   Enter fills the line, {} takes it back", key(model, UNSTAGE));
        let text = format!(" staged: {}", pane.staged.text());
        paint.spans(area.x, y, area.width, [(text.as_str(), Role::Banner), (keys.as_str(), Role::Help)]);
        y += 1;
    }
    if !pane.commands.has_room {
        return;
    }
    let heading = match pane.commands.lines.is_empty() {
        true if model.links.addressed().status.way_back == WayBack::Never => {
            " commands of a recording are rows of the list"
        }
        true => " no commands sent",
        false => " latest commands",
    };
    let end = paint.text(area.x, y, area.width, heading, Role::Help);
    let keys = format!("{} stages a change · {} unfolds", key(model, STAGE), key(model, UNFOLD));
    let at = (area.right()).saturating_sub(width(&keys) as u16 + 1);
    if at > end + 1 {
        paint.text(at, y, area.right().saturating_sub(at), &keys, Role::Help);
    }
    for ((text, role), y) in pane.commands.lines.iter().zip(y + 1..area.bottom()) {
        paint.text(area.x, y, area.width, text, *role);
    }
}

fn key(model: &Model, action: PaneAction) -> String {
    let keys = model.settings.keymap.keys(TARGET, Action::OfPane(TARGET, action));
    keys.first().cloned().unwrap_or_default()
}

fn pieces(line: &TreeLine, columns: Columns, room: usize, is_live: bool, ellipsis: &str) -> Vec<Piece> {
    match line {
        TreeLine::Note(text, role) => vec![(format!(" {}", sanitise_text(text)), *role)],
        TreeLine::Offer { about, line } => {
            vec![
                (format!(" {about}: Enter fills in "), Role::Help),
                (format!(":{}", sanitise_text(line)), Role::Banner),
            ]
        }
        TreeLine::Table { title, note, has_figures, .. } => table(title, note, *has_figures, columns, room, is_live),
        TreeLine::Switch(line) => switch(line, columns, ellipsis),
    }
}

/// ` global filter   unknown: QS can't be asked        records      B/s of line  state`
fn table(title: &str, note: &str, has_figures: bool, columns: Columns, room: usize, is_live: bool) -> Vec<Piece> {
    let left = format!(" {title}");
    let note = if note.is_empty() { String::new() } else { format!("   {note}") };
    let words = if is_live { ["records", "B/s", "of line"] } else { ["records", "bytes", "share"] };
    let mut heads = columns.figures(|at| format!("{:>1$}", words[at], FIGURES[at]));
    heads.push(format!("  {:<1$}", "state", columns.state));
    let free = room.saturating_sub(width(&left) + width(&note) + 1);
    // The rightmost ones, as far as they fit.
    while heads.iter().map(|head| width(head)).sum::<usize>() > free {
        heads.remove(0);
    }
    let heads = if has_figures { heads.concat() } else { String::new() };
    let gap = free.saturating_sub(width(&heads));
    vec![(left, Role::Title), (note, Role::Help), (format!("{}{heads}", " ".repeat(gap)), Role::Help)]
}

fn switch(line: &SwitchLine, columns: Columns, ellipsis: &str) -> Vec<Piece> {
    let sign = match line.staged {
        Some(true) => '+',
        Some(false) => '-',
        None => ' ',
    };
    let indent = line.depth * 2;
    let name = cut_middle(&line.name, columns.name.saturating_sub(indent).max(4), ellipsis);
    let long = format!("{}{}", line.title, line.ids);
    let title = if width(&long) <= columns.title { &long } else { &line.title };
    let title = end_marked(title, columns.title, ellipsis);
    let figures = line.figures.map_or_else(|| " ".repeat(columns.used()), |figures| figures_text(figures, columns));
    let gap = columns.name.saturating_sub(indent + width(&name)) + 2;
    let pad = columns.title.saturating_sub(width(&title));
    let state = if line.is_off { Role::Warning } else { Role::Plain };
    vec![
        (format!(" {sign} "), Role::Banner),
        (format!("{}{} ", " ".repeat(indent), line.mark), state),
        (sanitise_text(&name).into_owned(), Role::Kind),
        (format!("{}{}{}", " ".repeat(gap - 1), sanitise_text(&title), " ".repeat(pad)), Role::Plain),
        (format!("{figures}  "), Role::Plain),
        (line.state.clone(), state),
    ]
}

fn figures_text(figures: TrafficFigures, columns: Columns) -> String {
    let share = figures.share.map_or_else(String::new, percent);
    let texts = [grouped(figures.records), grouped(figures.bytes), share];
    columns.figures(|at| format!("{:>1$}", texts[at], FIGURES[at])).concat()
}

/// Minimum lines of the pane for showing commands.
const LEAST: u16 = 9;
/// Indentation of wrapped commands.
const INDENT: usize = 5;

/// The latest commands in wrapped lines.
#[derive(Debug, Default)]
pub(super) struct CommandLines {
    lines: Vec<Piece>,
    /// There is room for a heading and the staged changes.
    has_room: bool,
}

impl CommandLines {
    /// The newest commands that fit below the switches, oldest first.
    pub(super) fn new(model: &Model, width: u16, height: u16) -> CommandLines {
        let status = &model.links.addressed().status.target;
        let most = if height < LEAST { 0 } else { usize::from(height / 4).max(3) };
        let mut lines: Vec<Piece> = Vec::new();
        for command in status.commands.iter().rev() {
            let own = wrapped(command, usize::from(width).saturating_sub(1));
            if lines.len() + own.len() > most {
                break;
            }
            lines.splice(0..0, own);
        }
        CommandLines { lines, has_room: most > 0 }
    }

    /// Lines needed on the screen, with heading and staged changes.
    pub(super) fn height(&self, staged: &Staged) -> usize {
        match self.has_room {
            true => self.lines.len() + 1 + usize::from(!staged.changes.is_empty()),
            false => usize::from(!staged.changes.is_empty()),
        }
    }
}

/// `#5 peek 0 4 1   refused by the target`
fn wrapped(command: &CommandStatus, room: usize) -> Vec<Piece> {
    let (role, sign) = match &command.state {
        CommandState::Queued | CommandState::Sent => (Role::Help, ' '),
        CommandState::Done(_) => (Role::Plain, ' '),
        CommandState::Refused(_) | CommandState::TimedOut(_) | CommandState::Failed(_) => (Role::Error, '!'),
    };
    let text =
        format!("#{} {}   {}", command.number, sanitise_text(&command.line), sanitise_text(command.state.text()));
    let parts = wrap(&text, room.saturating_sub(INDENT).max(INDENT));
    let indent = |at: usize| if at == 0 { sign.to_string() } else { " ".repeat(INDENT) };
    parts.into_iter().enumerate().map(|(at, part)| (format!("{}{part}", indent(at)), role)).collect()
}
