//! The objects as a table.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Rect},
    widgets::{Cell, Row, Table, Widget},
};
use spytui_engine::{
    analysis::objects::ObjectLine,
    export::objects::percent,
    present::{
        Clock,
        clock::{grouped, short_count},
    },
    trace::list::row_list::number_text,
};

use super::super::table::highlight;
use super::{
    ID, ObjectsPane,
    lines::{Progress, SORTS},
};
use crate::{
    model::{Model, line_search},
    term::{Glyphs, Role, cut_middle, width, wrap},
    widget::{Look, Paint, Rule},
};

/// Columns: heading, least and usual width, and from which width of the pane on there is one.
const COLUMNS: [(&str, usize, usize, u16); 8] = [
    ("object", 8, 17, 0),
    ("state", 8, 18, 0),
    ("since", 6, 8, 0),
    ("for", 8, 8, 96),
    ("last event", 13, 24, 50),
    ("queue", 6, 20, 60),
    ("in state", 8, 8, 72),
    ("events", 7, 7, 104),
];
const OBJECT: usize = 0;
const STATE: usize = 1;
const FOR: usize = 3;
const EVENT: usize = 4;
const QUEUE: usize = 5;
const SHARE: usize = 6;
const EVENTS: usize = 7;
/// Of each column what lines are sorted by with it.
const SORT: [usize; 8] = [1, 2, 3, 3, 4, 5, 6, 0];

/// A line as it is shown: the text of each column.
type Cells = [(String, Role); 8];

/// Widths of the columns, 0 = not shown: each has what it needs, if there is room; texts give way from the right.
fn column_widths(room: u16, widest: [usize; 8]) -> [usize; 8] {
    let mut widths = [0; 8];
    let wanted: [usize; 8] = std::array::from_fn(|column| widest[column].max(width(COLUMNS[column].0)));
    // Maybe nothing has a queue, or a share of time.
    let is_empty = |column: usize| matches!(column, QUEUE | SHARE) && widest[column] == 0;
    for (column, (_, least, _, from)) in COLUMNS.iter().enumerate() {
        if room >= *from && !is_empty(column) {
            widths[column] = wanted[column].min(*least);
        }
    }
    let used: usize = widths.iter().filter(|&&cells| cells > 0).map(|cells| cells + 1).sum();
    let mut spare = usize::from(room).saturating_sub(used + 1);
    let usual = COLUMNS.map(|column| column.2);
    for most in [usual, [usize::MAX; 8]] {
        for column in [OBJECT, 2, QUEUE, STATE, EVENT, FOR, EVENTS] {
            if widths[column] > 0 {
                let more = wanted[column].min(most[column]).saturating_sub(widths[column]).min(spare);
                widths[column] += more;
                spare -= more;
            }
        }
    }
    widths
}

/// What lines are sorted by with the column whose heading is at `x`.
pub(super) fn sort_at(area: Rect, lines: &[ObjectLine], x: u16) -> Option<usize> {
    let widths =
        column_widths(area.width, widest(&Words { now: None, clock: Clock::default(), several: false }, lines));
    let mut end = area.x + 1;
    widths.into_iter().zip(SORT).filter(|(cells, _)| *cells > 0).find_map(|(cells, sort)| {
        end += cells as u16 + 1;
        (x < end).then_some(sort)
    })
}

pub(super) fn draw(pane: &ObjectsPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    title(pane, model, area, buffer);
    let area = super::super::below_title(area);
    let words = Words::of(pane, model);
    let widths = column_widths(area.width, widest(&words, &pane.lines));
    let heading = u16::from(area.height > 2);
    let lines = Rect { y: area.y + heading, height: area.height - heading, ..area };
    let shown = pane.lines.iter().skip(pane.cursor.top).take(usize::from(lines.height));
    let drawing = Drawing { look, widths };
    // The first column stays free for the cursor.
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let constraints = widths.into_iter().filter(|&cells| cells > 0).map(|cells| Constraint::Length(cells as u16));
    let mut table = Table::new(shown.map(|line| drawing.row(words.cells(line))), constraints).column_spacing(1);
    if heading > 0 {
        table = table.header(drawing.row(COLUMNS.map(|column| (column.0.to_owned(), Role::Help))));
    }
    Widget::render(table, inner, buffer);
    let mut paint = Paint::new(buffer, look);
    if pane.lines.is_empty() && lines.height > 0 {
        let room = area.width.saturating_sub(2);
        for (line, y) in wrap(&why_empty(pane, model), room.into()).into_iter().zip(lines.y..lines.bottom()) {
            paint.text(area.x + 1, y, room, line, Role::Help);
        }
    }
    highlight(model, ID, lines, &mut paint);
    if model.panes.front() == ID {
        pane.cursor.draw(lines, &mut paint);
    }
}

/// What the pane says where it has no lines.
fn why_empty(pane: &ObjectsPane, model: &Model) -> String {
    match &pane.progress {
        Progress::Failed(failure) => format!("what the objects were doing can't be found: {failure}"),
        Progress::Reading(percent) => format!("reading the records before this one: {percent} %"),
        _ if model.list.rows.is_empty() => "no records yet".to_owned(),
        _ => {
            let later = pane.history.as_ref().is_some_and(|history| history.newest().objects().next().is_some());
            let later = if later { "; later ones do" } else { "" };
            format!("up to this row no record says what an object does{later}")
        }
    }
}

fn title(pane: &ObjectsPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    let reverse = if pane.sort.reverse { ", reversed" } else { "" };
    let sort = format!("Objects · {}{reverse}", SORTS.get(pane.sort.column).unwrap_or(&SORTS[0]));
    let searched = line_search::title(model, ID);
    let is_short = area.width < 70 || (area.width < 100 && !searched.is_empty());
    let place = line_search::percent(pane.cursor.at, pane.lines.len(), usize::from(area.height));
    let title = if is_short { "Objects".to_owned() } else { sort } + &searched + &place;
    Rule { title: &title, right: &as_of(pane, model, area.width), look }.render(area, buffer);
}

/// `as of #744, 329 191 177`
fn as_of(pane: &ObjectsPane, model: &Model, room: u16) -> String {
    let Some(last) = pane.as_of.filter(|_| pane.progress.row(0).is_some()) else { return String::new() };
    let several = (model.list.rows.sources() > 1).then_some(last.source);
    let number = format!("as of {}", number_text(several, last.n));
    let time =
        last.time.filter(|_| room >= 56 && several.is_none()).map(|time| model.list.rows.clock().time_text(time));
    match time {
        Some(time) => format!("{number}, {}", time.trim()),
        None => number,
    }
}

/// Texts of the columns.
struct Words {
    /// Time of the row that the lines are as of.
    now: Option<u64>,
    clock: Clock,
    /// There are several sources.
    several: bool,
}

impl Words {
    fn of(pane: &ObjectsPane, model: &Model) -> Words {
        let several = model.list.rows.sources() > 1;
        Words { now: pane.as_of.and_then(|last| last.time), clock: model.list.rows.clock(), several }
    }

    fn cells(&self, line: &ObjectLine) -> Cells {
        let mark = |is_unsure: bool, text: &str| if is_unsure { format!("~{text}") } else { text.to_owned() };
        let role = |is_unsure: bool, role| if is_unsure { Role::Warning } else { role };
        let warns = line.last.as_ref().is_some_and(|last| last.warns);
        let last = line.last.as_ref().map_or_else(String::new, |last| {
            let sign = if last.warns { "! " } else { "" };
            format!("{sign}{} {}", last.kind, last.item).trim_end().to_owned()
        });
        let since = line.since.map(|since| number_text(self.several.then_some(since.source), since.n));
        [
            (line.name.clone(), Role::Object),
            (mark(line.is_unsure, &line.state), role(line.is_unsure, Role::Plain)),
            (since.unwrap_or_default(), Role::Plain),
            (self.duration(line).unwrap_or_default(), Role::Help),
            (last, role(warns, Role::Signal)),
            (mark(line.is_level_unsure, &line.level), role(line.is_level_unsure, Role::Plain)),
            (line.permille.map_or_else(String::new, percent), Role::Plain),
            (count(line.events), Role::Plain),
        ]
    }

    /// How long the state lasts: `12.3ms`.
    fn duration(&self, line: &ObjectLine) -> Option<String> {
        let (since, now) = (line.since?.time?, self.now.filter(|_| !self.several)?);
        let text = self.clock.delta_text(since, now);
        text.strip_prefix('+').map(str::to_owned)
    }
}

fn widest(words: &Words, lines: &[ObjectLine]) -> [usize; 8] {
    let mut widest = [0; 8];
    for line in lines {
        for (column, (text, _)) in words.cells(line).iter().enumerate() {
            widest[column] = widest[column].max(width(text));
        }
    }
    widest
}

/// Makes rows of cells.
struct Drawing<'a> {
    look: &'a Look,
    widths: [usize; 8],
}

impl Drawing<'_> {
    /// The texts of the columns that are shown. Names lose their middle where they are too long, other texts their end.
    fn row(&self, texts: Cells) -> Row<'static> {
        let cells = texts.into_iter().zip(self.widths).enumerate().filter(|(_, (_, width))| *width > 0);
        Row::new(cells.map(|(column, ((text, role), width))| match column {
            FOR | SHARE | EVENTS => Cell::new(self.look.span(&text, role).into_right_aligned_line()),
            EVENT | QUEUE => Cell::new(self.look.span(&cut_end(&text, width, self.look.glyphs), role)),
            _ => Cell::new(self.look.span(&cut_middle(&text, width, self.look.glyphs.ellipsis()), role)),
        }))
    }
}

/// A text without its end, if it is too long.
fn cut_end(text: &str, room: usize, glyphs: Glyphs) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if width(&kept) + width(c.encode_utf8(&mut [0; 4])) + 1 > room {
            break;
        }
        kept.push(c);
    }
    kept.trim_end().to_owned() + glyphs.ellipsis()
}

/// In at most six columns.
fn count(n: u64) -> String {
    if n < 100_000 { grouped(n) } else { short_count(n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_use_the_room_there_is() {
        let widest = [12, 14, 5, 7, 21, 17, 7, 5];
        let used = |widths: [usize; 8]| widths.iter().filter(|&&cells| cells > 0).map(|cells| cells + 1).sum::<usize>();
        for room in 40..200 {
            let widths = column_widths(room, widest);
            assert!(used(widths) <= usize::from(room), "{room}: {widths:?}");
        }
        let small = column_widths(80, widest);
        assert_eq!((small[OBJECT], small[STATE], small[FOR], small[EVENTS]), (12, 14, 0, 0));
        assert!(small[EVENT] >= 12 && small[QUEUE] >= 6, "{small:?}");
        let wide = column_widths(160, widest);
        assert!(wide.iter().zip(widest).all(|(cells, text)| *cells >= text), "{wide:?}");
        assert_eq!(column_widths(80, [12, 14, 5, 7, 21, 0, 0, 5])[QUEUE..=SHARE], [0, 0]);
    }
}
