//! Contents of the pane: every name with its origin, and keys in rows without a name.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::{Arc, RwLockReadGuard},
    time::{Duration, Instant},
};

use spytui_engine::{
    list::RowSource,
    present::{
        sanitise,
        words::{key_word, wire_id},
    },
    session::decoding::DecodingState,
    store::{
        dictionary::{NameOrigin, Named},
        intern::Intern,
    },
};
use spytui_plugin_api::{
    Info, NONE, RowKind,
    info::{KindInfo, SpaceInfo, space},
};

use crate::{
    model::{Model, details::origin_text, list::name_role},
    term::{Role, width},
};

/// Refresh interval while records arrive, for up to so many names; more take longer.
const EVERY: Duration = Duration::from_millis(500);
const FEW: usize = 20_000;

/// The states of all sources of the list, locked.
type States<'a> = [RwLockReadGuard<'a, DecodingState>];

/// One line of the pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NameRow {
    /// Space.
    pub(super) space: String,
    /// Key as shown.
    pub(super) key: String,
    /// Scope as shown.
    pub(super) scope: String,
    /// Name; `None` = it has none.
    pub(super) name: Option<String>,
    /// Role of the name.
    pub(super) role: Role,
    /// Its origin.
    pub(super) from: String,
    /// Number of rows about it; `None` if not counted.
    pub(super) uses: Option<u64>,
    /// Number of the last record about it.
    pub(super) last: Option<u64>,
}

/// What a line is about. The line itself is made when it is shown: there may be very many.
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

/// The columns that lines are sorted by, with their words.
pub(super) const SORTS: [&str; 5] = ["by key", "by name", "by uses", "by last use", "by origin"];

/// Sort order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sort {
    /// Index into [`SORTS`].
    pub(super) column: usize,
    /// The other way round.
    pub(super) reverse: bool,
}

/// Inputs of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NamesKey {
    list: usize,
    sort: Sort,
    /// Changes of the names, and records.
    news: (u64, u64),
}

/// What lines have in common: `-` hides those that have it, `+` shows only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    /// The space of the key.
    Space(u16),
    /// The origin of the name, as [`origin_rank`].
    Origin(u8),
}

/// All lines of the pane.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    order: Vec<NameId>,
    /// What is hidden (`true`), and what alone is shown.
    terms: Vec<(Common, bool)>,
    /// Number of lines hidden by that.
    pub(super) hidden: usize,
    /// Keys without a name.
    pub(super) unnamed: usize,
    /// There may be more: keys of several spaces cannot be distinguished.
    pub(super) unsure: bool,
    /// Names for which there was no room.
    pub(super) refused: u64,
    made: Option<(NamesKey, Instant)>,
}

impl NameTable {
    /// Finds and sorts the lines again if they are outdated.
    pub(super) fn refresh(&mut self, model: &Model, sort: Sort) {
        let states = model.list.rows.read_all();
        let changes = states.iter().map(|state| state.dictionary.changes()).sum();
        let news = (changes, states.iter().map(|state| state.rows.records()).sum());
        let now = NamesKey { list: model.links.list_shown(), sort, news };
        let pause = EVERY * (1 + self.order.len() / FEW) as u32;
        let stands = |(made, at): &(NamesKey, Instant)| {
            let recent = model.now.saturating_duration_since(*at) < pause;
            *made == now || (recent && self.is_growing(model) && NamesKey { news, ..*made } == now)
        };
        if self.made.as_ref().is_some_and(stands) {
            return;
        }
        let info = &model.list.decoding().decoder.info;
        let uses: Vec<Uses<'_>> = states.iter().map(|state| Uses::of(info, state)).collect();
        let mut order = named(&states);
        let unnamed = unnamed(&states, &uses);
        self.unnamed = unnamed.len();
        self.unsure = uses.iter().any(|uses| uses.mixed);
        self.refused = states.iter().map(|state| state.dictionary.refused()).sum();
        order.extend(unnamed);
        let all = order.len();
        order.retain(|id| self.terms.iter().all(|(common, hide)| common_is(common, id, &states) != *hide));
        self.hidden = all - order.len();
        sort_names(&mut order, sort, &states, &uses);
        self.order = order;
        self.made = Some((now, model.now));
    }

    fn is_growing(&self, model: &Model) -> bool {
        !model.links.is_over() || !model.is_all_there()
    }

    /// Adds a term: hides lines, or shows only these.
    pub(super) fn narrow(&mut self, common: Common, hide: bool) {
        self.terms.push((common, hide));
        self.made = None;
    }

    /// Shows all lines.
    pub(super) fn show_all(&mut self) {
        self.terms.clear();
        self.made = None;
    }

    /// What a line has in common with others, with a word for it and the number of lines shown that have it.
    pub(super) fn common(&self, model: &Model, line: usize, of_space: bool) -> Option<(Common, String, usize)> {
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

    /// The texts of all lines, for a search: space, key, scope, name and origin.
    pub(super) fn texts(&self, model: &Model) -> Vec<String> {
        let states = model.list.rows.read_all();
        let info = &model.list.decoding().decoder.info;
        let text = |id: &NameId| {
            let row = row(info, &states, &[], id);
            let name = row.name.as_deref().unwrap_or("no name");
            format!("{} {} {} {name} {}", row.space, row.key, row.scope, row.from)
        };
        self.order.iter().map(text).collect()
    }

    /// Number of lines.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Lines from `first` on, at most `most` of them.
    pub(super) fn lines(&self, model: &Model, first: usize, most: usize) -> Vec<NameRow> {
        let states = model.list.rows.read_all();
        let info = &model.list.decoding().decoder.info;
        let uses: Vec<Uses<'_>> = states.iter().map(|state| Uses::of(info, state)).collect();
        self.order.iter().skip(first).take(most).map(|id| row(info, &states, &uses, id)).collect()
    }
}

/// The name of a line.
fn of_id<'a>(states: &'a States<'_>, id: &NameId) -> Option<&'a Named> {
    newest(states.get(id.source)?.dictionary.names(id.space, id.key, id.scope))
}

fn common_is(common: &Common, id: &NameId, states: &States<'_>) -> bool {
    match common {
        Common::Space(space) => id.space == *space,
        Common::Origin(wanted) => rank(of_id(states, id)).0 == *wanted,
    }
}

fn rank(named: Option<&Named>) -> (u8, u64) {
    named.map_or((3, 0), |named| origin_rank(named.origin))
}

/// The name of a key that is listed: the newest one.
fn newest(names: &[Named]) -> Option<&Named> {
    names.iter().rev().find(|named| named.text.is_some())
}

/// Widths for the longest texts of each column that has texts, at least as wide as before.
pub(super) fn widest(mut widest: [usize; 7], rows: &[NameRow]) -> [usize; 7] {
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
            ids.push(NameId { is_unnamed: false, space, key, scope, source });
        }
    }
    ids
}

/// Keys in rows without a name.
fn unnamed(states: &States<'_>, uses: &[Uses<'_>]) -> Vec<NameId> {
    let mut ids = Vec::new();
    let mut known: HashSet<(u16, u64)> = HashSet::new();
    for own in uses {
        for (space, table) in own.tables() {
            let names = states.iter().flat_map(|state| state.dictionary.of_space(space));
            let in_rows = names.filter(|(key, _, names)| table.uses(*key) > 0 && newest(names).is_some());
            known.extend(in_rows.map(|(key, ..)| (space, key)));
        }
    }
    for (source, own) in uses.iter().enumerate() {
        for (space, table) in own.tables() {
            for (key, _) in table.iter().filter(|&(key, uses)| uses > 0 && key != 0) {
                if known.insert((space, key)) {
                    ids.push(NameId { is_unnamed: true, space, key, scope: 0, source });
                }
            }
        }
    }
    ids
}

fn row(info: &Info, states: &States<'_>, uses: &[Uses<'_>], id: &NameId) -> NameRow {
    let spec = info.space(id.space);
    let state = states.get(id.source);
    let named = of_id(states, id);
    // How often all sources use it. A number alone does not name a record of several sources.
    let (uses, last) = match uses {
        [one] => (one.count(id.space, id.key), one.last(id.space, id.key)),
        all => (all.iter().filter_map(|uses| uses.count(id.space, id.key)).reduce(|a, b| a + b), None),
    };
    NameRow {
        space: space_word(info, id.space),
        key: key_text(info, spec, id),
        role: spec.and_then(|spec| name_role(spec.class)).unwrap_or(Role::Object),
        scope: state.map_or_else(String::new, |state| scope_text(info, state, spec, id.scope)),
        name: named.and_then(|named| named.text.as_deref()).map(sanitise),
        from: named.map_or_else(|| "–".to_owned(), |named| origin_text(named.origin)),
        uses,
        last,
    }
}

fn space_word(info: &Info, space: u16) -> String {
    match (space, info.space(space)) {
        (space::KINDS, None) => "rec".to_owned(),
        (_, Some(spec)) => spec.name.to_string(),
        (other, None) => other.to_string(),
    }
}

/// Uses of keys, as far as rows show them.
struct Uses<'a> {
    state: &'a DecodingState,
    /// Spaces of the keys in rows, if all kinds received agree.
    obj_space: Option<u16>,
    item_space: Option<u16>,
    /// The kinds do not agree.
    mixed: bool,
    kinds: HashMap<u64, u64>,
}

impl Uses<'_> {
    fn of<'a>(info: &Info, state: &'a DecodingState) -> Uses<'a> {
        let mut kinds = HashMap::new();
        for (shape, rows, _) in state.rows.tables().shapes.tally().filter(|t| t.1 > 0) {
            *kinds.entry(u64::from(shape.kind.0)).or_default() += rows;
        }
        let seen = |kind: &&KindInfo| (kind.first.0..=kind.last.0).any(|k| kinds.contains_key(&u64::from(k)));
        let spaces = |pick: fn(&KindInfo) -> u16| {
            let mut all: Vec<u16> = info.kinds.iter().filter(seen).map(pick).filter(|&s| s != NONE).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (objs, items) = (spaces(|k| k.obj_space), spaces(|k| k.item_space));
        let one = |all: &[u16]| if let [one] = all { Some(*one) } else { None };
        Uses { state, obj_space: one(&objs), item_space: one(&items), mixed: objs.len() > 1 || items.len() > 1, kinds }
    }

    /// The spaces of keys in rows, with the keys.
    fn tables(&self) -> impl Iterator<Item = (u16, &Intern)> {
        let tables = self.state.rows.tables();
        [(self.obj_space, &tables.objs), (self.item_space, &tables.items)]
            .into_iter()
            .filter_map(|(space, table)| Some((space?, table)))
    }

    /// Number of rows about a key; `None` if they are not counted.
    fn count(&self, space: u16, key: u64) -> Option<u64> {
        if space == space::KINDS {
            return Some(self.kinds.get(&key).copied().unwrap_or(0));
        }
        self.tables().find(|(own, _)| *own == space).map(|(_, table)| table.uses(key))
    }

    /// Number of the last record about a key.
    fn last(&self, space: u16, key: u64) -> Option<u64> {
        self.count(space, key).filter(|&n| n > 0)?;
        let is_object = self.obj_space == Some(space);
        let has_rows = is_object || self.item_space == Some(space);
        has_rows.then(|| self.state.rows.last_use(key, !is_object)).flatten()
    }

    /// The last row about each key, by space and key.
    fn last_rows(&self) -> HashMap<(u16, u64), u64> {
        let of = |space: Option<u16>, is_item| {
            let space = space?;
            let rows = self.state.rows.last_rows(is_item);
            Some(rows.into_iter().map(move |(key, row)| ((space, key), row)))
        };
        let (items, objs) = (of(self.item_space, true), of(self.obj_space, false));
        items.into_iter().flatten().chain(objs.into_iter().flatten()).collect()
    }
}

fn key_text(info: &Info, spec: Option<&SpaceInfo>, id: &NameId) -> String {
    let key = id.key;
    match spec {
        _ if id.space == space::KINDS => {
            u16::try_from(key).map_or(key, |kind| wire_id(info, RowKind(kind)).into()).to_string()
        }
        Some(s) if s.key_format == 0 => format!("0x{key:X}"),
        _ => key.to_string(),
    }
}

fn scope_text(info: &Info, state: &DecodingState, spec: Option<&SpaceInfo>, scope: u64) -> String {
    let Some(space) = spec.map(|s| s.scope_space).filter(|&s| s != NONE) else { return "–".to_owned() };
    if scope == 0 {
        return "–".to_owned();
    }
    match state.dictionary.effective(u64::MAX, space, scope, 0) {
        Some(named) => sanitise(state.dictionary.short(space, named)),
        None => key_word(info.space(space), scope),
    }
}

/// Sorts the table; by key or name, lines without a name come last.
fn sort_names(ids: &mut [NameId], sort: Sort, states: &States<'_>, uses: &[Uses<'_>]) {
    match sort.column {
        1 => ids.sort_by_cached_key(|id| {
            let name: Option<Arc<[u8]>> = of_id(states, id).and_then(|named| named.text.clone());
            (id.is_unnamed, name, *id)
        }),
        2 => ids.sort_by_cached_key(|id| {
            let counts = uses.iter().filter_map(|uses| uses.count(id.space, id.key));
            (Reverse(counts.reduce(|a, b| a + b)), *id)
        }),
        3 => {
            // Rows of several sources have no common numbers.
            let last = if let [one] = uses { one.last_rows() } else { HashMap::new() };
            ids.sort_by_cached_key(|id| (Reverse(last.get(&(id.space, id.key)).copied()), *id));
        }
        4 => ids.sort_by_cached_key(|id| (rank(of_id(states, id)), *id)),
        _ => ids.sort_unstable(),
    }
    if sort.reverse {
        ids.reverse();
    }
}

/// Files, then the stream by position, then the user.
fn origin_rank(origin: NameOrigin) -> (u8, u64) {
    match origin {
        NameOrigin::File => (0, 0),
        NameOrigin::Stream(pos) => (1, pos),
        NameOrigin::User => (2, 0),
    }
}
