//! Contents of the pane: every name with its origin, and keys in rows without a name.

use std::{
    collections::{HashMap, HashSet},
    sync::RwLockReadGuard,
    time::{Duration, Instant},
};

use spytui_engine::{
    list::RowSource,
    present::{
        sanitise,
        words::{key_word, wire_id},
    },
    session::decoding::DecodingState,
};
use spytui_plugin_api::{
    Info, NONE, RowKind,
    info::{KindInfo, SpaceInfo, space},
};

use crate::model::{Model, details::origin_text};

/// Refresh interval while records arrive.
const EVERY: Duration = Duration::from_millis(500);

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
    /// Its origin.
    pub(super) from: String,
    /// Number of rows about it; `None` if not counted.
    pub(super) uses: Option<u64>,
    /// Number of the last record about it.
    pub(super) last: Option<u64>,
    /// For sorting and for commands.
    pub(super) id: (u16, u64, u64),
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

/// All lines of the pane.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    /// Its lines.
    pub(super) rows: Vec<NameRow>,
    /// Keys without a name.
    pub(super) unnamed: usize,
    /// There may be more: keys of several spaces cannot be distinguished.
    pub(super) unsure: bool,
    made: Option<(NamesKey, Instant)>,
}

impl NameTable {
    /// Makes the lines again if they are outdated.
    pub(super) fn refresh(&mut self, model: &Model, sort: Sort) {
        let states = model.list.rows.read_all();
        let changes = states.iter().map(|state| state.dictionary.changes()).sum();
        let news = (changes, states.iter().map(|state| state.rows.records()).sum());
        let now = NamesKey { list: model.links.list_shown(), sort, news };
        let live = !model.links.is_over();
        let stands = |(made, at): &(NamesKey, Instant)| {
            let recent = live && model.now.saturating_duration_since(*at) < EVERY;
            *made == now || (recent && NamesKey { news, ..*made } == now)
        };
        if self.made.as_ref().is_some_and(stands) {
            return;
        }
        let info = &model.list.decoding().decoder.info;
        let uses: Vec<Uses<'_>> = states.iter().map(|state| Uses::of(info, state)).collect();
        let mut rows = named(info, &states, &uses);
        let unnamed = unnamed(info, &states, &uses, &rows);
        self.unnamed = unnamed.len();
        self.unsure = uses.iter().any(|uses| uses.mixed);
        rows.extend(unnamed);
        sort_names(&mut rows, sort);
        self.rows = rows;
        self.made = Some((now, model.now));
    }
}

/// Names of all sources; a key named by several is listed once.
fn named(info: &Info, states: &[RwLockReadGuard<'_, DecodingState>], uses: &[Uses<'_>]) -> Vec<NameRow> {
    let mut rows = Vec::new();
    let mut seen = HashSet::new();
    for state in states {
        for (space, key, scope, names) in state.dictionary.iter() {
            let Some(last) = names.iter().rev().find(|n| n.text.is_some()) else { continue };
            if states.len() > 1 && !seen.insert((space, key, scope)) {
                continue;
            }
            let name = last.text.as_deref().map(sanitise);
            let scope_text = scope_text(info, state, info.space(space), scope);
            let from = origin_text(last.origin);
            rows.push(row(info, uses, (space, key, scope), scope_text, name, from));
        }
    }
    rows
}

/// Keys in rows without a name.
fn unnamed(
    info: &Info,
    states: &[RwLockReadGuard<'_, DecodingState>],
    uses: &[Uses<'_>],
    named: &[NameRow],
) -> Vec<NameRow> {
    let mut known: HashSet<(u16, u64)> = named.iter().map(|r| (r.id.0, r.id.1)).collect();
    let mut rows = Vec::new();
    for (state, own) in states.iter().zip(uses) {
        let tables = state.rows.tables();
        for (space, keys) in [(own.obj_space, &tables.objs), (own.item_space, &tables.items)] {
            let Some(space) = space else { continue };
            let dash = || "–".to_owned();
            for (key, _) in keys.iter().filter(|&(key, uses)| uses > 0 && key != 0) {
                if known.insert((space, key)) {
                    rows.push(row(info, uses, (space, key, 0), dash(), None, dash()));
                }
            }
        }
    }
    rows
}

fn row(
    info: &Info,
    uses: &[Uses<'_>],
    id: (u16, u64, u64),
    scope: String,
    name: Option<String>,
    from: String,
) -> NameRow {
    let spec = info.space(id.0);
    let space = match (id.0, spec) {
        (space::KINDS, None) => "rec".to_owned(),
        (_, Some(spec)) => spec.name.to_string(),
        (other, None) => other.to_string(),
    };
    // How often all sources use it. A number alone does not name a record of several sources.
    let (count, last) = match uses {
        [one] => one.of_key(id.0, id.1),
        all => (all.iter().filter_map(|uses| uses.of_key(id.0, id.1).0).reduce(|a, b| a + b), None),
    };
    NameRow { space, key: key_text(info, spec, id), scope, name, from, uses: count, last, id }
}

/// Uses of keys, as far as rows show them.
struct Uses<'a> {
    state: &'a DecodingState,
    /// Spaces of the keys in rows, if all kinds received agree.
    obj_space: Option<u16>,
    item_space: Option<u16>,
    /// The kinds do not agree.
    mixed: bool,
    objs: HashMap<u64, u64>,
    items: HashMap<u64, u64>,
    kinds: HashMap<u64, u64>,
}

impl Uses<'_> {
    fn of<'a>(info: &Info, state: &'a DecodingState) -> Uses<'a> {
        let tables = state.rows.tables();
        let mut kinds = HashMap::new();
        for (shape, rows, _) in tables.shapes.tally().filter(|t| t.1 > 0) {
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
        Uses {
            state,
            obj_space: one(&objs),
            item_space: one(&items),
            mixed: objs.len() > 1 || items.len() > 1,
            objs: tables.objs.iter().collect(),
            items: tables.items.iter().collect(),
            kinds,
        }
    }

    fn of_key(&self, space: u16, key: u64) -> (Option<u64>, Option<u64>) {
        let count = |table: &HashMap<u64, u64>| Some(table.get(&key).copied().unwrap_or(0));
        let last =
            |count: Option<u64>, item| count.filter(|&n| n > 0).and_then(|_| self.state.rows.last_use(key, item));
        match space {
            space::KINDS => (count(&self.kinds), None),
            _ if self.obj_space == Some(space) => (count(&self.objs), last(count(&self.objs), false)),
            _ if self.item_space == Some(space) => (count(&self.items), last(count(&self.items), true)),
            _ => (None, None),
        }
    }
}

fn key_text(info: &Info, spec: Option<&SpaceInfo>, (space, key, _): (u16, u64, u64)) -> String {
    match spec {
        _ if space == space::KINDS => {
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
fn sort_names(rows: &mut [NameRow], sort: Sort) {
    match sort.column {
        1 => rows.sort_by(|a, b| (a.name.is_none(), &a.name).cmp(&(b.name.is_none(), &b.name))),
        2 => rows.sort_by_key(|r| (std::cmp::Reverse(r.uses), r.id)),
        3 => rows.sort_by_key(|r| (std::cmp::Reverse(r.last), r.id)),
        4 => rows.sort_by(|a, b| (&a.from, a.id).cmp(&(&b.from, b.id))),
        _ => rows.sort_by_key(|r| (r.name.is_none(), r.id)),
    }
    if sort.reverse {
        rows.reverse();
    }
}
