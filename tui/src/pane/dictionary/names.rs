//! The names of all sources in a table, sorted and narrowed.

use std::{
    cmp::Reverse,
    collections::HashSet,
    sync::{Arc, RwLockReadGuard},
};

use rustc_hash::FxHashMap;
use spytui_engine::{
    present::{
        clock::{grouped, short_count},
        sanitise,
        words::{key_number, key_word, wire_id},
    },
    store::dictionary::{DictionaryName, NameOrigin, newest},
    trace::{list::row_list::number_text, session::decoding::DecodingState},
};
use spytui_plugin_api::{
    Info, NONE,
    batch::AttrId,
    info::{Class, Matching, SpaceInfo, space},
    row::RowKind,
};

use super::uses::{Key, UseCounter, Uses};
use crate::{
    input::quoted,
    model::{Model, details::origin_text, list::name_role, screen::Piece},
    pane::table::TableSort,
    term::{Role, width},
};

/// The locked states of all sources of the list.
type States<'a> = [RwLockReadGuard<'a, DecodingState>];

#[derive(Debug)]
pub(super) struct NameRow {
    /// Space, key, scope, name, origin, uses and last use.
    cells: [Piece; 7],
    /// The display filter that finds its uses.
    pub(super) filter: String,
}

impl NameRow {
    /// Space, key, scope, name and origin.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().take(5).map(|(text, _)| text.as_str())
    }

    /// The cells; if narrow, an origin is shown without its stream position.
    pub(super) fn cells(&self, is_narrow: bool) -> Vec<Piece> {
        let mut cells = self.cells.to_vec();
        if let Some((from, _)) = cells.get_mut(4).filter(|_| is_narrow) {
            from.truncate(from.find(" @").unwrap_or(from.len()));
        }
        cells
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
pub(super) struct NameId {
    /// Lines without a name come last.
    is_unnamed: bool,
    space: u16,
    key: u64,
    scope: u64,
    /// The first source that names it.
    source: usize,
}

pub(super) const SORTS: [&str; 5] = ["by key", "by name", "by uses", "by last use", "by origin"];

/// Common properties of lines: `-` hides lines with it, `+` shows only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pane) enum Common {
    Space(u16),
    /// The origin of the name, as [`origin_rank`].
    Origin(u8),
}

#[derive(Debug, Default)]
pub(in crate::pane) struct NameTable {
    pub(super) order: Vec<NameId>,
    pub(super) sort: TableSort,
    /// What is hidden (`true`) or exclusively shown.
    pub(super) terms: Vec<(Common, bool)>,
    pub(super) hidden: usize,
    pub(super) unnamed: usize,
    /// Uses counted so far, by key with the scope under which it is named.
    pub(super) uses: FxHashMap<Key, Uses>,
    /// Number of names that did not fit.
    pub(super) refused: u64,
    /// The first line on the screen, and the lines there.
    pub(super) shown: (usize, Vec<NameRow>),
    /// Maximum text width of each column so far.
    pub(super) widest: [usize; 7],
}

impl NameTable {
    /// Lists the names of all sources, and the keys without one.
    pub(super) fn list(&mut self, counter: &UseCounter, model: &Model) {
        let states = model.list.rows.read_all();
        let mut order = named(&states);
        let unnamed = self.resolve(counter, &model.list.decoding().decoder.info, &states);
        self.unnamed = unnamed.len() + order.iter().filter(|id| id.is_unnamed).count();
        self.refused = states.iter().map(|state| state.dictionary.refused).sum();
        order.extend(unnamed);
        let all = order.len();
        order.retain(|id| self.terms.iter().all(|(common, hide)| common_is(common, id, &states) != *hide));
        self.hidden = all - order.len();
        self.order = order;
        self.sort(&states);
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
    fn sort(&mut self, states: &States<'_>) {
        let mut order = std::mem::take(&mut self.order);
        match self.sort.column {
            1 => order.sort_by_cached_key(|id| {
                let name: Option<Arc<[u8]>> = of_id(states, id).and_then(|named| named.text.clone());
                (id.is_unnamed, name, *id)
            }),
            2 => order.sort_by_cached_key(|id| (Reverse(self.uses(id).count), *id)),
            3 => order.sort_by_cached_key(|id| (Reverse(self.uses(id).last), *id)),
            4 => order.sort_by_cached_key(|id| (rank(of_id(states, id)), *id)),
            _ => order.sort_unstable(),
        }
        if self.sort.reverse {
            order.reverse();
        }
        self.order = order;
    }

    /// A property of a line shared by others, with a word for it and the number of lines shown that have it.
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

    /// The lines from `first` on.
    pub(super) fn lines<'a>(&'a self, model: &'a Model, first: usize) -> impl Iterator<Item = NameRow> + 'a {
        let states = model.list.rows.read_all();
        let info = &model.list.decoding().decoder.info;
        self.order.iter().skip(first).map(move |id| self.row(info, &states, id))
    }

    fn row(&self, info: &Info, states: &States<'_>, id: &NameId) -> NameRow {
        let spec = info.space(id.space);
        let state = states.get(id.source);
        let named = of_id(states, id);
        let shown = named.filter(|_| !id.is_unnamed);
        let uses = self.uses(id);
        let (_, source, n) = uses.last;
        let role = spec.and_then(|spec| name_role(spec.class)).unwrap_or(Role::Object);
        let name = shown.and_then(|named| named.text.as_deref());
        let count = if uses.count < 100_000 { grouped(uses.count) } else { short_count(uses.count) };
        NameRow {
            cells: [
                (space_word(info, id.space), Role::Group),
                (key_text(info, spec, state.map(|state| &**state), id), Role::Plain),
                (state.map_or_else(String::new, |state| scope_text(info, state, spec, id.scope)), Role::Plain),
                name.map_or_else(|| ("no name".to_owned(), Role::Warning), |name| (sanitise(name), role)),
                (shown.map_or_else(|| "–".to_owned(), |named| origin_text(named.origin)), Role::Help),
                (count, Role::Plain),
                (if uses.count > 0 { number_text(source, n) } else { String::new() }, Role::Plain),
            ],
            filter: format!("{}{}", test_of(id.space, spec), quoted(&word_of(spec, named, id))),
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
pub(super) fn widest(mut widest: [usize; 7], rows: &[NameRow]) -> [usize; 7] {
    for row in rows {
        for (widest, text) in widest.iter_mut().zip(row.texts()) {
            *widest = width(text).max(*widest);
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
