//! The names as a table.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Rect},
    widgets::{Cell, Row, Table, Widget},
};
use spytui_engine::present::clock::{grouped, short_count};

use super::super::table::highlight;
use super::{
    DictionaryPane, ID,
    names::{NameRow, SORTS},
};
use crate::{
    model::{Model, line_search},
    term::{Role, cut_middle, wrap},
    widget::{Look, Paint, Rule},
};

/// Columns: heading, and width by the room there is (narrow, medium, wide); 0 = not shown. The name gets the rest.
const COLUMNS: [(&str, [usize; 3]); 7] = [
    ("space", [3, 5, 5]),
    ("key", [10, 11, 11]),
    ("scope", [0, 0, 10]),
    ("name", [0, 0, 0]),
    ("from", [SHORT_FROM, 15, 15]),
    ("uses", [6, 6, 6]),
    ("last", [0, 0, 8]),
];
const NAME: usize = 3;
const FROM: usize = 4;
/// First right-aligned column.
const NUMBERS: usize = 5;
/// A name is not given more, where there is more.
const LONG_NAME: usize = 60;
/// A name is given as much where there is room.
const USUAL_NAME: usize = 40;
/// Width of an origin without its position in the stream.
const SHORT_FROM: usize = 6;

/// Widths of the columns for names of these widths: room that names don't need is for the other columns.
fn column_widths(width: u16, widest: [usize; 7]) -> [usize; 7] {
    let room = match width {
        70.. => 2,
        54..70 => 1,
        _ => 0,
    };
    let mut widths = COLUMNS.map(|(_, cells)| cells[room]);
    for column in [0, 1, 2] {
        widths[column] = widths[column].min(widest[column].max(COLUMNS[column].0.len()));
    }
    let used: usize = widths.iter().filter(|&&cells| cells > 0).map(|cells| cells + 1).sum();
    let rest = usize::from(width).saturating_sub(used + 1);
    widths[NAME] = widest[NAME].clamp(8, rest.clamp(8, LONG_NAME));
    let mut spare = rest.saturating_sub(widths[NAME]);
    for column in [0, 1, 2, FROM] {
        let more = widest[column].saturating_sub(widths[column]).min(spare);
        if widths[column] > 0 {
            widths[column] += more;
            spare -= more;
        }
    }
    // Further names may be longer.
    widths[NAME] = (widths[NAME] + spare).min(widths[NAME].max(USUAL_NAME));
    widths
}

/// Index of the sort order of the column whose heading is at `x`.
pub(super) fn sort_at(area: Rect, widest: [usize; 7], x: u16) -> Option<usize> {
    /// Of each of [`COLUMNS`].
    const SORT: [usize; 7] = [0, 0, 0, 1, 4, 2, 3];
    let mut end = area.x + 1;
    let columns = column_widths(area.width, widest).into_iter().zip(SORT).filter(|(cells, _)| *cells > 0);
    columns.into_iter().find_map(|(cells, sort)| {
        end += cells as u16 + 1;
        (x < end).then_some(sort)
    })
}

pub(super) fn draw(pane: &DictionaryPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    title(pane, model, area, buffer);
    let area = super::super::below_title(area);
    let widths = column_widths(area.width, pane.widest);
    let heading = u16::from(area.height > 2);
    let lines = Rect { y: area.y + heading, height: area.height - heading, ..area };
    let shown = pane.shown.iter().take(usize::from(lines.height));
    let drawing = Drawing { look, widths };
    // The first column stays free for the cursor.
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let constraints = widths.into_iter().filter(|&cells| cells > 0).map(|cells| Constraint::Length(cells as u16));
    let mut table = Table::new(shown.map(|row| drawing.name(row)), constraints).column_spacing(1);
    if heading > 0 {
        table = table.header(drawing.heading());
    }
    Widget::render(table, inner, buffer);
    let mut paint = Paint::new(buffer, look);
    if pane.names.len() == 0 && lines.height > 0 {
        let text = "no names yet: they come with the dictionary records of the target; :dict load FILE reads some";
        let room = area.width.saturating_sub(2);
        for (line, y) in wrap(text, room.into()).into_iter().zip(lines.y..lines.bottom()) {
            paint.text(area.x + 1, y, room, line, Role::Help);
        }
    }
    highlight(model, ID, lines, &mut paint);
    pane.cursor.draw(lines, &mut paint);
}

fn title(pane: &DictionaryPane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    let names = &pane.names;
    let named = grouped((names.len() - names.unnamed.min(names.len())) as u64);
    let reverse = if pane.sort.reverse { ", reversed" } else { "" };
    let sort = format!("Dictionary · {}{reverse}", SORTS.get(pane.sort.column).unwrap_or(&SORTS[0]));
    let searched = line_search::title(model, ID);
    let short = area.width < 70 || (area.width < 100 && !(searched.is_empty() && names.hidden == 0));
    let hidden = if names.hidden > 0 { format!(" · hides {}", grouped(names.hidden as u64)) } else { String::new() };
    let place = line_search::percent(pane.cursor.at, names.len(), usize::from(area.height));
    let title = if short { "Dictionary".to_owned() } else { sort } + &hidden + &searched + &place;
    let counts = if let Some(percent) = names.counted(model) {
        match names.refused {
            0 => format!("counting uses, {percent} %"),
            refused => format!("{} refused: 64 MB are full · counting {percent} %", grouped(refused)),
        }
    } else if names.refused > 0 {
        format!("{named} names, {} refused: 64 MB are full", grouped(names.refused))
    } else if area.width >= 56 {
        format!("{named} names, {}", without(names.unsure, names.unnamed, "keys without one"))
    } else {
        without(names.unsure, names.unnamed, "unnamed")
    };
    Rule { title: &title, right: &counts, look }.render(area, buffer);
}

/// Makes rows of cells.
struct Drawing<'a> {
    look: &'a Look,
    widths: [usize; 7],
}

impl Drawing<'_> {
    fn heading(&self) -> Row<'static> {
        let mut words = COLUMNS.map(|(heading, _)| (heading.to_owned(), Role::Help));
        if self.widths[0] < words[0].0.len() {
            words[0].0 = "in".to_owned();
        }
        self.row(words)
    }

    fn name(&self, row: &NameRow) -> Row<'static> {
        let (name, role) = row.name.as_deref().map_or(("no name", Role::Warning), |name| (name, row.role));
        let from = row.from.split(" @").next().filter(|_| self.widths[FROM] <= SHORT_FROM).unwrap_or(&row.from);
        self.row([
            (row.space.clone(), Role::Group),
            (row.key.clone(), Role::Plain),
            (row.scope.clone(), Role::Plain),
            (name.to_owned(), role),
            (from.to_owned(), Role::Help),
            (count(row.uses), Role::Plain),
            (row.last.clone(), Role::Plain),
        ])
    }

    /// The texts of the columns that are shown. Names lose their middle where they are too long.
    fn row(&self, texts: [(String, Role); 7]) -> Row<'static> {
        let cells = texts.into_iter().zip(self.widths).enumerate().filter(|(_, (_, width))| *width > 0);
        Row::new(cells.map(|(column, ((text, role), width))| {
            if column >= NUMBERS {
                return Cell::new(self.look.span(&text, role).into_right_aligned_line());
            }
            Cell::new(self.look.span(&cut_middle(&text, width, self.look.glyphs.ellipsis()), role))
        }))
    }
}

/// In at most six columns.
fn count(n: u64) -> String {
    if n < 100_000 { grouped(n) } else { short_count(n) }
}

/// Number of keys without a name; `n/a` rather than 0 if they cannot be counted.
fn without(unsure: bool, unnamed: usize, what: &str) -> String {
    match (unsure, unnamed) {
        (true, 0) => format!("{what} n/a"),
        (true, n) => format!("≥{} {what}", grouped(n as u64)),
        (false, n) => format!("{} {what}", grouped(n as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_use_the_room_that_names_leave() {
        let widest = [6, 8, 18, 14, 16, 0, 0];
        let [space, key, scope, name, from, ..] = column_widths(80, widest);
        assert_eq!((space, key, scope, name, from), (6, 8, 16, 14, 15));
        let wide = column_widths(200, widest);
        assert_eq!(wide[..5], [6, 8, 18, 40, 16]);
    }

    #[test]
    fn what_is_not_counted_is_not_called_none() {
        let text = |unsure, unnamed| without(unsure, unnamed, "unnamed");
        assert_eq!([text(false, 0), text(true, 0), text(true, 6)], ["0 unnamed", "unnamed n/a", "≥6 unnamed"]);
    }
}
