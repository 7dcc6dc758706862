//! Lines of a pane: the cursor in them, how they are sorted, and a table of texts whose columns share the room.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::export::table::{ColumnFit, Table};

use crate::{
    input::Action,
    model::{Model, screen::Piece},
    term::{Role, cut_middle, end_marked, width},
    widget::{Look, Paint},
};

/// Lines that an action scrolls by; `None` if it does not scroll by lines.
pub(super) fn lines_moved(action: Action, height: usize) -> Option<i64> {
    let page = height as i64;
    Some(match action {
        Action::Up => -1,
        Action::Down => 1,
        Action::HalfUp => -(page / 2).max(1),
        Action::HalfDown => (page / 2).max(1),
        Action::PageUp => -(page - 1).max(1),
        Action::PageDown => (page - 1).max(1),
        _ => return None,
    })
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TableSort {
    /// Index of the sort order.
    pub(super) column: usize,
    pub(super) reverse: bool,
}

impl TableSort {
    /// Sorts by a column; reverses the order if already sorted by it.
    pub(super) fn click(&mut self, column: usize) {
        *self = TableSort { column, reverse: self.column == column && !self.reverse };
    }

    /// `Objects · by name, reversed`
    pub(super) fn title(self, pane: &str, words: &[&str]) -> String {
        let reverse = if self.reverse { ", reversed" } else { "" };
        format!("{pane} · {}{reverse}", words.get(self.column).unwrap_or(&words[0]))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TableCursor {
    pub(super) at: usize,
    pub(super) top: usize,
    /// Number of lines as of the last frame.
    pub(super) len: usize,
}

impl TableCursor {
    /// Moves the cursor; `height` = lines per page. `false` = the action does not move.
    pub(super) fn handle(&mut self, action: Action, height: usize) -> bool {
        match action {
            Action::Top => self.at = 0,
            Action::Follow => self.go_to_end(),
            // The end may have moved since the last frame; the next one corrects that.
            _ => match lines_moved(action, height) {
                Some(by) => self.at = (self.at as i64).saturating_add(by).max(0) as usize,
                None => return false,
            },
        }
        true
    }

    /// A click into the lines of the table, which begin `above` lines below the top of the pane in front.
    pub(super) fn click(&mut self, at: Position, above: u16, model: &Model) {
        let first = model.screen.layout.pane.map(|(_, area)| area.y + above);
        let line = first.and_then(|first| at.y.checked_sub(first)).map(|line| self.top + usize::from(line));
        self.at = line.filter(|line| *line < self.len).unwrap_or(self.at);
    }

    /// Moves to the last line with the next frame.
    pub(super) fn go_to_end(&mut self) {
        self.at = usize::MAX / 2;
    }

    /// Keeps the cursor visible on `height` lines.
    pub(super) fn fit(&mut self, len: usize, height: usize) {
        self.len = len;
        self.at = self.at.min(len.saturating_sub(1));
        self.top = self.top.min(self.at).max((self.at + 1).saturating_sub(height.max(1)));
        self.top = self.top.min(len.saturating_sub(height.min(len)));
    }

    /// Draws the cursor over the lines of a table.
    pub(super) fn draw(&self, lines: Rect, paint: &mut Paint<'_>) {
        let line = self.at.saturating_sub(self.top);
        if self.at < self.len && line < usize::from(lines.height) {
            paint.cursor_line(lines.x, lines.y + line as u16, lines.width);
        }
    }

    /// Draws lines of text from the scroll position on, and the cursor.
    pub(super) fn draw_lines<T>(
        &self,
        lines: &[T],
        line: impl Fn(&T) -> Vec<Piece>,
        look: &Look,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let mut paint = Paint::new(buffer, look);
        for (item, y) in lines.iter().skip(self.top).zip(area.y..area.bottom()) {
            let pieces = line(item);
            paint.spans(area.x, y, area.width, pieces.iter().map(|(text, role)| (text.as_str(), *role)));
        }
        self.draw(area, &mut paint);
    }
}

#[derive(Debug, Default)]
pub(super) struct Body {
    /// Heading, role and layout.
    pub(super) columns: Vec<(&'static str, Role, ColumnFit)>,
    /// Index of the first row with texts.
    pub(super) first: usize,
    pub(super) rows: Vec<Vec<Piece>>,
    /// Maximum text width of each column.
    pub(super) widest: Vec<usize>,
    /// The last column extends to the edge.
    pub(super) is_flush: bool,
    /// A list without headings: objects have the colours of their names, and only they are shortened in the middle.
    pub(super) is_list: bool,
}

impl Body {
    /// For a table with columns of these roles; texts that deserve attention are warnings.
    pub(super) fn new<T>(table: &Table<'_, T>, rows: &[T], roles: &[Role]) -> Body {
        let columns = table.columns().map(|column| (column.heading, Role::Help, column.fit)).collect();
        let cell = |((text, warns), role): ((String, bool), &Role)| (text, if warns { Role::Warning } else { *role });
        let rows: Vec<Vec<Piece>> = rows.iter().map(|row| table.cells(row).zip(roles).map(cell).collect()).collect();
        let widest = |at: usize| rows.iter().map(|row| width(&row[at].0)).max().unwrap_or(0);
        let widest = (0..roles.len()).map(widest).collect();
        Body { columns, widest, rows, ..Body::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Width that each column needs for its heading and its texts.
    fn wanted(&self) -> Vec<usize> {
        let heads = self.columns.iter().map(|column| if self.is_list { 0 } else { width(column.0) });
        heads.zip(&self.widest).map(|(head, widest)| head.max(*widest)).collect()
    }

    /// The columns that fit into a pane of this width.
    fn shown(&self, wanted: &[usize], width: u16, room: usize) -> Vec<usize> {
        let fit = |at: usize| self.columns[at].2;
        let is_there = |at: &usize| {
            let is_needless = fit(*at).is_optional || wanted[*at].max(fit(*at).roomy) == 0;
            width >= fit(*at).from && (self.widest[*at] > 0 || !is_needless)
        };
        let mut shown: Vec<usize> = (0..wanted.len()).filter(is_there).collect();
        while shown.iter().map(|at| wanted[*at].min(fit(*at).usual) + 1).sum::<usize>() > room {
            let Some(goes) = shown.iter().copied().max_by_key(|at| fit(*at).goes) else { break };
            if fit(goes).goes == 0 {
                break;
            }
            shown.retain(|at| *at != goes);
        }
        shown
    }

    /// Widths of the columns in a pane of this width, whose first cell is the cursor's; 0 = hidden.
    fn widths(&self, width: u16) -> Vec<usize> {
        let room = usize::from(width.saturating_sub(u16::from(!self.is_flush)));
        let wanted = self.wanted();
        let mut order = self.shown(&wanted, width, room);
        order.sort_by_key(|at| self.columns[*at].2.rank);
        let mut widths = vec![0; wanted.len()];
        let mut spare = room.saturating_sub(order.len());
        for most in [
            |fit: ColumnFit, wanted: usize| wanted.min(fit.least),
            |fit: ColumnFit, wanted: usize| wanted.min(fit.usual),
            |fit: ColumnFit, wanted: usize| wanted.min(fit.most),
            |fit: ColumnFit, _: usize| fit.roomy,
        ] {
            for at in &order {
                let more = most(self.columns[*at].2, wanted[*at]).saturating_sub(widths[*at]).min(spare);
                widths[*at] += more;
                spare -= more;
            }
        }
        widths
    }

    /// The column whose heading is at `x`.
    pub(super) fn column_at(&self, area: Rect, x: u16) -> Option<usize> {
        let mut end = usize::from(area.x) + 1;
        self.widths(area.width).into_iter().enumerate().filter(|(_, cells)| *cells > 0).find_map(|(at, cells)| {
            end += cells + 1;
            (usize::from(x) < end).then_some(at)
        })
    }

    /// Draws the headings, if there is a line for them, and the rows from one on. Long texts extend into empty cells
    /// after them.
    pub(super) fn draw(&self, has_heading: bool, top: usize, area: Rect, look: &Look, buffer: &mut Buffer) {
        let widths = self.widths(area.width);
        let columns: Vec<usize> = (0..widths.len()).filter(|at| widths[*at] > 0).collect();
        let heading: Vec<Piece> = self.columns.iter().map(|(head, role, _)| ((*head).to_owned(), *role)).collect();
        let rows = self.rows.iter().skip(top - self.first.min(top));
        let heading = std::iter::once(&heading).filter(|_| has_heading);
        for (row, y) in heading.chain(rows).zip(area.y..area.bottom()) {
            let mut x = area.x + 1;
            for (i, at) in columns.iter().enumerate() {
                let (text, role) = &row[*at];
                let empty = columns[i + 1..].iter().take_while(|next| row[**next].0.is_empty());
                let room = widths[*at] + empty.map(|next| widths[*next] + 1).sum::<usize>();
                let fit = self.columns[*at].2;
                let is_name = self.is_list && *role == Role::Object;
                let ellipsis = look.glyphs.ellipsis();
                let text = match fit.cuts_end || fit.is_right || self.is_list && !is_name {
                    true => end_marked(text, room, ellipsis),
                    false => cut_middle(text, room, ellipsis),
                };
                let pad = if fit.is_right { widths[*at].saturating_sub(width(&text)) } else { 0 };
                let free = usize::from(area.right().saturating_sub(x + pad as u16));
                if free > 0 {
                    let style = if is_name { look.theme.object(&text) } else { look.style(*role) };
                    let cells = if self.is_list { (widths[*at] + 1).min(free) as u16 } else { 0 };
                    buffer.set_style(Rect::new(x, y, cells, 1), style);
                    buffer.set_stringn(x + pad as u16, y, look.glyphs.spell(&text), free, style);
                }
                x += widths[*at] as u16 + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(columns: &[(&'static str, usize, ColumnFit)]) -> Body {
        let widest = columns.iter().map(|column| column.1).collect();
        let columns = columns.iter().map(|(heading, _, fit)| (*heading, Role::Help, *fit)).collect();
        Body { columns, widest, ..Body::default() }
    }

    fn used(widths: &[usize]) -> usize {
        widths.iter().filter(|&&cells| cells > 0).map(|cells| cells + 1).sum()
    }

    #[test]
    fn columns_use_the_room_there_is() {
        let columns = [
            ("object", 30, ColumnFit { rank: 1, ..ColumnFit::new(8, 17) }),
            ("state", 14, ColumnFit::new(8, 18)),
            ("queue", 0, ColumnFit { is_optional: true, ..ColumnFit::new(6, 20) }),
            ("for", 7, ColumnFit { from: 96, ..ColumnFit::number(8) }),
            ("name", 5, ColumnFit { most: 60, roomy: 40, rank: 2, ..ColumnFit::new(8, 60) }),
        ];
        let body = body(&columns);
        for room in 28..200 {
            let widths = body.widths(room);
            assert!(used(&widths) < usize::from(room), "{room}: {widths:?}");
        }
        // The state gets what it needs first; the rest goes to the object.
        assert_eq!(body.widths(30), [8, 13, 0, 0, 5]);
        assert_eq!(body.widths(50), [27, 14, 0, 0, 5]);
        assert_eq!(body.widths(100), [30, 14, 0, 7, 40]);
    }

    #[test]
    fn figures_are_left_out_before_names_are_cut_short() {
        let figure = |goes| ColumnFit { goes, roomy: 8, ..ColumnFit::number(usize::MAX) };
        let columns = [
            ("object", 12, ColumnFit::new(8, 16)),
            ("min", 5, figure(2)),
            ("p95", 6, figure(1)),
            ("max", 7, figure(0)),
        ];
        let body = body(&columns);
        assert_eq!(body.widths(45), [12, 8, 8, 8]);
        assert_eq!(body.widths(35), [12, 5, 6, 7]);
        assert_eq!(body.widths(30), [12, 0, 7, 7]);
        assert_eq!(body.widths(22), [12, 0, 0, 7]);
        assert_eq!(body.column_at(Rect::new(0, 0, 30, 9), 14), Some(2));
        assert_eq!(body.column_at(Rect::new(0, 0, 30, 9), 13), Some(0));
        assert_eq!(body.column_at(Rect::new(0, 0, 30, 9), 30), None);
    }
}
