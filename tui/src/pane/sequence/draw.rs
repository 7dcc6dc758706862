//! Draws the diagram: lifelines in columns, steps in lines.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::analysis::{lifelines::Lifeline, sequence::How};
use spytui_plugin_api::Verb;

use super::{
    SequencePane,
    around::{Around, SequenceLine, StepContent},
};
use crate::{
    model::Model,
    pane::below_title,
    term::{Role, end_marked, width},
    widget::{Paint, TitleRule},
};

/// Lines above the diagram: the names of the lifelines.
pub(super) const HEADING: u16 = 1;
/// Width of the times, if there is room, and the minimum width for them.
const TIMES: usize = 9;
const TIMED: u16 = 40;
/// Minimum and maximum distance between lifelines, in cells.
const PITCH: (usize, usize) = (13, 26);

/// Number of lifelines that fit into this width.
pub(super) fn fitting(cells: u16, all: usize) -> usize {
    let room = usize::from(cells).saturating_sub(left(cells));
    (room / PITCH.0).clamp(1, all.max(1))
}

/// Cells before the first lifeline.
fn left(cells: u16) -> usize {
    if cells >= TIMED { TIMES } else { 1 }
}

pub(super) fn draw(pane: &SequencePane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    let Some(around) = &pane.around else { return };
    let lines = below_title(area);
    let height = usize::from(lines.height.saturating_sub(HEADING));
    let shown = around.lines.iter().skip(pane.cursor.top).take(height);
    let columns = Columns::of(pane, around, lines.width);
    let right = range(model, shown.clone(), &columns);
    TitleRule { title: "Sequence", right: &right, look }.render(area, buffer);
    let mut paint = Paint::new(buffer, look);
    if around.lines.is_empty() {
        let text = "no messages and no states around here; they come from posts, sends, transitions";
        paint.lines_up_to(lines.y + 1, lines.width, &format!(" {text}"), 2, Role::Help);
        return;
    }
    columns.heading(around, &mut paint, lines);
    for (line, y) in shown.zip(lines.y + HEADING..lines.bottom()) {
        columns.line(around, line, &mut Canvas { x: lines.x, y, cells: columns.cells.into(), paint: &mut paint });
    }
    let below = Rect { y: lines.y + HEADING, height: lines.height.saturating_sub(HEADING), ..lines };
    pane.cursor.draw(below, &mut paint);
}

/// `lifelines 1-5 of 9 · Δ ticks · #685 to #724`
fn range<'l>(model: &Model, mut shown: impl DoubleEndedIterator<Item = &'l SequenceLine>, columns: &Columns) -> String {
    let rows = &model.list.rows;
    let number = |line: &SequenceLine| rows.number(line.row);
    let ends = (shown.by_ref().find_map(number), shown.rev().find_map(number));
    let lifelines = if columns.shown.len() < columns.all {
        let first = columns.first + 1;
        format!("lifelines {first}-{} of {} · ", columns.first + columns.shown.len(), columns.all)
    } else {
        String::new()
    };
    let unit = if rows.clock().shows_seconds() { "Δ us · " } else { "Δ ticks · " };
    match ends {
        (Some(first), Some(last)) => format!("{lifelines}{unit}{first} to {last}"),
        (Some(only), None) => format!("{lifelines}{unit}{only}"),
        _ => lifelines.trim_end_matches(" · ").to_owned(),
    }
}

struct Columns {
    cells: u16,
    left: usize,
    pitch: usize,
    /// Number of the first lifeline shown, and of all.
    first: usize,
    all: usize,
    shown: Vec<usize>,
    /// Position of each lifeline in the order.
    places: Vec<Option<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Left,
    Cell(usize),
    Right,
}

impl Columns {
    fn of(pane: &SequencePane, around: &Around, cells: u16) -> Columns {
        let (fitting, all) = (fitting(cells, around.order.len()), around.order.len());
        let first = pane.first.min(all.saturating_sub(fitting));
        let left = left(cells);
        let pitch = (usize::from(cells).saturating_sub(left) / fitting.max(1)).clamp(1, PITCH.1);
        let mut places = vec![None; around.lifelines.all.len()];
        for (place, line) in around.order.iter().enumerate() {
            if let Some(known) = places.get_mut(*line) {
                *known = Some(place);
            }
        }
        let shown = around.order.iter().skip(first).take(fitting).copied().collect();
        Columns { cells, left, pitch, first, all, shown, places }
    }

    fn at(&self, line: usize) -> At {
        match self.places.get(line).copied().flatten() {
            Some(place) if place < self.first => At::Left,
            Some(place) if place < self.first + self.shown.len() => {
                At::Cell(self.left + (place - self.first) * self.pitch)
            }
            _ => At::Right,
        }
    }

    fn heading(&self, around: &Around, paint: &mut Paint<'_>, lines: Rect) {
        let mut canvas = Canvas { x: lines.x, y: lines.y, cells: self.cells.into(), paint };
        if self.left == TIMES {
            canvas.text(3, 2, "Δ", Role::Help);
        }
        for (i, line) in self.shown.iter().enumerate() {
            let (name, room) = (name(around, *line), self.pitch.saturating_sub(1));
            let name = end_marked(&name, room, canvas.paint.glyphs().ellipsis());
            canvas.text(self.left + i * self.pitch, room, &name, Role::Object);
        }
    }

    fn line(&self, around: &Around, line: &SequenceLine, canvas: &mut Canvas<'_, '_>) {
        if let StepContent::Across { is_reset, text } = &line.what {
            return across(canvas, *is_reset, text);
        }
        if self.left == TIMES {
            let room = TIMES - 2;
            let start = room.saturating_sub(width(&line.delta));
            canvas.text(start, room, &line.delta, Role::Delta);
        }
        for i in 0..self.shown.len() {
            canvas.put(self.left + i * self.pitch, "│", Role::Rule);
        }
        match &line.what {
            StepContent::Message { from, to, how, failed, text } => {
                let arrow = Arrow {
                    line: line_of(*how),
                    head: !failed,
                    role: if *failed { Role::Warning } else { Role::Plain },
                };
                match (self.at(*from), self.at(*to)) {
                    (At::Cell(x), At::Cell(to)) if x == to => arrow.loops(canvas, x, self.end(x), text),
                    (At::Left, At::Left) | (At::Right, At::Right) => {
                        let text = format!("{} → {}: {text}", name(around, *from), name(around, *to));
                        self.elsewhere(canvas, &text);
                    }
                    (at_from, at_to) => {
                        let text = match (at_from, at_to) {
                            (At::Cell(_), At::Cell(_)) => text.clone(),
                            (At::Cell(_), _) => format!("{text} → {}", name(around, *to)),
                            _ => format!("{text} ← {}", name(around, *from)),
                        };
                        self.arrow(canvas, (at_from, at_to), &arrow, &text);
                    }
                }
            }
            StepContent::Mark { on, verb, text } => match self.at(*on) {
                At::Cell(x) => self.mark(canvas, x, *verb, text),
                _ => self.elsewhere(canvas, &format!("{}: {text}", name(around, *on))),
            },
            StepContent::Across { .. } => {}
        }
    }

    /// The last cell of a line that begins at a lifeline: up to the edge.
    fn end(&self, x: usize) -> usize {
        usize::from(self.cells).saturating_sub(x)
    }

    /// Draws an event on lifelines that are not shown.
    fn elsewhere(&self, canvas: &mut Canvas<'_, '_>, text: &str) {
        let x = self.left + 2;
        canvas.text(x, self.end(x), text, Role::Help);
    }

    fn arrow(&self, canvas: &mut Canvas<'_, '_>, (from, to): (At, At), arrow: &Arrow, text: &str) {
        let (edge_left, edge_right) = (self.left.saturating_sub(1), canvas.cells.saturating_sub(1));
        let cell = |at: At| match at {
            At::Left => edge_left,
            At::Cell(x) => x,
            At::Right => edge_right,
        };
        let (start, end) = (cell(from), cell(to));
        let (low, high) = (start.min(end), start.max(end));
        canvas.fill(low + 1, high, arrow.line, arrow.role);
        for x in (0..self.shown.len()).map(|i| self.left + i * self.pitch).filter(|x| low < *x && *x < high) {
            canvas.put(x, "┼", arrow.role);
        }
        let goes_right = start < end;
        if matches!(from, At::Cell(_)) {
            canvas.put(start, if goes_right { "├" } else { "┤" }, arrow.role);
        }
        let head = match (to, goes_right) {
            (At::Cell(_), true) => end - 1,
            (At::Cell(_), false) => end + 1,
            _ => end,
        };
        canvas.put(head, arrow.head(goes_right), arrow.role);
        let room = (high - low).saturating_sub(3);
        let text_role = if arrow.head { Role::Signal } else { Role::Warning };
        let x = if goes_right { low + 2 } else { (high.saturating_sub(1 + width(text))).max(low + 2) };
        canvas.text(x, room, text, text_role);
    }

    fn mark(&self, canvas: &mut Canvas<'_, '_>, x: usize, verb: Verb, text: &str) {
        let (sign, role) = match verb {
            Verb::REST => {
                canvas.text(x, self.end(x), &format!("[{text}]"), Role::State);
                return;
            }
            Verb::IGNORED => ("×", Role::Warning),
            Verb::GET => ("●", Role::Plain),
            _ => ("├", Role::Plain),
        };
        canvas.put(x, sign, role);
        let (behind, before) = (self.end(x + 2), x.saturating_sub(self.left + 1));
        if width(text) > behind && before > behind {
            let start = (x.saturating_sub(1)).saturating_sub(width(text)).max(self.left);
            canvas.text(start, x.saturating_sub(1 + start), text, role);
            return;
        }
        canvas.put(x + 1, " ", role);
        canvas.text(x + 2, behind, text, role);
    }
}

struct Arrow {
    line: &'static str,
    /// Ends with an arrow head.
    head: bool,
    role: Role,
}

impl Arrow {
    fn head(&self, goes_right: bool) -> &'static str {
        match (self.head, goes_right) {
            (false, _) => "×",
            (true, true) => "►",
            (true, false) => "◄",
        }
    }

    /// A message from a lifeline to itself.
    fn loops(&self, canvas: &mut Canvas<'_, '_>, x: usize, room: usize, text: &str) {
        canvas.put(x + 1, self.head(false), self.role);
        canvas.put(x + 2, self.line, self.role);
        let role = if self.head { Role::Signal } else { Role::Warning };
        let end = canvas.text(x + 3, room.saturating_sub(5), text, role);
        canvas.put(end, self.line, self.role);
        canvas.put(end + 1, "┘", self.role);
    }
}

fn line_of(how: How) -> &'static str {
    match how {
        How::Replied => "·",
        How::Called | How::Element(_) | How::Posted | How::PostedInFront | How::Sent => "─",
    }
}

fn name(around: &Around, line: usize) -> String {
    around.lifelines.all.get(line).map(Lifeline::name).unwrap_or_default()
}

/// A loss or reset across all lifelines.
fn across(canvas: &mut Canvas<'_, '_>, is_reset: bool, text: &str) {
    let (mark, role) = if is_reset { ("═", Role::Banner) } else { ("░", Role::Loss) };
    canvas.fill(0, canvas.cells, mark, role);
    let room = canvas.cells.saturating_sub(4);
    canvas.text(2, room, &format!(" {text} "), role);
}

/// A line of the diagram on the screen: what is drawn later covers what was there.
struct Canvas<'p, 'a> {
    x: u16,
    y: u16,
    cells: usize,
    paint: &'p mut Paint<'a>,
}

impl Canvas<'_, '_> {
    fn put(&mut self, x: usize, mark: &str, role: Role) {
        self.text(x, 1, mark, role);
    }

    /// Fills cells from `from` to before `to` with the same mark.
    fn fill(&mut self, from: usize, to: usize, mark: &str, role: Role) {
        let cells = to.min(self.cells).saturating_sub(from);
        let x = self.cleared(from, cells);
        self.paint.cells(x, self.y, mark.chars().cycle().take(cells), role);
    }

    /// Draws text into at most `room` cells from `x` on; cut text ends with a mark. Returns the next cell.
    fn text(&mut self, x: usize, room: usize, text: &str, role: Role) -> usize {
        let room = room.min(self.cells.saturating_sub(x));
        let text = self.paint.glyphs().spell(text);
        let start = self.cleared(x, width(&text).min(room));
        x + usize::from(self.paint.text(start, self.y, room as u16, &text, role) - start)
    }

    /// The column of a cell on the screen, after clearing this many cells there.
    fn cleared(&mut self, x: usize, cells: usize) -> u16 {
        let start = self.x + x as u16;
        self.paint.clear(start, self.y, cells as u16);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widget::Look;

    #[test]
    fn text_covers_what_was_there_and_ends_in_its_room() {
        let (area, look) = (Rect::new(0, 0, 10, 1), Look::default());
        let mut buffer = Buffer::empty(area);
        let mut paint = Paint::new(&mut buffer, &look);
        let mut canvas = Canvas { x: 0, y: 0, cells: 10, paint: &mut paint };
        canvas.fill(0, 10, "─", Role::Rule);
        assert_eq!(canvas.text(2, 4, "SIGNAL", Role::Signal), 6);
        assert_eq!(canvas.text(7, 9, "日本語", Role::Signal), 10);
        assert_eq!(canvas.text(3, 0, "x", Role::Plain), 3);
        // A wide character covers two cells.
        let line: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(line, "──SIG…─日 …");
    }
}
