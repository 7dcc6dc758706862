//! The Dictionary pane: every name with its origin, and the keys that have none.

use spytui_engine::present::clock::short_count;

use super::paint::Paint;
use crate::{
    app::{
        App,
        dictionary::{NameRow, SORTS},
    },
    term::{Role, cut_middle},
};

/// Widths of the columns; 0 = not shown.
#[derive(Debug, Clone, Copy)]
struct Widths {
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

impl Widths {
    fn new(width: u16) -> Widths {
        let mut w = Widths { space: 5, key: 11, scope: 10, name: 0, from: 15, last: 8 };
        match width {
            70.. => {}
            54..70 => (w.scope, w.last) = (0, 0),
            _ => (w.space, w.key, w.scope, w.from, w.last) = (3, 10, 0, SHORT_FROM, 0),
        }
        let columns = [w.space, w.key, USES, w.scope, w.from, w.last];
        let used: usize = columns.iter().filter(|&&c| c > 0).map(|c| c + 1).sum();
        w.name = usize::from(width).saturating_sub(used + 1).clamp(8, 40);
        w
    }
}

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((y, area)) = app.layout.pane else { return };
    let names = &app.shown.names;
    let named = names.rows.len() - names.unnamed.min(names.rows.len());
    let reverse = if app.dictionary.reverse { ", reversed" } else { "" };
    let sort = format!("Dictionary · {}{reverse}", SORTS.get(app.dictionary.sort).unwrap_or(&SORTS[0]));
    let title = if area.width >= 70 { sort } else { "Dictionary".to_owned() };
    let counts = if area.width >= 56 {
        format!("{named} names, {}", without(names.unsure, names.unnamed, "keys without one"))
    } else {
        without(names.unsure, names.unnamed, "unnamed")
    };
    paint.rule(area.x, y, area.width, &title, &counts);
    let w = Widths::new(area.width);
    let mut line_y = area.y;
    if area.height > 2 {
        head(paint, &w, area.x, line_y, area.right());
        line_y += 1;
    }
    let lines = usize::from(area.bottom().saturating_sub(line_y));
    if names.rows.is_empty() && lines > 0 {
        let text = "no names yet: they come with the dictionary records of the target; :dict load FILE reads some";
        paint.text(area.x + 1, line_y, area.width.saturating_sub(2), text, Role::Help);
    }
    for (i, row) in names.rows.iter().enumerate().skip(app.dictionary.top).take(lines) {
        let y = line_y + (i - app.dictionary.top) as u16;
        line(paint, &w, row, area.x, y, area.right());
        if i == app.dictionary.cursor {
            paint.cursor_line(area.x, y, area.width);
        }
    }
}

/// Writes columns one after the other.
struct Columns<'p, 'b> {
    paint: &'p mut Paint<'b>,
    x: u16,
    y: u16,
    end: u16,
}

impl Columns<'_, '_> {
    fn put(&mut self, text: &str, cells: usize, role: Role) {
        if cells == 0 {
            return;
        }
        let text = cut_middle(text, cells, self.paint.glyphs().ellipsis()).into_owned();
        self.paint.text(self.x, self.y, self.end.saturating_sub(self.x), &text, role);
        self.x += cells as u16 + 1;
    }

    fn put_right(&mut self, text: &str, cells: usize, role: Role) {
        self.put(&format!("{text:>cells$}"), cells, role);
    }
}

fn head(paint: &mut Paint<'_>, w: &Widths, x: u16, y: u16, end: u16) {
    let mut columns = Columns { paint, x: x + 1, y, end };
    let space = if w.space < 5 { "in" } else { "space" };
    for (word, cells) in [(space, w.space), ("key", w.key), ("scope", w.scope), ("name", w.name), ("from", w.from)] {
        columns.put(word, cells, Role::Help);
    }
    columns.put_right("uses", USES, Role::Help);
    columns.put_right("last", w.last, Role::Help);
}

fn line(paint: &mut Paint<'_>, w: &Widths, row: &NameRow, x: u16, y: u16, end: u16) {
    let mut columns = Columns { paint, x: x + 1, y, end };
    columns.put(&row.space, w.space, Role::Group);
    columns.put(&row.key, w.key, Role::Plain);
    columns.put(&row.scope, w.scope, Role::Plain);
    match &row.name {
        Some(name) => columns.put(name, w.name, Role::Object),
        None => columns.put("no name", w.name, Role::Warning),
    }
    let from = row.from.split(" @").next().filter(|_| w.from <= SHORT_FROM).unwrap_or(&row.from);
    columns.put(from, w.from, Role::Help);
    columns.put_right(&row.uses.filter(|&n| n > 0).map_or(String::new(), short_count), USES, Role::Plain);
    columns.put_right(&row.last.map_or(String::new(), |n| format!("#{n}")), w.last, Role::Plain);
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
