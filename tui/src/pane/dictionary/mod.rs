//! The Dictionary pane: every name with its origin, and keys without names.

use std::{
    cmp::Reverse,
    collections::HashSet,
    sync::{Arc, RwLockReadGuard},
};

use rustc_hash::FxHashMap;
use spytui_engine::{
    export::table::ColumnFit,
    present::{
        clock::{grouped, short_count},
        sanitise,
        words::{key_number, key_word, wire_id},
    },
    row::RowView,
    store::{
        View,
        dictionary::{DictionaryName, NameOrigin, newest},
    },
    trace::{
        list::{RenderRequest, RowList, RowRenderer, Walking, row_list::number_text},
        session::{Decoding, decoding::DecodingState},
    },
};
use spytui_plugin_api::{
    Info, NONE,
    batch::AttrId,
    info::{Class, Matching, SpaceInfo, space},
    render::{Tag, Want},
    row::{RowFlags, RowKind},
};

use super::live::{Body, Live, LivePane, TableCursor, TableSort};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS, quoted},
    model::{Model, details::origin_text, filter, line_search, list::name_role, panes::ActionOffer, screen::Piece},
    term::{Role, width},
};

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
};

const HIDE_SPACE: PaneAction = PaneAction::new("hide-space", "hide this space", "only-core");
const HIDE_ORIGIN: PaneAction = PaneAction::new("hide-origin", "hide names from here", "only-core");
const ONLY_SPACE: PaneAction = PaneAction::new("only-space", "only this space", "only-core");
const ONLY_ORIGIN: PaneAction = PaneAction::new("only-origin", "only names from here", "only-core");
const ALL_NAMES: PaneAction = PaneAction::new("all-names", "all names", "only-core");
const SORT_NEXT: PaneAction = PaneAction::new("sort-next", "sort by the next column", "source-previous");
const SORT_REVERSE: PaneAction = PaneAction::new("sort-reverse", "sort the other way round", "source-previous");

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
    sort: TableSort,
    /// The first line on the screen, and the lines there.
    shown: (usize, Vec<NameRow>),
    /// Maximum text width of each column so far.
    widest: [usize; 7],
}

impl Live for DictionaryNames {
    type Walk = UseCounter;
    type Subject = ();
    type Asked = (TableSort, Vec<(Common, bool)>);

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

    fn offer(&self, action: Action, line: usize, model: &Model) -> ActionOffer {
        let Some((of_space, _)) = narrowing(action) else { return ActionOffer::Usual };
        let common = self.names.common(model, line, of_space);
        common.map_or(ActionOffer::Nothing, |(_, word, count)| {
            ActionOffer::Words(format!("{word} {}", grouped(count as u64)))
        })
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
    parts: Vec<Arc<Decoding>>,
    counted: u64,
    keys: FxHashMap<Key, Uses>,
    kinds: FxHashMap<RowKind, Uses>,
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

/// The locked states of all sources of the list.
type States<'a> = [RwLockReadGuard<'a, DecodingState>];

#[derive(Debug, Clone, PartialEq, Eq)]
struct NameRow {
    space: String,
    key: String,
    scope: String,
    /// `None` = without a name.
    name: Option<String>,
    role: Role,
    /// The test that finds its uses, with its word.
    test: (&'static str, String),
    from: String,
    /// Number of records that refer to it.
    uses: u64,
    /// Number of the last one; may be empty.
    last: String,
}

impl NameRow {
    fn filter(&self) -> String {
        let (test, word) = &self.test;
        format!("{test}{}", quoted(word))
    }
}

/// The test of a display filter for things of a space.
fn test_of(space: u16, spec: Option<&SpaceInfo>) -> &'static str {
    match spec.map(|spec| spec.class) {
        _ if space == space::KINDS => "kind:",
        Some(Class::SIGNAL) => "sig:",
        Some(Class::STATE | Class::FUNCTION) => "state:",
        // Their values are in fields with many names, but always in the text.
        Some(Class::ENUM) => "text:",
        _ => "obj:",
    }
}

/// Identifies a line. The line itself is created when shown, as there may be very many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NameId {
    /// Lines without a name come last.
    is_unnamed: bool,
    space: u16,
    key: u64,
    scope: u64,
    /// The first source that names it.
    source: usize,
}

const SORTS: [&str; 5] = ["by key", "by name", "by uses", "by last use", "by origin"];

/// Common properties of lines: `-` hides lines with it, `+` shows only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pane) enum Common {
    Space(u16),
    /// The origin of the name, as [`origin_rank`].
    Origin(u8),
}

#[derive(Debug, Default)]
struct NameTable {
    order: Vec<NameId>,
    /// What is hidden (`true`) or exclusively shown.
    terms: Vec<(Common, bool)>,
    hidden: usize,
    unnamed: usize,
    /// `unnamed` may be too low.
    unsure: bool,
    /// Uses counted so far, by key with the scope under which it is named.
    uses: FxHashMap<Key, Uses>,
    /// Number of names that did not fit.
    refused: u64,
}

impl NameTable {
    fn make(&mut self, counter: &UseCounter, model: &Model, sort: TableSort) {
        let states = model.list.rows.read_all();
        let mut order = named(&states);
        let unnamed = self.resolve(counter, &model.list.decoding().decoder.info, &states);
        self.unnamed = unnamed.len() + order.iter().filter(|id| id.is_unnamed).count();
        self.unsure = counter.is_full;
        self.refused = states.iter().map(|state| state.dictionary.refused()).sum();
        order.extend(unnamed);
        let all = order.len();
        order.retain(|id| self.terms.iter().all(|(common, hide)| common_is(common, id, &states) != *hide));
        self.hidden = all - order.len();
        self.order = order;
        self.sort(sort, &states);
    }

    fn things(&self) -> usize {
        self.order.len() + self.uses.len()
    }

    /// Finds the names of the counted keys; returns keys without one.
    fn resolve(&mut self, counter: &UseCounter, info: &Info, states: &States<'_>) -> Vec<NameId> {
        let mut unnamed = Vec::new();
        self.uses.clear();
        for ((space, key, scope), uses) in counter.all() {
            let named = states.iter().find_map(|state| state.dictionary.naming_scope(space, key, scope));
            // If names match any scope, the scope is irrelevant.
            let spec = info.space(space);
            let is_any = spec.is_some_and(|spec| spec.matching == Matching::OR_ANY);
            // A value unknown to an enumeration is just a number.
            let is_value = space == space::KINDS || spec.is_some_and(|spec| spec.class == Class::ENUM);
            let scope = named.unwrap_or(if is_any { 0 } else { scope });
            let place = (space, key, scope);
            let is_new = !self.uses.contains_key(&place);
            if named.is_none() && is_new && key != 0 && !is_value {
                let source = usize::from(uses.last.1.unwrap_or(0));
                unnamed.push(NameId { is_unnamed: true, space, key, scope, source });
            }
            self.uses.entry(place).or_default().join(uses);
        }
        unnamed
    }

    fn uses(&self, id: &NameId) -> Uses {
        self.uses.get(&(id.space, id.key, id.scope)).copied().unwrap_or_default()
    }

    /// Sorts the lines; by key or name, lines without a name come last.
    fn sort(&mut self, sort: TableSort, states: &States<'_>) {
        let mut order = std::mem::take(&mut self.order);
        match sort.column {
            1 => order.sort_by_cached_key(|id| {
                let name: Option<Arc<[u8]>> = of_id(states, id).and_then(|named| named.text.clone());
                (id.is_unnamed, name, *id)
            }),
            2 => order.sort_by_cached_key(|id| (Reverse(self.uses(id).count), *id)),
            3 => order.sort_by_cached_key(|id| (Reverse(self.uses(id).last), *id)),
            4 => order.sort_by_cached_key(|id| (rank(of_id(states, id)), *id)),
            _ => order.sort_unstable(),
        }
        if sort.reverse {
            order.reverse();
        }
        self.order = order;
    }

    /// A property of a line shared by others, with a word for it and the number of lines shown that have it.
    fn common(&self, model: &Model, line: usize, of_space: bool) -> Option<(Common, String, usize)> {
        let states = model.list.rows.read_all();
        let id = self.order.get(line)?;
        let info = &model.list.decoding().decoder.info;
        let (common, word) = if of_space {
            (Common::Space(id.space), space_word(info, id.space))
        } else {
            let named = of_id(&states, id);
            let word = named.map_or_else(|| "no name".to_owned(), |named| origin_text(named.origin));
            (Common::Origin(rank(named).0), word.split(" @").next().unwrap_or_default().to_owned())
        };
        let count = self.order.iter().filter(|id| common_is(&common, id, &states)).count();
        Some((common, word, count))
    }

    /// The texts of all lines for a search: space, key, scope, name and origin.
    fn texts(&self, model: &Model) -> Vec<String> {
        let states = model.list.rows.read_all();
        let info = &model.list.decoding().decoder.info;
        let text = |id: &NameId| {
            let row = self.row(info, &states, id);
            let name = row.name.as_deref().unwrap_or("no name");
            format!("{} {} {} {name} {}", row.space, row.key, row.scope, row.from)
        };
        self.order.iter().map(text).collect()
    }

    fn len(&self) -> usize {
        self.order.len()
    }

    /// At most `most` lines from `first` on.
    fn lines(&self, model: &Model, first: usize, most: usize) -> Vec<NameRow> {
        let states = model.list.rows.read_all();
        let info = &model.list.decoding().decoder.info;
        self.order.iter().skip(first).take(most).map(|id| self.row(info, &states, id)).collect()
    }

    fn row(&self, info: &Info, states: &States<'_>, id: &NameId) -> NameRow {
        let spec = info.space(id.space);
        let state = states.get(id.source);
        let named = of_id(states, id);
        let shown = named.filter(|_| !id.is_unnamed);
        let uses = self.uses(id);
        let (_, source, n) = uses.last;
        NameRow {
            space: space_word(info, id.space),
            key: key_text(info, spec, state.map(|state| &**state), id),
            test: (test_of(id.space, spec), word_of(spec, named, id)),
            role: spec.and_then(|spec| name_role(spec.class)).unwrap_or(Role::Object),
            scope: state.map_or_else(String::new, |state| scope_text(info, state, spec, id.scope)),
            name: shown.and_then(|named| named.text.as_deref()).map(sanitise),
            from: shown.map_or_else(|| "–".to_owned(), |named| origin_text(named.origin)),
            uses: uses.count,
            last: if uses.count > 0 { number_text(source, n) } else { String::new() },
        }
    }
}

fn of_id<'a>(states: &'a States<'_>, id: &NameId) -> Option<&'a DictionaryName> {
    newest(states.get(id.source)?.dictionary.names(id.space, id.key, id.scope))
}

fn common_is(common: &Common, id: &NameId, states: &States<'_>) -> bool {
    match common {
        Common::Space(space) => id.space == *space,
        Common::Origin(wanted) => rank(of_id(states, id)).0 == *wanted,
    }
}

fn rank(named: Option<&DictionaryName>) -> (u8, u64) {
    named.map_or((4, 0), |named| origin_rank(named.origin))
}

/// Widths for the longest texts of each column that has texts, at least as wide as before.
fn widest(mut widest: [usize; 7], rows: &[NameRow]) -> [usize; 7] {
    for row in rows {
        let name = row.name.as_deref().unwrap_or_default();
        for (column, text) in [&row.space, &row.key, &row.scope, name, &row.from].into_iter().enumerate() {
            widest[column] = widest[column].max(width(text));
        }
    }
    widest
}

/// Names of all sources; a key named by several is listed once.
fn named(states: &States<'_>) -> Vec<NameId> {
    let mut ids = Vec::new();
    let mut seen = HashSet::new();
    for (source, state) in states.iter().enumerate() {
        for (space, key, scope, names) in state.dictionary.iter() {
            if newest(names).is_none() || (states.len() > 1 && !seen.insert((space, key, scope))) {
                continue;
            }
            // A kind of record that only this stream has, named by its code, counts as unnamed.
            let is_code = |named: &DictionaryName| named.text == code(state, key);
            let is_unnamed = space == space::KINDS && newest(names).is_some_and(is_code);
            ids.push(NameId { is_unnamed, space, key, scope, source });
        }
    }
    ids
}

/// The code of a kind of record that only this stream has.
fn code(state: &DecodingState, kind: u64) -> Option<Arc<[u8]>> {
    state.dictionary.attr(space::KINDS, kind, 0, AttrId::VALUE).map(|value| Arc::clone(&value.text))
}

/// The word that finds a name in rows; for keys without a name, the key as shown.
fn word_of(spec: Option<&SpaceInfo>, named: Option<&DictionaryName>, id: &NameId) -> String {
    named.and_then(|named| named.text.as_deref()).map_or_else(|| key_word(spec, id.key), sanitise)
}

fn space_word(info: &Info, space: u16) -> String {
    match (space, info.space(space)) {
        (space::KINDS, None) => "rec".to_owned(),
        (_, Some(spec)) => spec.name.to_string(),
        (other, None) => other.to_string(),
    }
}

fn key_text(info: &Info, spec: Option<&SpaceInfo>, state: Option<&DecodingState>, id: &NameId) -> String {
    let key = id.key;
    let own = state.and_then(|state| code(state, key)).filter(|_| id.space == space::KINDS);
    if let Some(code) = own {
        return sanitise(&code);
    }
    match spec {
        _ if id.space == space::KINDS => {
            u16::try_from(key).map_or(key, |kind| wire_id(info, RowKind(kind)).into()).to_string()
        }
        spec => key_number(spec, key),
    }
}

fn scope_text(info: &Info, state: &DecodingState, spec: Option<&SpaceInfo>, scope: u64) -> String {
    if scope == 0 {
        return "–".to_owned();
    }
    // A scope without names is a number, such as the group of an enumeration.
    let Some(space) = spec.map(|s| s.scope_space).filter(|&s| s != NONE) else { return scope.to_string() };
    match state.dictionary.effective(u64::MAX, space, scope, 0) {
        Some(named) => sanitise(state.dictionary.short(space, named)),
        None => key_word(info.space(space), scope),
    }
}

/// Files, then the stream by position, then the user, then the decoder.
fn origin_rank(origin: NameOrigin) -> (u8, u64) {
    match origin {
        NameOrigin::File => (0, 0),
        NameOrigin::Stream(pos) => (1, pos),
        NameOrigin::User => (2, 0),
        NameOrigin::Decoder => (3, 0),
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
