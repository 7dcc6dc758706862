//! The Dictionary pane: every name with its origin, and keys without names.

mod names;

use std::sync::Arc;

use names::{Common, NameRow, NameTable, SORTS, widest};
use rustc_hash::FxHashMap;
use spytui_engine::{
    export::table::Fit,
    present::clock::{grouped, short_count},
    row::RowView,
    store::View,
    trace::{
        list::{RenderRequest, RowList, RowRenderer, Walking},
        session::Decoding,
    },
};
use spytui_plugin_api::{
    NONE,
    info::space,
    render::{Tag, Want},
    row::{RowFlags, RowKind},
};

use super::{
    live::{Live, LivePane},
    table::{Body, Sort, TableCursor},
};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{Model, filter, line_search, panes::Offer, screen::Piece},
    term::Role,
};

const ID: PaneId = PaneId("dictionary");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "dictionary",
    tab: Some("Dict"),
    actions: &[
        PaneAction { name: HIDE_SPACE, doc: "hide this space", listed_after: "only-core" },
        PaneAction { name: HIDE_ORIGIN, doc: "hide names from here", listed_after: "only-core" },
        PaneAction { name: ONLY_SPACE, doc: "only this space", listed_after: "only-core" },
        PaneAction { name: ONLY_ORIGIN, doc: "only names from here", listed_after: "only-core" },
        PaneAction { name: ALL_NAMES, doc: "all names", listed_after: "only-core" },
        PaneAction { name: SORT_NEXT, doc: "sort by the next column", listed_after: "source-previous" },
        PaneAction { name: SORT_REVERSE, doc: "sort the other way round", listed_after: "source-previous" },
    ],
    hints: &[
        Hint(&[Action::Open], "only its rows"),
        Hint(&[Action::Search], "find"),
        Hint(&[Action::OfPane(ID, SORT_NEXT)], "sort"),
    ],
};

const HIDE_SPACE: &str = "hide-space";
const HIDE_ORIGIN: &str = "hide-origin";
const ONLY_SPACE: &str = "only-space";
const ONLY_ORIGIN: &str = "only-origin";
const ALL_NAMES: &str = "all-names";
const SORT_NEXT: &str = "sort-next";
const SORT_REVERSE: &str = "sort-reverse";

pub(super) type DictionaryPane = LivePane<DictionaryNames>;

/// Number of first lines that determine the column widths.
const SAMPLE: usize = 500;
/// For each column, the sort order it selects.
const SORT: [usize; 7] = [0, 0, 0, 1, 4, 2, 3];
/// Number of new rows that may be uncounted without a notice.
const NEWEST: u64 = 100_000;

/// The names, and how they are sorted.
#[derive(Debug, Default)]
pub(super) struct DictionaryNames {
    names: NameTable,
    sort: Sort,
    /// The first line on the screen, and the lines there.
    shown: (usize, Vec<NameRow>),
    /// Maximum text width of each column so far.
    widest: [usize; 7],
}

impl Live for DictionaryNames {
    type Walk = UseCounter;
    type Subject = ();
    type Asked = (Sort, Vec<(Common, bool)>);

    const KEYS: &'static PaneKeys = &KEYS;
    const MAY_WAIT: bool = false;

    fn len(&self) -> usize {
        self.names.len()
    }

    fn subject(&self, _line: usize) -> Option<()> {
        None
    }

    fn line_texts(&self, model: &Model) -> Vec<String> {
        self.names.texts(model)
    }

    fn asked(&self, _walk: &UseCounter, _model: &Model) -> Self::Asked {
        (self.sort, self.names.terms.clone())
    }

    fn things(&self, _walk: &UseCounter) -> usize {
        self.names.things() / 4
    }

    fn make(&mut self, walk: &mut UseCounter, model: &Model, _cursor: &mut TableCursor) {
        self.names.make(walk, model, self.sort);
    }

    fn forget(&mut self) {
        (self.names, self.shown, self.widest) = Default::default();
    }

    fn act(&mut self, action: Action, line: usize, _walk: &mut UseCounter, model: &mut Model) {
        match action {
            Action::OfPane(_, SORT_NEXT) => self.sort.column = (self.sort.column + 1) % SORTS.len(),
            Action::OfPane(_, SORT_REVERSE) => self.sort.reverse = !self.sort.reverse,
            Action::OfPane(_, ALL_NAMES) => self.names.terms.clear(),
            Action::Open => self.filter_by_name(line, model),
            other => {
                let Some((of_space, hide)) = narrowing(other) else { return };
                let common = self.names.common(model, line, of_space);
                self.names.terms.extend(common.map(|(common, ..)| (common, hide)));
            }
        }
    }

    fn offer(&self, action: Action, line: usize, model: &Model) -> Offer {
        let Some((of_space, _)) = narrowing(action) else { return Offer::Usual };
        let common = self.names.common(model, line, of_space);
        common.map_or(Offer::Nothing, |(_, word, count)| Offer::Words(format!("{word} {}", grouped(count as u64))))
    }

    fn sort_by(&mut self, column: usize) {
        self.sort.click(SORT[column]);
    }

    fn prepare(&mut self, cursor: &TableCursor, lines: usize, model: &Model) {
        let shown = self.names.lines(model, cursor.top, lines);
        if self.widest == [0; 7] {
            // Columns should not move with every page.
            self.widest = widest(self.widest, &self.names.lines(model, 0, SAMPLE));
        }
        self.widest = widest(self.widest, &shown);
        self.shown = (cursor.top, shown);
    }

    fn body(&self, _model: &Model, width: u16) -> Body {
        let is_narrow = width < 54;
        let (space, key, from) = if is_narrow { (3, 10, 6) } else { (5, 11, 15) };
        let text = |rank, least| Fit { rank, ..Fit::new(least, usize::MAX) };
        let columns = [
            (if is_narrow { "in" } else { "space" }, text(1, space)),
            ("key", text(2, key)),
            ("scope", Fit { from: 70, ..text(3, 10) }),
            // Further names may be longer.
            ("name", Fit { most: 60, roomy: 40, ..Fit::new(8, 60) }),
            ("from", text(4, from)),
            ("uses", Fit::number(6)),
            ("last", Fit { from: 70, ..Fit::number(8) }),
        ];
        let mut widest = self.widest;
        (widest[4], widest[5], widest[6]) = (if is_narrow { from } else { widest[4].max(from) }, 6, 8);
        let (first, rows) = &self.shown;
        Body {
            columns: columns.map(|(heading, fit)| (heading, Role::Help, fit)).into(),
            first: *first,
            rows: rows.iter().map(|row| cells(row, is_narrow)).collect(),
            widest: widest.into(),
            is_flush: true,
            is_list: false,
        }
    }

    fn why_empty(&self, _walk: &UseCounter, _model: &Model) -> String {
        "no names yet: they come with the dictionary records of the target; :dict load FILE reads some".to_owned()
    }

    fn title(&self, walk: &UseCounter, model: &Model, width: u16) -> (String, String) {
        let names = &self.names;
        let is_searched = line_search::of_pane(model, ID).is_some();
        let is_short = width < 70 || (width < 100 && (is_searched || names.hidden > 0));
        let sort = if is_short { "Dictionary".to_owned() } else { self.sort.title("Dictionary", &SORTS) };
        let hidden =
            if names.hidden > 0 { format!(" · hides {}", grouped(names.hidden as u64)) } else { String::new() };
        let named = grouped((names.len() - names.unnamed.min(names.len())) as u64);
        let refused = format!("{} refused: 64 MB are full", grouped(names.refused));
        let (counted, rows) = (walk.walked(), model.list.rows.len());
        let percent = (rows > counted + NEWEST).then(|| counted * 100 / rows);
        let counts = match (percent, names.refused) {
            (Some(percent), 0) => format!("counting uses, {percent} %"),
            (Some(percent), _) => format!("{refused} · counting {percent} %"),
            (None, 1..) => format!("{named} names, {refused}"),
            _ if width >= 56 => format!("{named} names, {}", without(names.unsure, names.unnamed, "keys without one")),
            _ => without(names.unsure, names.unnamed, "unnamed"),
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

/// A line in columns; if narrow, an origin is shown without its stream position.
fn cells(row: &NameRow, is_narrow: bool) -> Vec<Piece> {
    let (name, role) = row.name.as_deref().map_or(("no name", Role::Warning), |name| (name, row.role));
    let from = row.from.split(" @").next().filter(|_| is_narrow).unwrap_or(&row.from);
    let uses = if row.uses < 100_000 { grouped(row.uses) } else { short_count(row.uses) };
    vec![
        (row.space.clone(), Role::Group),
        (row.key.clone(), Role::Plain),
        (row.scope.clone(), Role::Plain),
        (name.to_owned(), role),
        (from.to_owned(), Role::Help),
        (uses, Role::Plain),
        (row.last.clone(), Role::Plain),
    ]
}

/// Number of keys without a name; `n/a` rather than 0 if they can't be counted.
fn without(unsure: bool, unnamed: usize, what: &str) -> String {
    match (unsure, unnamed) {
        (true, 0) => format!("{what} n/a"),
        (true, n) => format!("≥{} {what}", grouped(n as u64)),
        (false, n) => format!("{} {what}", grouped(n as u64)),
    }
}

impl DictionaryNames {
    /// Shows only rows about the name under the cursor.
    fn filter_by_name(&self, line: usize, model: &mut Model) {
        let Some(row) = self.names.lines(model, line, 1).pop() else { return };
        model.panes.show(RECORDS);
        filter::set_text(model, &row.filter());
    }
}

/// Rows counted at once.
const PIECE: u64 = 4096;
/// Maximum number of keys counted; noise has any number of them.
const MOST_KEYS: usize = 200_000;

/// Key as in a record: space, key, scope.
type Key = (u16, u64, u64);

/// Uses of a key. Only rendering reveals the keys in a record, so they are counted in pieces while the pane is in
/// front.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Uses {
    /// Number of records that refer to it.
    count: u64,
    /// The last of these: row, source if there are several, and number.
    last: (u64, Option<u16>, u64),
}

impl Uses {
    fn add(&mut self, last: (u64, Option<u16>, u64)) {
        self.count += 1;
        self.last = last;
    }

    /// Adds the uses of the same key under another scope.
    fn join(&mut self, other: Uses) {
        self.count += other.count;
        self.last = self.last.max(other.last);
    }
}

#[derive(Debug, Default)]
pub(in crate::pane) struct UseCounter {
    /// The sources of the list.
    parts: Vec<Arc<Decoding>>,
    counted: u64,
    keys: FxHashMap<Key, Uses>,
    kinds: FxHashMap<RowKind, Uses>,
    /// There were too many keys.
    is_full: bool,
    renderer: RowRenderer,
}

impl Walking for UseCounter {
    fn new(list: &RowList) -> UseCounter {
        UseCounter { parts: list.parts().to_vec(), ..UseCounter::default() }
    }

    fn is_of(&self, list: &RowList) -> bool {
        list.is_of(&self.parts)
    }

    fn walked(&self) -> u64 {
        self.counted
    }

    fn failure(&self) -> Option<&str> {
        None
    }

    fn work(&mut self, rows: &RowList) -> bool {
        let len = rows.len();
        let end = len.min(self.counted + PIECE);
        let ask = RenderRequest { want: Want::FIELDS, view: View::Effective, short: false, before: None };
        let mut renderer = std::mem::take(&mut self.renderer);
        renderer.views(rows, self.counted..end, ask, |row, item| {
            self.add(row, item);
            true
        });
        self.renderer = renderer;
        self.counted = end;
        end < len
    }
}

impl UseCounter {
    /// All keys with their uses, records by kind first.
    fn all(&self) -> impl Iterator<Item = (Key, Uses)> + '_ {
        let kinds = self.kinds.iter().map(|(kind, uses)| ((space::KINDS, u64::from(kind.0), 0), *uses));
        kinds.chain(self.keys.iter().map(|(key, uses)| (*key, *uses)))
    }

    fn add(&mut self, row: u64, item: &RowView<'_>) {
        let kind = item.row.kind;
        let Some(n) = item.n else { return };
        let here = (row, item.source, n);
        self.kinds.entry(kind).or_default().add(here);
        // Naming records don't use names.
        if item.row.has(RowFlags::NAMING) {
            return;
        }
        for key in keys_of(item) {
            let is_full = self.keys.len() >= MOST_KEYS;
            match self.keys.get_mut(&key) {
                Some(uses) => uses.add(here),
                None if is_full => self.is_full = true,
                None => self.keys.entry(key).or_default().add(here),
            }
        }
    }
}

/// The keys in a record without duplicates: object, item and fields.
fn keys_of(item: &RowView<'_>) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    let is_key = |tag| matches!(tag, Tag::KEY | Tag::ENUM | Tag::POINTER);
    let fields = item.fields().filter(|(_, field)| is_key(field.tag) && field.space != NONE);
    keys.extend(fields.map(|(_, field)| (field.space, field.num, field.scope)));
    let item_space = item.info.kind(item.row.kind).map_or(NONE, |spec| spec.item_space);
    let object = item.object_place().map(|(space, scope)| (space, item.row.obj, scope));
    let second = item.row.has(RowFlags::HAS_ITEM).then_some((item_space, item.row.item, 0));
    for (space, key, scope) in object.into_iter().chain(second) {
        // A field knows its scope better.
        if space != NONE && !keys.iter().any(|known| (known.0, known.1) == (space, key)) {
            keys.push((space, key, scope));
        }
    }
    keys.sort_unstable();
    keys.dedup();
    keys
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
