//! The gutter of the list: the spans open at each row, each in its own column.
//!
//! A span keeps its column from its first row to its last, so nested interrupts and overlapping markers can be
//! distinguished. The columns are found by scanning some rows before the page; spans that began earlier are not shown.

use spytui_engine::store::Span;
use spytui_engine::trace::list::RowList;
use spytui_plugin_api::{NONE, row::RowFlags};

use super::ListEntry;

pub const MOST_COLUMNS: usize = 4;
/// Rows scanned before the page.
const BACK: u64 = 256;

/// Identifies an open span: source, core, and object with its space. The kinds that begin and end a span share these,
/// but not always a group.
type Key = (usize, u16, u16, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    key: Key,
    /// Spans of this kind nest; for other kinds, a second begin means that an end was lost.
    nests: bool,
    /// Records were lost since it began, perhaps including its end.
    unsure: bool,
}

/// Fills in the gutter of the entries; returns the number of columns in use.
pub(super) fn fill(rows: &RowList, entries: &mut [ListEntry]) -> usize {
    let mut lanes = Lanes::default();
    let mut next = entries.first().map_or(0, |entry| entry.first.saturating_sub(BACK));
    let mut marks = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        // Rows hidden by a filter are not between shown ones.
        let above = lanes.above;
        if entry.first.saturating_sub(next) > BACK {
            // A filter hides many rows in between.
            lanes = Lanes::default();
            next = entry.first - BACK;
        }
        for row in next..entry.first {
            lanes.take(rows, row);
        }
        lanes.above = above;
        marks.push(lanes.take(rows, entry.first));
        next = entry.first + 1;
    }
    drop_silent_columns(&mut marks);
    let mut used = 0;
    for (entry, marks) in entries.iter_mut().zip(marks) {
        entry.gutter = text_of(&marks);
        used = used.max(entry.gutter.chars().count());
    }
    used
}

/// The mark of each span open at a row, by column.
type Marks = Vec<char>;

/// Removes columns of spans that are open on the whole page: they carry no information, and hide what they contain.
fn drop_silent_columns(page: &mut [Marks]) {
    let columns = page.iter().map(Vec::len).max().unwrap_or(0);
    for column in (0..columns).rev() {
        // Notes have no marks.
        let of_records = || page.iter().filter(|marks| !marks.is_empty());
        let is_silent = of_records().all(|marks| marks.get(column) == Some(&'│'));
        if is_silent && of_records().count() > 1 {
            page.iter_mut().filter(|marks| marks.len() > column).for_each(|marks| {
                marks.remove(column);
            });
        }
    }
}

#[derive(Debug, Default)]
struct Lanes {
    open: Vec<Option<Open>>,
    /// Column of the row above and the detached span that begins there, if any.
    above: Option<(usize, Key)>,
}

impl Lanes {
    /// Advances to the next row; returns its gutter.
    fn take(&mut self, rows: &RowList, row: u64) -> Marks {
        // Skips rows that would have to be decoded again.
        let Some(shape) = rows.shape(row) else {
            self.open.clear();
            return Marks::new();
        };
        if shape.row.flags.intersects(RowFlags::EPOCH) {
            self.open.clear();
        }
        if shape.row.may_hide_records() {
            self.open.iter_mut().flatten().for_each(|open| open.unsure = true);
        }
        if shape.row.kind.is_note() {
            self.above = None;
            return Marks::new();
        }
        let source = rows.locate(row).map_or(0, |(source, _)| source);
        let kind = rows.source(source).decoder.info.kind(shape.row.kind);
        let (space, object) = match shape.span {
            Span::None | Span::Inside => (NONE, 0),
            _ => (kind.map_or(NONE, |kind| kind.obj_space), rows.row(row).map_or(0, |row| row.obj)),
        };
        self.place(shape.span, (source, shape.row.core, space, object), shape.unsure)
    }

    /// The gutter of a record with this place in a span.
    fn place(&mut self, span: Span, key: Key, unsure: bool) -> Marks {
        let mut changed = None;
        let above = self.above.take();
        match span {
            Span::ApartBegin => {
                changed = Some((self.free(0), '┌'));
                self.above = Some((self.free(0), key));
            }
            Span::ApartEnd => {
                // Below the beginning of another thread's call, on any core, it would seem to end that one.
                let thing = |key: Key| (key.0, key.2, key.3);
                let is_of_other = |above: &(usize, Key)| thing(above.1) != thing(key);
                let from = above.filter(is_of_other).map_or(0, |above| above.0 + 1);
                changed = Some((self.free(from), '└'));
            }
            Span::Open | Span::Begin => changed = Some((self.begin(key, span == Span::Begin), '┌')),
            Span::Close | Span::End => changed = self.column_of_end(span, key).map(|column| (column, '└')),
            Span::Inside if self.open.iter().flatten().next().is_none() => {
                // It began before the rows scanned.
                self.begin(key, false);
            }
            Span::Inside | Span::None => {}
        }
        let mut marks: Marks = self.open.iter().map(|open| if open.is_some() { '│' } else { ' ' }).collect();
        if let Some((column, mark)) = changed {
            marks.resize(marks.len().max(column + 1), ' ');
            marks[column] = mark;
        }
        if let Some(mark) = marks.iter_mut().rfind(|mark| **mark != ' ').filter(|_| unsure && span != Span::None) {
            *mark = '~';
        }
        if let Some(ended) = changed.filter(|(_, mark)| *mark == '└').and_then(|(column, _)| self.open.get_mut(column))
        {
            *ended = None;
        }
        while self.open.last().is_some_and(Option::is_none) {
            self.open.pop();
        }
        marks
    }

    /// The first column from `from` on without a span.
    fn free(&self, from: usize) -> usize {
        let after = self.open.len().max(from);
        (from..after).find(|&column| self.open.get(column).is_none_or(Option::is_none)).unwrap_or(after)
    }

    /// The column of a span that begins.
    fn begin(&mut self, key: Key, nests: bool) -> usize {
        let ended = |open: &Open| {
            let same_lane = (open.key.0, open.key.1) == (key.0, key.1);
            if nests { open.unsure && open.key == key } else { same_lane && !open.nests }
        };
        for slot in &mut self.open {
            if slot.as_ref().is_some_and(ended) {
                *slot = None;
            }
        }
        let column = self.free(0);
        if column == self.open.len() {
            self.open.push(None);
        }
        self.open[column] = Some(Open { key, nests, unsure: false });
        column
    }

    /// The column of the span that ends: that of the same thing, or the last one if the row ends any span.
    fn column_of_end(&self, span: Span, key: Key) -> Option<usize> {
        let last = |test: &dyn Fn(&Open) -> bool| self.open.iter().rposition(|open| open.as_ref().is_some_and(test));
        let steps = |open: &Open| !open.nests && (open.key.0, open.key.1) == (key.0, key.1);
        last(&|open| open.key == key).or_else(|| last(&steps).filter(|_| span == Span::Close))
    }
}

/// The marks as text; the last column represents all deeper ones.
fn text_of(marks: &[char]) -> String {
    let shown = marks.len().min(MOST_COLUMNS);
    let mut text: String = marks[..shown].iter().collect();
    if marks.len() > MOST_COLUMNS && marks[MOST_COLUMNS..].iter().any(|mark| *mark != ' ') {
        text.pop();
        text.push('┊');
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gutters(rows: &[(Span, u64)]) -> Vec<String> {
        let mut lanes = Lanes::default();
        rows.iter().map(|&(span, object)| text_of(&lanes.place(span, (0, 0, 1, object), false))).collect()
    }

    #[test]
    fn every_span_has_its_end() {
        let rows =
            [(Span::Begin, 1), (Span::Begin, 2), (Span::Inside, 9), (Span::Close, 2), (Span::None, 0), (Span::End, 1)];
        assert_eq!(gutters(&rows), ["┌", "│┌", "││", "│└", "│", "└"]);
        // Markers overlap.
        let rows =
            [(Span::Begin, 1), (Span::Begin, 2), (Span::Close, 1), (Span::Begin, 3), (Span::Close, 2), (Span::End, 3)];
        assert_eq!(gutters(&rows), ["┌", "│┌", "└│", "┌│", "│└", "└"]);
        assert_eq!(gutters(&[(Span::End, 1), (Span::None, 0)]), ["", ""]);
    }

    #[test]
    fn a_step_whose_end_was_lost_ends_with_the_next() {
        let rows = [(Span::Open, 1), (Span::Inside, 0), (Span::Open, 2), (Span::Close, 9), (Span::None, 0)];
        assert_eq!(gutters(&rows), ["┌", "│", "┌", "└", ""]);
    }

    #[test]
    fn what_lies_apart_is_marked_but_holds_no_column() {
        let rows = [
            (Span::ApartBegin, 1),
            (Span::None, 0),
            (Span::Begin, 1),
            (Span::ApartEnd, 7),
            (Span::Inside, 0),
            (Span::Close, 1),
            (Span::ApartEnd, 7),
        ];
        assert_eq!(gutters(&rows), ["┌", "", "┌", "│└", "│", "└", "└"]);
    }

    #[test]
    fn an_end_does_not_stand_below_the_begin_of_another() {
        let (begin, end) = (|of| (Span::ApartBegin, of), |of| (Span::ApartEnd, of));
        assert_eq!(gutters(&[begin(1), end(2), end(1)]), ["┌", " └", "└"]);
        assert_eq!(gutters(&[begin(1), end(1), begin(1), (Span::None, 0), end(2)]), ["┌", "└", "┌", "", "└"]);
    }

    #[test]
    fn what_is_open_on_the_whole_page_says_nothing() {
        let page = |rows: &[&str]| {
            let mut marks: Vec<Marks> = rows.iter().map(|row| row.chars().collect()).collect();
            drop_silent_columns(&mut marks);
            marks.iter().map(|marks| text_of(marks)).collect::<Vec<_>>()
        };
        assert_eq!(page(&["│││┌", "│││└", "", "│││"]), ["┌", "└", "", ""]);
        assert_eq!(page(&["│┌", "││", " └"]), ["│┌", "││", " └"]);
        assert_eq!(page(&["│~", "│~"]), ["~", "~"]);
    }

    #[test]
    fn deep_spans_share_the_last_column() {
        let begin: Vec<(Span, u64)> = (1..=6).map(|object| (Span::Begin, object)).collect();
        assert_eq!(gutters(&begin), ["┌", "│┌", "││┌", "│││┌", "│││┊", "│││┊"]);
    }
}
