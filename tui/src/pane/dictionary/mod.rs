//! The Dictionary pane: every name with its origin, and keys without names.

mod names;
mod uses;

use spytui_engine::{export::table::ColumnFit, present::clock::grouped, trace::list::Walking};

use super::{
    live::{Live, LivePane},
    table::{Body, TableCursor, TableSort},
};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{Model, filter, line_search, panes::ActionOffer},
    term::Role,
};
use names::{Common, NameRow, NameTable, SORTS, widest};
use uses::UseCounter;

const ID: PaneId = PaneId("dictionary");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "dictionary",
    tab: Some("Dict"),
    actions: &[HIDE_SPACE, HIDE_ORIGIN, ONLY_SPACE, ONLY_ORIGIN, ALL_NAMES, SORT_NEXT, SORT_REVERSE],
    hints: &[
        Hint(&[Action::Open], "only its rows"),
        Hint(&[Action::Search], "find"),
        Hint(&[Action::OfPane(ID, SORT_NEXT)], "sort"),
    ],
    signs: "–: none; ≥: at least: still counting",
};

const HIDE_SPACE: PaneAction = PaneAction::new("hide-space", "hide this space", "only-core");
const HIDE_ORIGIN: PaneAction = PaneAction::new("hide-origin", "hide names from here", "only-core");
const ONLY_SPACE: PaneAction = PaneAction::new("only-space", "only this space", "only-core");
const ONLY_ORIGIN: PaneAction = PaneAction::new("only-origin", "only names from here", "only-core");
const ALL_NAMES: PaneAction = PaneAction::new("all-names", "all names", "only-core");
const SORT_NEXT: PaneAction = PaneAction::new("sort-next", "sort by the next column", "source-previous");
const SORT_REVERSE: PaneAction = PaneAction::new("sort-reverse", "sort the other way round", "source-previous");

pub(super) type DictionaryPane = LivePane<NameTable>;

/// Number of first lines that determine the column widths.
const SAMPLE: usize = 500;
/// For each column, the sort order it selects.
const SORT: [usize; 7] = [0, 0, 0, 1, 4, 2, 3];
/// Number of new rows that may be uncounted without a notice.
const NEWEST: u64 = 100_000;

impl Live for NameTable {
    type Walk = UseCounter;
    type Subject = ();
    type Asked = (TableSort, Vec<(Common, bool)>);

    const KEYS: &'static PaneKeys = &KEYS;
    const MAY_WAIT: bool = false;

    fn len(&self) -> usize {
        self.order.len()
    }

    fn subject(&self, _line: usize) -> Option<()> {
        None
    }

    fn line_texts(&self, model: &Model) -> Vec<String> {
        self.lines(model, 0).map(|row| row.texts().collect::<Vec<_>>().join(" ")).collect()
    }

    fn asked(&self, _walk: &UseCounter, _model: &Model) -> Self::Asked {
        (self.sort, self.terms.clone())
    }

    fn things(&self, _walk: &UseCounter) -> usize {
        (self.order.len() + self.uses.len()) / 4
    }

    fn make(&mut self, walk: &mut UseCounter, model: &Model, _cursor: &mut TableCursor) {
        self.list(walk, model);
    }

    fn forget(&mut self) {
        *self = NameTable { sort: self.sort, ..NameTable::default() };
    }

    fn act(&mut self, action: Action, line: usize, _walk: &mut UseCounter, model: &mut Model) {
        match action {
            Action::OfPane(_, SORT_NEXT) => self.sort.column = (self.sort.column + 1) % SORTS.len(),
            Action::OfPane(_, SORT_REVERSE) => self.sort.reverse = !self.sort.reverse,
            Action::OfPane(_, ALL_NAMES) => self.terms.clear(),
            Action::Open => {
                let Some(row) = self.lines(model, line).next() else { return };
                model.panes.show(RECORDS);
                filter::set_text(model, &row.filter);
            }
            other => {
                let Some((of_space, hide)) = narrowing(other) else { return };
                let common = self.common(model, line, of_space);
                self.terms.extend(common.map(|(common, ..)| (common, hide)));
            }
        }
    }

    fn offer(&self, action: Action, line: usize, model: &Model) -> ActionOffer {
        let Some((of_space, _)) = narrowing(action) else { return ActionOffer::Usual };
        let common = self.common(model, line, of_space);
        common.map_or(ActionOffer::Nothing, |(_, word, count)| {
            ActionOffer::Words(format!("{word} {}", grouped(count as u64)))
        })
    }

    fn sort_by(&mut self, column: usize) {
        self.sort.click(SORT[column]);
    }

    fn prepare(&mut self, cursor: &TableCursor, lines: usize, model: &Model) {
        let shown: Vec<NameRow> = self.lines(model, cursor.top).take(lines).collect();
        if self.widest == [0; 7] {
            // Columns should not move with every page.
            let first: Vec<NameRow> = self.lines(model, 0).take(SAMPLE).collect();
            self.widest = widest(self.widest, &first);
        }
        self.widest = widest(self.widest, &shown);
        self.shown = (cursor.top, shown);
    }

    fn body(&self, _model: &Model, width: u16) -> Body {
        let is_narrow = width < 54;
        let (space, key, from) = if is_narrow { (3, 10, 6) } else { (5, 11, 15) };
        let text = |rank, least| ColumnFit { rank, ..ColumnFit::new(least, usize::MAX) };
        let columns = [
            (if is_narrow { "in" } else { "space" }, text(1, space)),
            ("key", text(2, key)),
            ("scope", ColumnFit { from: 70, ..text(3, 10) }),
            // Further names may be longer.
            ("name", ColumnFit { most: 60, roomy: 40, ..ColumnFit::new(8, 60) }),
            ("from", text(4, from)),
            ("uses", ColumnFit::number(6)),
            ("last", ColumnFit { from: 70, ..ColumnFit::number(8) }),
        ];
        let mut widest = self.widest;
        (widest[4], widest[5], widest[6]) = (if is_narrow { from } else { widest[4].max(from) }, 6, 8);
        let (first, rows) = &self.shown;
        Body {
            columns: columns.map(|(heading, fit)| (heading, Role::Help, fit)).into(),
            first: *first,
            rows: rows.iter().map(|row| row.cells(is_narrow)).collect(),
            widest: widest.into(),
            is_flush: true,
            is_list: false,
        }
    }

    fn why_empty(&self, _walk: &UseCounter, _model: &Model) -> String {
        "no names yet: they come with the dictionary records of the target; :dict load FILE reads some".to_owned()
    }

    fn title(&self, walk: &UseCounter, model: &Model, width: u16) -> (String, String) {
        let is_searched = line_search::of_pane(model, ID).is_some();
        let is_short = width < 70 || (width < 100 && (is_searched || self.hidden > 0));
        let sort = if is_short { "Dictionary".to_owned() } else { self.sort.title("Dictionary", &SORTS) };
        let hidden = if self.hidden > 0 { format!(" · hides {}", grouped(self.hidden as u64)) } else { String::new() };
        let named = grouped((self.len() - self.unnamed.min(self.len())) as u64);
        let refused = format!("{} refused: 64 MB are full", grouped(self.refused));
        let (counted, rows) = (walk.walked(), model.list.rows.len());
        let percent = (rows > counted + NEWEST).then(|| counted * 100 / rows);
        let counts = match (percent, self.refused) {
            (Some(percent), 0) => format!("counting uses, {percent} %"),
            (Some(percent), _) => format!("{refused} · counting {percent} %"),
            (None, 1..) => format!("{named} names, {refused}"),
            _ if width >= 56 => format!("{named} names, {}", without(walk.is_full, self.unnamed, "keys without one")),
            _ => without(walk.is_full, self.unnamed, "unnamed"),
        };
        (sort + &hidden, counts)
    }
}

/// Whether an action concerns the space or the origin of a line, and whether it hides; `None` for other actions.
fn narrowing(action: Action) -> Option<(bool, bool)> {
    match action {
        Action::OfPane(_, HIDE_SPACE) => Some((true, true)),
        Action::OfPane(_, ONLY_SPACE) => Some((true, false)),
        Action::OfPane(_, HIDE_ORIGIN) => Some((false, true)),
        Action::OfPane(_, ONLY_ORIGIN) => Some((false, false)),
        _ => None,
    }
}

/// Number of keys without a name; `n/a` rather than 0 if they can't be counted.
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
    fn what_is_not_counted_is_not_called_none() {
        let text = |unsure, unnamed| without(unsure, unnamed, "unnamed");
        assert_eq!([text(false, 0), text(true, 0), text(true, 6)], ["0 unnamed", "unnamed n/a", "≥6 unnamed"]);
    }
}
