//! The names as a table.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Rect},
    text::Line,
    widgets::{Cell, Row, Table, Widget},
};
use spytui_engine::present::clock::short_count;

use super::{
    DictionaryPane,
    names::{NameRow, SORTS},
};
use crate::{
    term::{Role, cut_middle},
    widget::{Look, Paint, Rule},
};

/// Widths of the columns; 0 = not shown.
#[derive(Debug, Clone, Copy)]
struct ColumnWidths {
    space: usize,
    key: usize,
    scope: usize,
    name: usize,
    from: usize,
    last: usize,
}

const USES: usize = 6;
/// An origin without its place in the stream takes no more.
const SHORT_FROM: usize = 6;

impl ColumnWidths {
    fn new(width: u16) -> ColumnWidths {
        let wide = ColumnWidths { space: 5, key: 11, scope: 10, name: 0, from: 15, last: 8 };
        let mut w = match width {
            70.. => wide,
            54..70 => ColumnWidths { scope: 0, last: 0, ..wide },
            _ => ColumnWidths { space: 3, key: 10, scope: 0, name: 0, from: SHORT_FROM, last: 0 },
        };
        let used: usize = w.all().iter().filter(|&&cells| cells > 0).map(|cells| cells + 1).sum();
        w.name = usize::from(width).saturating_sub(used + 1).clamp(8, 40);
        w
    }

    /// In the order of the screen.
    fn all(&self) -> [usize; 7] {
        [self.space, self.key, self.scope, self.name, self.from, USES, self.last]
    }
}

pub(super) fn draw(pane: &DictionaryPane, look: &Look, area: Rect, buffer: &mut Buffer) {
    title(pane, look, area, buffer);
    let area = super::super::below_title(area);
    let widths = ColumnWidths::new(area.width);
    let heading = u16::from(area.height > 2);
    let lines = Rect { y: area.y + heading, height: area.height - heading, ..area };
    let rows = &pane.names.rows;
    let shown = rows.iter().skip(pane.cursor.top).take(usize::from(lines.height));
    let drawing = Drawing { look, widths };
    // The first column stays free for the cursor.
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let constraints = widths.all().into_iter().filter(|&cells| cells > 0).map(|cells| Constraint::Length(cells as u16));
    let mut table = Table::new(shown.map(|row| drawing.row(row)), constraints).column_spacing(1);
    if heading > 0 {
        table = table.header(drawing.heading());
    }
    Widget::render(table, inner, buffer);
    let mut paint = Paint::new(buffer, look);
    if rows.is_empty() && lines.height > 0 {
        let text = "no names yet: they come with the dictionary records of the target; :dict load FILE reads some";
        paint.text(area.x + 1, lines.y, area.width.saturating_sub(2), text, Role::Help);
    }
    pane.cursor.draw(lines, &mut paint);
}

fn title(pane: &DictionaryPane, look: &Look, area: Rect, buffer: &mut Buffer) {
    let names = &pane.names;
    let named = names.rows.len() - names.unnamed.min(names.rows.len());
    let reverse = if pane.sort.reverse { ", reversed" } else { "" };
    let sort = format!("Dictionary · {}{reverse}", SORTS.get(pane.sort.column).unwrap_or(&SORTS[0]));
    let title = if area.width >= 70 { sort } else { "Dictionary".to_owned() };
    let counts = if area.width >= 56 {
        format!("{named} names, {}", without(names.unsure, names.unnamed, "keys without one"))
    } else {
        without(names.unsure, names.unnamed, "unnamed")
    };
    Rule { title: &title, right: &counts, look }.render(area, buffer);
}

/// Makes rows of cells.
struct Drawing<'a> {
    look: &'a Look,
    widths: ColumnWidths,
}

impl Drawing<'_> {
    fn heading(&self) -> Row<'static> {
        let w = &self.widths;
        let space = if w.space < 5 { "in" } else { "space" };
        let words = [(space, w.space), ("key", w.key), ("scope", w.scope), ("name", w.name), ("from", w.from)];
        let left = words.map(|(word, cells)| (cells, self.left(word, cells, Role::Help)));
        let right = [(USES, self.right("uses", Role::Help)), (w.last, self.right("last", Role::Help))];
        shown(left.into_iter().chain(right))
    }

    fn row(&self, row: &NameRow) -> Row<'static> {
        let w = &self.widths;
        let (name, role) = row.name.as_deref().map_or(("no name", Role::Warning), |name| (name, Role::Object));
        let from = row.from.split(" @").next().filter(|_| w.from <= SHORT_FROM).unwrap_or(&row.from);
        let uses = row.uses.filter(|&n| n > 0).map_or(String::new(), short_count);
        let last = row.last.map_or(String::new(), |n| format!("#{n}"));
        shown([
            (w.space, self.left(&row.space, w.space, Role::Group)),
            (w.key, self.left(&row.key, w.key, Role::Plain)),
            (w.scope, self.left(&row.scope, w.scope, Role::Plain)),
            (w.name, self.left(name, w.name, role)),
            (w.from, self.left(from, w.from, Role::Help)),
            (USES, self.right(&uses, Role::Plain)),
            (w.last, self.right(&last, Role::Plain)),
        ])
    }

    /// Text that loses its middle where it is too long.
    fn left(&self, text: &str, cells: usize, role: Role) -> Cell<'static> {
        let text = cut_middle(text, cells, self.look.glyphs.ellipsis());
        Cell::new(self.look.line(&text, role))
    }

    fn right(&self, text: &str, role: Role) -> Cell<'static> {
        Cell::new(Line::from(self.look.span(text, role)).right_aligned())
    }
}

/// A row of the cells whose columns are shown.
fn shown(cells: impl IntoIterator<Item = (usize, Cell<'static>)>) -> Row<'static> {
    Row::new(cells.into_iter().filter(|(width, _)| *width > 0).map(|(_, cell)| cell))
}

/// How many keys have no name: what can't be counted is not called 0.
fn without(unsure: bool, unnamed: usize, what: &str) -> String {
    match (unsure, unnamed) {
        (true, 0) => format!("{what} n/a"),
        (true, n) => format!("≥{n} {what}"),
        (false, n) => format!("{n} {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_counted_is_not_called_none() {
        let told = |unsure, unnamed| without(unsure, unnamed, "unnamed");
        assert_eq!([told(false, 0), told(true, 0), told(true, 6)], ["0 unnamed", "unnamed n/a", "≥6 unnamed"]);
    }
}
