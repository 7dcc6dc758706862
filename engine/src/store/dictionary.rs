//! Dictionary with history: for each (space, key, scope) the names and the rows where they become valid. Lookups for a
//! block of rows.

use std::{cell::Cell, ops::RangeInclusive, sync::Arc};

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    DictEvent,
    batch::{AttrId, DictOp},
    info::{Info, Matching},
    render::Lookup,
};

use crate::io::log::format::grouped;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameOrigin {
    /// Sent by the target; position of its record in the stream.
    Stream(u64),
    User,
    File,
    /// From a table of the decoder.
    Decoder,
}

#[derive(Debug, Clone)]
pub struct DictionaryName {
    /// First row for which it is valid.
    pub row: u64,
    pub epoch: u32,
    /// Source that sent it.
    pub source: u16,
    pub origin: NameOrigin,
    /// `None` = removed.
    pub text: Option<Arc<[u8]>>,
    /// Orders events with the same row.
    seq: u64,
    /// Range of `text` that is its short form, shown if unique.
    short: Option<(u32, u32)>,
}

#[derive(Debug, Default, Clone)]
struct Space {
    matching: Matching,
    /// Prefix and suffix of the short pattern, around its `*`.
    short: Option<(Vec<u8>, Vec<u8>)>,
    entries: FxHashMap<(u64, u64), Vec<DictionaryName>>,
    /// Scopes by key, if the space matches any scope.
    scopes: FxHashMap<u64, Vec<u64>>,
    /// Newest epoch with each full or short name, and the number of keys with it there; only in spaces with short
    /// names. Another build of the target moves things elsewhere.
    uses: FxHashMap<Box<[u8]>, (u32, u32)>,
    clears: Vec<(u64, u64)>,
}

/// Memory limit for the names of a source; noise would exhaust memory.
pub const NAME_BUDGET: usize = 64 << 20;
/// Allocator overhead per allocation.
const ALLOCATION: usize = 16;
/// Hash table entries count twice: tables are half empty after they have grown.
const KEY_COST: usize = 2 * (size_of::<((u64, u64), Vec<DictionaryName>)>() + 1) + ALLOCATION;
const USE_COST: usize = 2 * (size_of::<(Box<[u8]>, (u32, u32))>() + 1) + ALLOCATION;
const SCOPE_COST: usize = 2 * (size_of::<(u64, Vec<u64>)>() + 1) + size_of::<u64>() + ALLOCATION;
const ATTR_COST: usize = 2 * (size_of::<(AttrKey, Attr)>() + 1) + ALLOCATION;
/// Maximum number of names per key; beyond it the older half is dropped.
const MOST_NAMES: usize = 4_096;
/// How many names back a repeated name is recognised.
const LOOK_BACK: usize = 64;

/// Value of an attribute other than the name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attr {
    pub val: u64,
    /// Space of `val` if it is a key.
    pub val_space: u16,
    pub text: Arc<[u8]>,
}

type AttrKey = (u16, u64, u64, AttrId);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameChange {
    /// A key of this space is renamed, or loses its name.
    Key(u16, u64),
    /// All keys of this space lose their names, or a name is no longer unique, so that its short form may change.
    Space(u16),
}

impl NameChange {
    pub fn space(&self) -> u16 {
        match *self {
            NameChange::Key(space, _) | NameChange::Space(space) => space,
        }
    }
}

#[derive(Debug, Default, Clone)]
pub struct Dictionary {
    spaces: Vec<Space>,
    attrs: FxHashMap<AttrKey, Attr>,
    /// First row of each epoch after the first.
    epochs: Vec<u64>,
    /// Number of epochs started.
    begun: u32,
    keep_history: bool,
    seq: u64,
    /// Number of changes, for cache validation.
    pub changes: u64,
    /// Changes since the last call, if requested.
    changed: Option<Vec<NameChange>>,
    /// Number of names not kept because the memory for names was full.
    pub refused: u64,
    /// Approximate memory use, bytes.
    memory: usize,
}

impl Space {
    /// Whether this is the newest name of a key, set in this epoch.
    fn is_called(&self, key: (u64, u64), text: Option<&[u8]>, epoch: u32) -> bool {
        let cleared = self.clears.last().map_or(0, |c| c.1);
        let newest = self.entries.get(&key).and_then(|names| names.last());
        newest.is_some_and(|n| n.text.as_deref() == text && n.epoch == epoch && n.seq > cleared)
    }

    fn forget(&mut self) {
        self.entries.clear();
        self.scopes.clear();
        self.uses.clear();
    }

    fn memory(&self) -> usize {
        let names = self.entries.values().flatten().map(|named| name_cost(named.text.as_deref()));
        let uses = self.uses.keys().map(|name| USE_COST + name.len());
        self.entries.len() * KEY_COST + self.scopes.len() * SCOPE_COST + names.chain(uses).sum::<usize>()
    }
}

impl Dictionary {
    /// Without history, only current names are kept.
    pub fn new(info: &Info, keep_history: bool) -> Dictionary {
        let mut dictionary = Dictionary { keep_history, ..Dictionary::default() };
        for spec in &info.spaces {
            let pattern = spec.short.split_once('*');
            let space = dictionary.space_mut(spec.id);
            space.matching = spec.matching;
            space.short = pattern.map(|(a, b)| (a.as_bytes().to_vec(), b.as_bytes().to_vec()));
        }
        dictionary
    }

    fn space_mut(&mut self, id: u16) -> &mut Space {
        let id = usize::from(id);
        if id >= self.spaces.len() {
            self.spaces.resize_with(id + 1, Space::default);
        }
        &mut self.spaces[id]
    }

    /// Number of keys with names.
    pub fn keys(&self) -> usize {
        self.spaces.iter().map(|space| space.entries.len()).sum()
    }

    /// `2 787 000 names were not kept: they take 64 MB at most`; `None` if none were refused.
    pub fn refusal(refused: u64) -> Option<String> {
        let most = NAME_BUDGET >> 20;
        (refused > 0).then(|| format!("{} names were not kept: they take {most} MB at most", grouped(refused)))
    }

    pub fn begin_epoch(&mut self, row: u64) {
        self.changes += 1;
        self.begun += 1;
        if self.keep_history {
            self.epochs.push(row);
        }
    }

    /// Applies a dictionary event. `row` = first row for which it is valid, `pos` = position of its record.
    pub fn apply(&mut self, event: &DictEvent, text: &[u8], row: u64, source: u16, pos: u64) {
        match event.op {
            DictOp::SET if event.attr == AttrId::NAME => {
                let is_built_in = event.is_built_in;
                let origin = if is_built_in { NameOrigin::Decoder } else { NameOrigin::Stream(pos) };
                self.set(event.space, event.key, event.scope, Some(text), row, source, origin);
            }
            DictOp::SET => self.set_attr(event, text),
            DictOp::REMOVE => {
                self.set(event.space, event.key, event.scope, None, row, source, NameOrigin::Stream(pos));
            }
            DictOp::CLEAR => self.clear(event.space, row),
            _ => {}
        }
    }

    /// Whether an event changes anything; targets repeat their dictionaries.
    pub fn would_change(&self, event: &DictEvent, text: &[u8]) -> bool {
        let DictEvent { space, key, scope, .. } = *event;
        match (event.op, event.attr) {
            (DictOp::SET, AttrId::NAME) => {
                let space = self.spaces.get(usize::from(space));
                !space.is_some_and(|space| space.is_called((key, scope), Some(text), self.begun))
            }
            (DictOp::SET, attr) => {
                let known = self.attrs.get(&(space, key, scope, attr));
                !known.is_some_and(|known| {
                    (known.val, known.val_space, &*known.text) == (event.val, event.val_space, text)
                })
            }
            _ => true,
        }
    }

    fn set_attr(&mut self, event: &DictEvent, text: &[u8]) {
        let attr = Attr { val: event.val, val_space: event.val_space, text: text.into() };
        let key = (event.space, event.key, event.scope, event.attr);
        let known = self.attrs.get(&key);
        if known == Some(&attr) {
            return;
        }
        let freed = known.map_or(0, |known| ATTR_COST + text_cost(&known.text));
        let memory = self.memory - freed.min(self.memory) + ATTR_COST + text_cost(&attr.text);
        if memory > NAME_BUDGET {
            self.refused += 1;
            return;
        }
        self.memory = memory;
        self.attrs.insert(key, attr);
        self.changes += 1;
    }

    /// Sets a name, or removes it (`None`), from a row on. Setting the current name again changes nothing.
    #[allow(clippy::too_many_arguments)]
    pub fn set(
        &mut self,
        space: u16,
        key: u64,
        scope: u64,
        text: Option<&[u8]>,
        row: u64,
        source: u16,
        origin: NameOrigin,
    ) {
        let (epoch, keep) = (self.begun, self.keep_history);
        let seq = self.seq + 1;
        let mut memory = self.memory;
        let is_full = memory + most_cost(text) > NAME_BUDGET;
        let (id, space) = (space, self.space_mut(space));
        let cleared = space.clears.last().map_or(0, |c| c.1);
        if space.is_called((key, scope), text, epoch) {
            return;
        }
        if is_full && !space.entries.contains_key(&(key, scope)) {
            self.refused += 1;
            return;
        }
        let entry = space.entries.entry((key, scope)).or_default();
        if entry.is_empty() {
            memory += KEY_COST;
            if space.matching == Matching::OR_ANY {
                space.scopes.entry(key).or_default().push(scope);
                memory += SCOPE_COST;
            }
        }
        let short = text.and_then(|t| short_of(&space.short, t));
        let of_epoch = || entry.iter().rev().take_while(|n| n.epoch == epoch).take(LOOK_BACK);
        // A name that is new in this epoch need not be searched among the names of this key.
        let used = |t: &[u8]| space.uses.get(t).is_some_and(|&(newest, _)| newest == epoch);
        let again = |t: &[u8]| used(t) && of_epoch().any(|n| n.text.as_deref() == Some(t));
        let short_form = short.and_then(|(off, len)| text?.get(off as usize..(off + len) as usize));
        let users =
            text.into_iter().chain(short_form).filter_map(|form| space.uses.get(form)).map(|(_, keys)| *keys).max();
        // Targets send the same names again after each reset.
        let is_same = entry.last().is_some_and(|n| n.text.as_deref() == text && n.seq > cleared);
        let change = match users.unwrap_or(0) {
            0 | 1 if is_same => None,
            0 => Some(NameChange::Key(id, key)),
            _ => Some(NameChange::Space(id)),
        };
        // Uniqueness matters for short names only.
        if let Some(text) = text.filter(|t| space.short.is_some() && !again(t)) {
            memory += count(&mut space.uses, text, epoch);
            if let Some((off, len)) = short {
                memory += count(&mut space.uses, &text[off as usize..(off + len) as usize], epoch);
            }
        }
        // Share the text if a target repeats its names after each reset.
        let same = entry.last().and_then(|n| n.text.clone()).filter(|t| Some(&**t) == text);
        if entry.is_empty() {
            // Most keys have only one name.
            entry.reserve_exact(1);
        } else {
            let over = match keep {
                false => entry.len(),
                // A known key keeps only its newest names when memory is short.
                true if is_full => entry.len(),
                true if entry.len() >= MOST_NAMES => MOST_NAMES / 2,
                true => 0,
            };
            let freed: usize = entry.drain(..over).map(|named| name_cost(named.text.as_deref())).sum();
            memory -= freed.min(memory);
        }
        memory += name_cost(text);
        entry.push(DictionaryName {
            row,
            epoch,
            source,
            origin,
            text: same.or_else(|| text.map(Into::into)),
            seq,
            short,
        });
        self.seq = seq;
        self.memory = memory;
        self.changes += 1;
        if let Some(changed) = &mut self.changed {
            changed.extend(change);
        }
    }

    fn clear(&mut self, space: u16, row: u64) {
        self.seq += 1;
        self.changes += 1;
        if let Some(changed) = &mut self.changed {
            changed.push(NameChange::Space(space));
        }
        let (seq, keep) = (self.seq, self.keep_history);
        let space = self.space_mut(space);
        if keep {
            space.clears.push((row, seq));
            return;
        }
        let freed = space.memory();
        space.forget();
        self.memory -= freed.min(self.memory);
    }

    /// Clears all names and their history.
    pub fn forget_all(&mut self) {
        for space in &mut self.spaces {
            space.forget();
            space.clears.clear();
        }
        self.memory = self.attrs.values().map(|attr| ATTR_COST + text_cost(&attr.text)).sum();
        self.changes += 1;
    }

    /// The name as of a row, as known to a reference tool at that point.
    pub fn as_of(&self, row: u64, space: u16, key: u64, scope: u64) -> Option<&DictionaryName> {
        if !self.keep_history {
            // Without history there is one name per key.
            return self.with_match(space, key, scope, |_, history| history.last().filter(|n| n.text.is_some()));
        }
        self.with_match(space, key, scope, |space, history| {
            let at = history.partition_point(|n| n.row <= row).checked_sub(1)?;
            let cleared = space.clears.partition_point(|c| c.0 <= row).checked_sub(1).map_or(0, |i| space.clears[i].1);
            history.get(at).filter(|n| n.text.is_some() && n.seq > cleared)
        })
    }

    /// The name shown for a row: as of the row, else the first later one of its epoch, else one from an earlier epoch.
    pub fn effective(&self, row: u64, space: u16, key: u64, scope: u64) -> Option<&DictionaryName> {
        self.with_match(space, key, scope, |_, history| match history {
            [only] => Some(only).filter(|n| n.text.is_some()),
            _ => effective_of(history, row, self.epoch_of(row)),
        })
    }

    /// [`Dictionary::effective`] for several sources of a target: the source's names of the row's epoch, otherwise
    /// those of `others` in the epoch, otherwise one from an earlier epoch. Also returns the dictionary of the name.
    pub fn effective_among<'a>(
        &'a self,
        others: &[&'a Dictionary],
        row: u64,
        (space, key, scope): (u16, u64, u64),
    ) -> Option<(&'a Dictionary, &'a DictionaryName)> {
        let own = self.effective(row, space, key, scope).map(|named| (self, named));
        if others.is_empty() {
            return own;
        }
        // All sources of a target have the same epochs.
        let epoch = self.epoch_of(row);
        let of_epoch = |n: &&DictionaryName| n.epoch == epoch && n.text.is_some();
        let last = |d: &&'a Dictionary| {
            let named = d.with_match(space, key, scope, |_, history| newest(history).filter(of_epoch));
            named.map(|named| (*d, named))
        };
        let any = |d: &&'a Dictionary| d.effective(u64::MAX, space, key, scope).map(|named| (*d, named));
        own.filter(|(_, named)| named.epoch == epoch)
            .or_else(|| others.iter().find_map(last))
            .or(own)
            .or_else(|| others.iter().find_map(any))
    }

    /// The name changes since the last call; the first call returns none.
    pub fn take_changes(&mut self) -> Vec<NameChange> {
        self.changed.replace(Vec::new()).unwrap_or_default()
    }

    /// A range of rows around `row` that see the same name of a key, or none as well; all rows if the epoch has one
    /// name. Uses the space's matching rule; the true range may be larger.
    pub fn rows_alike(&self, row: u64, epoch: u32, space: u16, key: u64, scope: u64) -> RangeInclusive<u64> {
        let Some(space) = self.spaces.get(usize::from(space)) else { return 0..=u64::MAX };
        let names = |scope: u64| space.entries.get(&(key, scope));
        let of_key = space.scopes.get(&key).into_iter().flatten().filter_map(|&scope| names(scope));
        let histories = names(scope).into_iter().chain(names(0)).chain(of_key);
        histories.filter(|history| !has_one_name(history, epoch)).fold(0..=u64::MAX, |rows, history| {
            let later = history.partition_point(|named| named.row <= row);
            let from = later.checked_sub(1).map_or(0, |last| history[last].row);
            let to = history.get(later).map_or(u64::MAX, |named| named.row - 1);
            from.max(*rows.start())..=to.min(*rows.end())
        })
    }

    /// Epoch of a row, from 0.
    pub fn epoch_of(&self, row: u64) -> u32 {
        self.epochs.partition_point(|&e| e <= row) as u32
    }

    pub fn epoch_start(&self, epoch: u32) -> u64 {
        let at = (epoch as usize).checked_sub(1).and_then(|before| self.epochs.get(before));
        at.copied().unwrap_or(0)
    }

    pub fn epochs(&self) -> u32 {
        self.epochs.len() as u32 + 1
    }

    /// Looks up a key by the space's matching rule.
    #[inline]
    fn with_match<'a>(
        &'a self,
        space: u16,
        key: u64,
        scope: u64,
        pick: impl Fn(&'a Space, &'a [DictionaryName]) -> Option<&'a DictionaryName>,
    ) -> Option<&'a DictionaryName> {
        let space = self.spaces.get(usize::from(space))?;
        let one = |scope| space.entries.get(&(key, scope)).and_then(|h| pick(space, h));
        if let Some(named) = one(scope) {
            return Some(named);
        }
        match space.matching {
            Matching::OR_GLOBAL | Matching::OR_ANY if scope != 0 => one(0),
            Matching::OR_ANY => space.scopes.get(&key)?.iter().find_map(|&scope| one(scope)),
            _ => None,
        }
    }

    /// The scope under which a key with this scope is named, by the space's matching rule; `None` without a name.
    pub fn naming_scope(&self, space: u16, key: u64, scope: u64) -> Option<u64> {
        let space = self.spaces.get(usize::from(space))?;
        let is_named = |scope: &u64| space.entries.get(&(key, *scope)).is_some_and(|names| newest(names).is_some());
        if is_named(&scope) {
            return Some(scope);
        }
        let global = matches!(space.matching, Matching::OR_GLOBAL | Matching::OR_ANY).then_some(0).filter(is_named);
        let any = || space.scopes.get(&key)?.iter().copied().find(is_named);
        global.or_else(any)
    }

    /// The name shown in lists: its short form if unique.
    pub fn short<'a>(&self, space: u16, named: &'a DictionaryName) -> &'a [u8] {
        let full = named.text.as_deref().unwrap_or_default();
        let Some((off, len)) = named.short else { return full };
        let short = full.get(off as usize..(off + len) as usize).unwrap_or(full);
        let uses = self.spaces.get(usize::from(space)).and_then(|s| s.uses.get(short));
        if uses.is_some_and(|&(_, keys)| keys == 1) { short } else { full }
    }

    pub fn attr(&self, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<&Attr> {
        self.attrs.get(&(space, key, scope, attr))
    }

    /// All (space, key, scope) with an attribute other than the name.
    pub fn attrs(&self) -> impl Iterator<Item = (u16, u64, u64)> + '_ {
        self.attrs.keys().map(|&(space, key, scope, _)| (space, key, scope))
    }

    /// All names of a key, oldest first.
    pub fn names(&self, space: u16, key: u64, scope: u64) -> &[DictionaryName] {
        let space = self.spaces.get(usize::from(space));
        space.and_then(|space| space.entries.get(&(key, scope))).map_or(&[], Vec::as_slice)
    }

    /// All entries of a space: key, scope, names.
    pub fn of_space(&self, space: u16) -> impl Iterator<Item = (u64, u64, &[DictionaryName])> + '_ {
        let entries = self.spaces.get(usize::from(space)).into_iter().flat_map(|space| &space.entries);
        entries.map(|(&(key, scope), names)| (key, scope, names.as_slice()))
    }

    /// All entries: space, key, scope, names.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u64, u64, &[DictionaryName])> + '_ {
        self.spaces.iter().enumerate().flat_map(|(id, s)| {
            s.entries.iter().map(move |(&(key, scope), names)| (id as u16, key, scope, names.as_slice()))
        })
    }
}

/// The newest name of a key, unless removed.
pub fn newest(names: &[DictionaryName]) -> Option<&DictionaryName> {
    names.last().filter(|named| named.text.is_some())
}

fn has_one_name(history: &[DictionaryName], epoch: u32) -> bool {
    // Epochs only increase.
    let from = history.partition_point(|named| named.epoch < epoch);
    let mut own = history[from..].iter().take_while(|named| named.epoch == epoch).map(|named| &named.text);
    let first = own.next();
    own.all(|text| Some(text) == first)
}

fn effective_of(history: &[DictionaryName], row: u64, epoch: u32) -> Option<&DictionaryName> {
    let named = |n: &&DictionaryName| n.text.is_some();
    let before = history.partition_point(|n| n.row <= row);
    let (past, later) = history.split_at(before);
    // A removed name is no longer valid, nor are earlier ones.
    let past = newest(past);
    past.filter(|n| n.epoch == epoch)
        .or_else(|| later.iter().find(|n| n.epoch == epoch && named(n)))
        .or(past)
        .or_else(|| later.iter().find(named))
}

fn short_of(pattern: &Option<(Vec<u8>, Vec<u8>)>, text: &[u8]) -> Option<(u32, u32)> {
    let (prefix, suffix) = pattern.as_ref()?;
    let star = text.strip_prefix(prefix.as_slice())?.strip_suffix(suffix.as_slice())?;
    (!star.is_empty()).then_some((prefix.len() as u32, star.len() as u32))
}

/// Counts a use of a name; returns the memory it takes.
fn count(uses: &mut FxHashMap<Box<[u8]>, (u32, u32)>, name: &[u8], epoch: u32) -> usize {
    match uses.get_mut(name) {
        Some((newest, keys)) if *newest == epoch => *keys += 1,
        Some(other) => *other = (epoch, 1),
        None => {
            uses.insert(name.into(), (epoch, 1));
            return USE_COST + name.len();
        }
    }
    0
}

fn name_cost(text: Option<&[u8]>) -> usize {
    size_of::<DictionaryName>() + text.map_or(0, text_cost)
}

/// Maximum memory for a new key.
fn most_cost(text: Option<&[u8]>) -> usize {
    KEY_COST + SCOPE_COST + name_cost(text) + 2 * (USE_COST + text.map_or(0, <[u8]>::len))
}

fn text_cost(text: &[u8]) -> usize {
    text.len() + 2 * size_of::<usize>() + ALLOCATION
}

/// Maximum cache size. Targets have hundreds of objects, functions and signals.
const MOST_CACHED: usize = 1024;
/// Minimum cache size: keys without a name are cached as well.
const FEWEST_CACHED: usize = 128;

/// Minimum number of rows for which caching names pays off.
const WORTH_CACHING: usize = 16;

#[derive(Debug, Clone, Copy)]
struct CachedName<'a> {
    key: u64,
    scope: u64,
    /// [`NOTHING`] = empty slot.
    space: u32,
    name: Option<&'a [u8]>,
}

/// Not a space, as spaces have 16 bits.
const NOTHING: u32 = u32::MAX;

/// Which names rendering uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// As of each row, as known to a reference tool at that point.
    AsOf,
    /// As shown on the screen, including names received later.
    Effective,
}

/// Cached lookups for a block of rows that all see the same names.
#[derive(Debug)]
pub struct CachedNames<'n, 'a> {
    names: &'n BlockNames<'a>,
    /// Indexed by a hash of the request; its length is a power of two, or 0 for few rows.
    slots: Vec<Cell<CachedName<'a>>>,
}

impl<'n, 'a> CachedNames<'n, 'a> {
    pub fn new(names: &'n BlockNames<'a>, rows: usize) -> CachedNames<'n, 'a> {
        // Clearing more slots than there are names costs more than it saves, and so does a cache for few rows.
        let worth_it = rows.min(2 * names.dictionary.keys()).clamp(FEWEST_CACHED, MOST_CACHED);
        let slots = if rows < WORTH_CACHING { 0 } else { worth_it.next_power_of_two() };
        let empty = CachedName { key: 0, scope: 0, space: NOTHING, name: None };
        CachedNames { names, slots: vec![Cell::new(empty); slots] }
    }
}

/// Names as seen by a row, cached or not.
pub trait RowNames: Lookup + std::fmt::Debug {
    fn plain(&self) -> &BlockNames<'_>;
}

impl RowNames for BlockNames<'_> {
    fn plain(&self) -> &BlockNames<'_> {
        self
    }
}

impl RowNames for CachedNames<'_, '_> {
    fn plain(&self) -> &BlockNames<'_> {
        self.names
    }
}

impl<'a> CachedNames<'_, 'a> {
    #[inline(never)]
    fn find(&self, slot: &Cell<CachedName<'a>>, row: u32, space: u16, key: u64, scope: u64) -> Option<&'a [u8]> {
        let name = self.names.find(row, space, key, scope);
        slot.set(CachedName { key, scope, space: space.into(), name });
        name
    }
}

impl Lookup for CachedNames<'_, '_> {
    #[inline]
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        let mixed = (key ^ scope.rotate_left(29) ^ u64::from(space) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 48) as usize & self.slots.len().wrapping_sub(1);
        let Some(slot) = self.slots.get(place) else { return self.names.find(row, space, key, scope) };
        let cached = slot.get();
        if cached.key == key && cached.scope == scope && cached.space == u32::from(space) {
            return cached.name;
        }
        self.find(slot, row, space, key, scope)
    }

    fn attr(&self, row: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        self.names.attr(row, space, key, scope, attr)
    }
}

/// Lookups for a block of rows.
#[derive(Debug)]
pub struct BlockNames<'a> {
    pub dictionary: &'a Dictionary,
    /// Dictionaries of the target's other sources.
    pub others: &'a [&'a Dictionary],
    /// Number of the row whose names all rows of the block see.
    pub row: u64,
    /// Row numbers of the block, if each row sees its own names.
    pub rows: &'a [u64],
    pub view: View,
    /// Use short names where unique.
    pub short: bool,
}

impl<'a> BlockNames<'a> {
    /// The newest names of a dictionary.
    pub fn newest(dictionary: &'a Dictionary, view: View, short: bool) -> BlockNames<'a> {
        BlockNames { dictionary, others: &[], row: u64::MAX, rows: &[], view, short }
    }

    fn named(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<(&'a Dictionary, &'a DictionaryName)> {
        let row = self.rows.get(row as usize).copied().unwrap_or(self.row);
        match self.view {
            View::AsOf => self.dictionary.as_of(row, space, key, scope).map(|named| (self.dictionary, named)),
            View::Effective => self.dictionary.effective_among(self.others, row, (space, key, scope)),
        }
    }

    #[inline]
    fn find(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&'a [u8]> {
        let (dictionary, named) = self.named(row, space, key, scope)?;
        if self.short { Some(dictionary.short(space, named)) } else { named.text.as_deref() }
    }
}

impl Lookup for BlockNames<'_> {
    #[inline]
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        self.find(row, space, key, scope)
    }

    fn attr(&self, _: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        let mut all = [&self.dictionary].into_iter().chain(self.others);
        let attr = all.find_map(|dictionary| dictionary.attr(space, key, scope, attr))?;
        Some((attr.val, &attr.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{RVec, info::SpaceInfo};

    const OBJ: u16 = 16;
    const SIG: u16 = 17;

    fn info() -> Info {
        let class = spytui_plugin_api::Class::OTHER;
        let space = |id, matching, short: &str| SpaceInfo {
            matching,
            short: short.into(),
            ..SpaceInfo::new(id, "x", "X", class, spytui_plugin_api::KeyFormat::HEX)
        };
        let spaces = RVec::from(vec![space(OBJ, Matching::EXACT, "AO(l_*)"), space(SIG, Matching::OR_ANY, "")]);
        Info { spaces, ..Info::default() }
    }

    fn name(d: &mut Dictionary, space: u16, key: u64, scope: u64, text: &str, row: u64) {
        d.set(space, key, scope, Some(text.as_bytes()), row, 0, NameOrigin::Stream(0));
    }

    fn shown(named: Option<&DictionaryName>) -> Option<&str> {
        named.and_then(|n| n.text.as_deref()).and_then(|t| std::str::from_utf8(t).ok())
    }

    #[test]
    fn late_names_hold_for_earlier_rows_but_not_as_of_them() {
        let mut d = Dictionary::new(&info(), true);
        name(&mut d, OBJ, 7, 0, "seven", 100);
        name(&mut d, OBJ, 7, 0, "sept", 200);
        assert_eq!(shown(d.as_of(99, OBJ, 7, 0)), None);
        assert_eq!(shown(d.effective(99, OBJ, 7, 0)), Some("seven"));
        assert_eq!(shown(d.as_of(150, OBJ, 7, 0)), Some("seven"));
        assert_eq!(shown(d.effective(250, OBJ, 7, 0)), Some("sept"));
    }

    #[test]
    fn a_new_epoch_does_not_rename_the_old_one() {
        let mut d = Dictionary::new(&info(), true);
        name(&mut d, OBJ, 7, 0, "old", 10);
        d.begin_epoch(50);
        name(&mut d, OBJ, 7, 0, "new", 60);
        assert_eq!(shown(d.effective(20, OBJ, 7, 0)), Some("old"));
        assert_eq!(shown(d.effective(55, OBJ, 7, 0)), Some("new"));
        assert_eq!(shown(d.effective(5, OBJ, 7, 0)), Some("old"));
    }

    #[test]
    fn a_name_that_was_removed_holds_no_longer() {
        let mut d = Dictionary::new(&info(), true);
        name(&mut d, OBJ, 7, 0, "other build", 0);
        d.begin_epoch(50);
        d.set(OBJ, 7, 0, None, 50, 0, NameOrigin::Stream(0));
        assert_eq!(shown(d.effective(60, OBJ, 7, 0)), None);
        assert_eq!(shown(newest(d.names(OBJ, 7, 0))), None);
        name(&mut d, OBJ, 7, 0, "own", 70);
        let seen = [49, 60, 80].map(|row| shown(d.effective(row, OBJ, 7, 0)));
        assert_eq!(seen, [Some("other build"), Some("own"), Some("own")]);
    }

    #[test]
    fn a_clear_counts_as_of_its_row_only() {
        for keep in [true, false] {
            let mut d = Dictionary::new(&info(), keep);
            name(&mut d, OBJ, 7, 0, "seven", 1);
            let clear = DictEvent { op: DictOp::CLEAR, space: OBJ, ..DictEvent::default() };
            d.apply(&clear, b"", 5, 0, 0);
            assert_eq!(shown(d.as_of(5, OBJ, 7, 0)), None);
            name(&mut d, OBJ, 7, 0, "again", 5);
            assert_eq!(shown(d.as_of(5, OBJ, 7, 0)), Some("again"));
            if keep {
                assert_eq!(shown(d.as_of(4, OBJ, 7, 0)), Some("seven"));
            }
        }
    }

    #[test]
    fn scopes_fall_back_as_their_space_says() {
        let mut d = Dictionary::new(&info(), true);
        name(&mut d, SIG, 8, 0x10, "SCOPED", 0);
        assert_eq!(shown(d.effective(9, SIG, 8, 0x10)), Some("SCOPED"));
        assert_eq!(shown(d.effective(9, SIG, 8, 0x20)), None);
        assert_eq!(shown(d.effective(9, SIG, 8, 0)), Some("SCOPED"));
        name(&mut d, SIG, 8, 0, "GLOBAL", 0);
        assert_eq!(shown(d.effective(9, SIG, 8, 0x20)), Some("GLOBAL"));
    }

    #[test]
    fn a_key_that_is_renamed_for_ever_keeps_its_newest_names() {
        let mut d = Dictionary::new(&info(), true);
        for row in 0..20_000_u64 {
            name(&mut d, OBJ, 7, 0, &format!("n{row}"), row);
        }
        assert_eq!(shown(d.as_of(19_999, OBJ, 7, 0)), Some("n19999"));
        assert_eq!(shown(d.as_of(19_000, OBJ, 7, 0)), Some("n19000"));
        assert!(d.iter().all(|(.., names)| names.len() <= MOST_NAMES));
    }

    /// Names made up by noise are refused beyond the budget, and counted; known names stay up to date.
    #[test]
    fn names_take_a_bounded_memory() {
        for keep in [true, false] {
            let mut d = Dictionary::new(&info(), keep);
            name(&mut d, OBJ, 0, 0, "first", 0);
            let all = 400_000;
            for key in 1..all {
                name(&mut d, OBJ, key, 0, &format!("l_object_number_{key}"), key);
            }
            assert!(d.memory <= NAME_BUDGET, "{}", d.memory);
            assert!(d.keys() > 150_000, "{}", d.keys());
            assert_eq!(d.keys() as u64 + d.refused, all);
            name(&mut d, OBJ, 0, 0, "renamed", all);
            assert_eq!(shown(d.effective(all, OBJ, 0, 0)), Some("renamed"));
            assert!(d.memory <= NAME_BUDGET + 1024, "{}", d.memory);
            let clear = DictEvent { op: DictOp::CLEAR, space: OBJ, ..DictEvent::default() };
            d.apply(&clear, b"", all, 0, 0);
            assert_eq!(d.memory == 0, !keep);
            d.forget_all();
            assert_eq!(d.memory, 0);
        }
    }

    #[test]
    fn names_are_short_only_while_that_is_unique() {
        let mut d = Dictionary::new(&info(), true);
        name(&mut d, OBJ, 1, 0, "AO(l_door)", 0);
        let short = |d: &Dictionary| d.effective(0, OBJ, 1, 0).map(|n| d.short(OBJ, n).to_vec());
        assert_eq!(short(&d), Some(b"door".to_vec()));
        name(&mut d, OBJ, 2, 0, "door", 0);
        assert_eq!(short(&d), Some(b"AO(l_door)".to_vec()));
    }

    #[test]
    fn other_sources_help_out_with_names() {
        let (mut own, mut other) = (Dictionary::new(&info(), true), Dictionary::new(&info(), true));
        name(&mut own, OBJ, 7, 0, "seven", 10);
        name(&mut other, OBJ, 7, 0, "sept", 5);
        name(&mut other, OBJ, 8, 0, "huit", 900);
        other.begin_epoch(1000);
        own.begin_epoch(50);
        let among = |row, key| own.effective_among(&[&other], row, (OBJ, key, 0)).map(|(_, named)| named);
        assert_eq!((shown(among(9, 7)), shown(among(9, 8)), shown(among(9, 9))), (Some("seven"), Some("huit"), None));
        // Nobody named them in the second epoch: own names are carried over first.
        assert_eq!((shown(among(60, 7)), shown(among(60, 8))), (Some("seven"), Some("huit")));
        name(&mut other, OBJ, 7, 0, "neuf", 1001);
        let among = own.effective_among(&[&other], 60, (OBJ, 7, 0)).map(|(_, named)| named);
        assert_eq!(shown(among), Some("neuf"));
    }

    #[test]
    fn another_build_puts_the_same_names_elsewhere() {
        for keep in [true, false] {
            let mut d = Dictionary::new(&info(), keep);
            name(&mut d, OBJ, 1, 0, "AO(l_door)", 0);
            d.begin_epoch(50);
            name(&mut d, OBJ, 2, 0, "AO(l_door)", 51);
            let short = |row, key| d.effective(row, OBJ, key, 0).map(|n| d.short(OBJ, n).to_vec());
            assert_eq!(short(60, 2), Some(b"door".to_vec()));
            assert_eq!(short(9, 1), Some(b"door".to_vec()));
        }
    }
}
