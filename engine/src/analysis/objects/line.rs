//! Objects as text for tables and exports.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    ActivityFlags as F, Class, Info, KeyFormat, NONE, Row, RowKind,
    batch::AttrId,
    info::{SpaceInfo, space},
    render::Lookup,
};

use super::{
    object::{FillState, Level, ObjectKind, ObjectState, TaskNow, TrackedObject},
    table::ObjectTable,
};
use crate::{
    present::{
        sanitise,
        words::{given_name, key_word, kind_name, tag_of},
    },
    replay::{Doing, Key, Moment},
};

const UNKNOWN: &str = "–";

/// An object as text that is safe for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectLine {
    pub key: Key,
    pub kind: ObjectKind,
    /// The object's name, or its key as text.
    pub name: String,
    /// The object's state; `–` if unknown.
    pub state: String,
    /// Missing records may have changed the state.
    pub is_unsure: bool,
    /// When the state began, if known.
    pub since: Option<Moment>,
    pub last: Option<EventWords>,
    /// Level of its queue or its own, as text; empty if it has none.
    pub level: String,
    /// The level as numbers.
    pub level_numbers: Option<Level>,
    /// Missing records may have changed the level.
    pub is_level_unsure: bool,
    /// Sort key for levels: the fuller, the smaller.
    pub fullness: u64,
    /// Share of time spent in its present state, per mille.
    pub permille: Option<u16>,
    pub events: u64,
}

impl ObjectLine {
    /// The lines that differ from those at another row, with what was there and what is.
    pub fn changed(before: &[ObjectLine], lines: Vec<ObjectLine>) -> Vec<ObjectLine> {
        let before: HashMap<Key, &ObjectLine> = before.iter().map(|line| (line.key, line)).collect();
        let fill = |line: &ObjectLine| line.level_numbers.map(|level| level.fill);
        let both = |before: &str, after: &str| {
            if before == after { after.to_owned() } else { format!("{before} → {after}") }
        };
        let changed = |mut line: ObjectLine| {
            let (state, level, is_unsure, was_level_unsure) = match before.get(&line.key) {
                Some(was) if was.state == line.state && fill(was) == fill(&line) => return None,
                None if line.state == UNKNOWN && line.level.is_empty() => return None,
                Some(was) => (was.state.as_str(), was.level.as_str(), was.is_unsure, was.is_level_unsure),
                None => (UNKNOWN, "", false, false),
            };
            line.state = both(state, &line.state);
            line.level = both(level, &line.level).trim_start_matches(" → ").to_owned();
            line.is_unsure |= is_unsure;
            line.is_level_unsure |= was_level_unsure;
            Some(line)
        };
        lines.into_iter().filter_map(changed).collect()
    }
}

/// The last record about an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventWords {
    pub at: Moment,
    /// Kind as shown in the list.
    pub kind: String,
    /// Signal or other item; may be empty.
    pub item: String,
    /// Whether it was a warning or an error.
    pub warns: bool,
}

/// Puts objects into words, with the names that the list shows.
#[derive(Clone, Copy)]
pub struct Wording<'a> {
    pub info: &'a Info,
    /// Names as of the table's last row.
    pub names: &'a dyn Lookup,
    /// Names from formatters.
    pub of_formats: &'a dyn Fn(Key) -> Option<String>,
}

impl Wording<'_> {
    /// All objects of a table, by kind, then name; objects with unknown state come last.
    pub fn lines(&self, table: &ObjectTable) -> Vec<ObjectLine> {
        // The level of a queue is that of its owner, too.
        let owner = |key: Key| self.attr(key, AttrId::PARENT).map(|(owner, _)| Key { key: owner, scope: 0, ..key });
        let sizes = table.objects().filter_map(|(key, _)| Some((owner(key)?, self.capacity(key)?))).collect();
        let mut lines: Vec<ObjectLine> =
            table.objects().map(|(key, object)| self.line(table, key, object, &sizes)).collect();
        let is_still = |line: &ObjectLine| line.since.is_none() && line.level.is_empty();
        lines.sort_by(|a, b| (is_still(a), a.kind, &a.name, a.key).cmp(&(is_still(b), b.kind, &b.name, b.key)));
        lines
    }

    fn line(&self, table: &ObjectTable, key: Key, object: &TrackedObject, sizes: &FxHashMap<Key, u64>) -> ObjectLine {
        let capacity = self.capacity(key).or_else(|| sizes.get(&key).copied());
        let kind = self.kind(key, object);
        // The kind of the record already says the number of an enumeration.
        let is_enum = |item: &Key| self.info.space(item.space).is_some_and(|spec| spec.class == Class::ENUM);
        let last = object.last.map(|last| EventWords {
            at: last.at,
            kind: self.record_kind(last.kind),
            item: last.item.filter(|item| !is_enum(item)).map_or_else(String::new, |item| self.bare_name(item)),
            warns: last.warns,
        });
        ObjectLine {
            key,
            kind,
            name: self.name(key),
            state: self.state(kind, object, capacity),
            is_unsure: table.is_unsure(object),
            since: (object.state != ObjectState::Unknown).then_some(object.since),
            last,
            level: object.level.map_or_else(String::new, |level| level_words(&level, capacity)),
            level_numbers: object.level,
            is_level_unsure: object.level.is_some_and(|level| table.is_level_unsure(&level)),
            fullness: object.level.map_or(u64::MAX, |level| fullness(&level)),
            permille: object.permille(table.now()).filter(|_| !table.is_unsure(object)),
            events: object.events,
        }
    }

    /// Name of an object, or its key as text, qualified by its task or core.
    pub fn name(&self, key: Key) -> String {
        let name = self.bare_name(key);
        match self.info.space(key.space).map(|spec| spec.scope_space).filter(|scope| *scope != NONE) {
            Some(space::CORES) if self.info.has_cores => format!("{name} core {}", key.scope),
            Some(owner) if owner != space::CORES => {
                format!("{}: {name}", self.bare_name(Key { space: owner, key: key.scope, scope: 0 }))
            }
            _ => name,
        }
    }

    /// Name of a key, or the key as text, without qualification.
    pub fn bare_name(&self, key: Key) -> String {
        if key.space == space::CORES {
            return format!("core {}", key.key);
        }
        if let Some(name) = (self.of_formats)(key) {
            return name;
        }
        let named = self.names.get(0, key.space, key.key, key.scope).filter(|name| !name.is_empty());
        let other = || match self.info.space(key.space) {
            Some(spec) if key.space != space::KINDS => key_word(Some(spec), key.key),
            _ => kind_name(self.info, RowKind(u16::try_from(key.key).unwrap_or(u16::MAX))),
        };
        named.map_or_else(other, sanitise)
    }

    /// Name of a key in the dictionary, or the key as text.
    pub fn name_or_key(&self, key: Key) -> String {
        let name = self.names.get(0, key.space, key.key, key.scope);
        name.map_or_else(|| key_word(self.info.space(key.space), key.key), sanitise)
    }

    /// The name that the target gave to a kind.
    pub fn given_kind(&self, kind: RowKind) -> Option<String> {
        given_name(&Row { kind, ..Row::default() }, self.names, 0).map(sanitise)
    }

    /// Kind of a record as shown in the list.
    pub fn record_kind(&self, kind: RowKind) -> String {
        self.given_kind(kind).unwrap_or_else(|| tag_of(self.info, kind))
    }

    /// Rank of an object by urgency, if known: the lower number runs first.
    pub fn urgency(&self, table: &ObjectTable, key: Key) -> Option<u64> {
        let reported = table.object(key).and_then(TrackedObject::urgency);
        let attr = || Some(self.attr(key, AttrId::PRIORITY)?.0);
        let is_key = || self.info.space(key.space).is_some_and(|space| space.key_format == KeyFormat::PRIORITY);
        reported.or_else(attr).or_else(|| is_key().then_some(!key.key))
    }

    /// The sort of an object. The target may say that a queue is a lock.
    pub fn kind(&self, key: Key, object: &TrackedObject) -> ObjectKind {
        let class = self.info.space(key.space).map_or(Class::OTHER, |spec: &SpaceInfo| spec.class);
        let kind = object.kind(class);
        let is_lock = kind == ObjectKind::Queue && class == Class::QUEUE && self.is_lock(key);
        if is_lock { ObjectKind::Lock } else { kind }
    }

    /// Whether the class of a key or the target says that it is a lock: a queue that is often full or empty in normal use.
    pub(in crate::analysis) fn is_lock(&self, key: Key) -> bool {
        let is_declared = self.info.space(key.space).is_some_and(|spec| spec.class == Class::LOCK);
        is_declared || self.attr(key, AttrId::KIND).is_some_and(|(kind, _)| kind == u64::from(Class::LOCK.0))
    }

    pub(in crate::analysis) fn attr(&self, key: Key, attr: AttrId) -> Option<(u64, &[u8])> {
        self.names.attr(0, key.space, key.key, key.scope, attr)
    }

    /// The number of elements that an object has room for, if the target said it.
    pub fn capacity(&self, key: Key) -> Option<u64> {
        self.attr(key, AttrId::CAPACITY).map(|(value, _)| value)
    }

    fn state(&self, kind: ObjectKind, object: &TrackedObject, capacity: Option<u64>) -> String {
        let (ObjectState::Level(_), Some(level)) = (object.state, object.level) else {
            return self.state_word(&object.state);
        };
        let free = level.free().filter(|free| Some(*free) == capacity.or(level.capacity));
        let is_unused = level.used() == Some(0) || free.is_some();
        match (kind, level.fill) {
            // An empty lock is taken.
            (ObjectKind::Lock, FillState::Empty | FillState::Count(0)) => self.held(level.by),
            (ObjectKind::Lock, _) => "free".to_owned(),
            // An empty pool would have no free elements.
            (ObjectKind::Pool, _) if is_unused => "unused".to_owned(),
            _ if is_unused => "empty".to_owned(),
            (_, FillState::Full) => "full".to_owned(),
            (_, FillState::Count(0)) if level.counts_free => "full".to_owned(),
            _ => "in use".to_owned(),
        }
    }

    /// A state as text; empty for a level.
    pub fn state_word(&self, state: &ObjectState) -> String {
        match *state {
            ObjectState::Unknown => UNKNOWN.to_owned(),
            ObjectState::Task(task) => self.task(&task),
            ObjectState::Machine(state) => self.bare_name(state),
            ObjectState::Held(by) => self.held(by),
            ObjectState::Free => "free".to_owned(),
            ObjectState::Armed { .. } => "armed".to_owned(),
            ObjectState::Disarmed => "disarmed".to_owned(),
            ObjectState::Inside(core) => self.on_core("active", core),
            ObjectState::Outside => "inactive".to_owned(),
            ObjectState::Begun => "begun".to_owned(),
            ObjectState::Ended => "ended".to_owned(),
            ObjectState::Value { bits, flags } if flags.contains(F::FLOAT) => f64::from_bits(bits).to_string(),
            ObjectState::Value { bits, flags } if flags.contains(F::SIGNED) => (bits as i64).to_string(),
            ObjectState::Value { bits, .. } => bits.to_string(),
            ObjectState::Runs(task) => self.name(task),
            ObjectState::Idle => "idle".to_owned(),
            ObjectState::Level(_) => String::new(),
        }
    }

    fn held(&self, by: Option<Key>) -> String {
        by.map_or_else(|| "taken".to_owned(), |by| format!("taken by {}", self.name(by)))
    }

    /// `running`, `blocked recv orders`
    fn task(&self, task: &TaskNow) -> String {
        let word = match task.doing {
            Doing::RUNNING => return self.on_core("running", task.core),
            Doing::READY => return "ready".to_owned(),
            Doing::DEAD => return "dead".to_owned(),
            Doing::SUSPENDED => return "suspended".to_owned(),
            Doing::STOPPED => return "stopped".to_owned(),
            Doing::BLOCKED => "blocked",
            Doing(number) => return format!("state {number}"),
        };
        let kind = || task.said_by.map(|kind| self.record_kind(kind)).filter(|kind| !kind.eq_ignore_ascii_case(word));
        let why = task.why.map(|why| self.bare_name(why)).or_else(kind);
        let on = task.on.map(|on| self.name(on));
        [Some(word.to_owned()), why, on].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn on_core(&self, word: &str, core: u16) -> String {
        if self.info.has_cores && core != NONE { format!("{word} on {core}") } else { word.to_owned() }
    }
}

/// `1/8, peak 2`; `free 7, min 5` if its size is unknown.
fn level_words(level: &Level, capacity: Option<u64>) -> String {
    let capacity = capacity.or(level.capacity);
    let peak = capacity.zip(level.fewest_free).and_then(|(capacity, free)| capacity.checked_sub(free));
    let fill = match level.fill {
        FillState::Count(count) => fill_words(count, level.counts_free, capacity),
        FillState::Empty => fill_words(0, false, capacity),
        FillState::Full => fill_words(0, true, capacity),
    };
    match (peak.max(level.most_used), level.fewest_free) {
        (Some(peak), _) => format!("{fill}, peak {peak}"),
        (None, Some(least)) if level.free().is_some() => format!("{fill}, min {least}"),
        // That nothing is used is its state.
        (None, Some(least)) => format!("min free {least}"),
        (None, None) => fill,
    }
}

/// `1/8`; `free 7` or `used 1` if the size is unknown.
pub fn fill_words(count: u64, counts_free: bool, capacity: Option<u64>) -> String {
    let used = capacity.and_then(|capacity| if counts_free { capacity.checked_sub(count) } else { Some(count) });
    match (used, capacity) {
        (Some(used), Some(capacity)) => format!("{used}/{capacity}"),
        _ => format!("{} {count}", if counts_free { "free" } else { "used" }),
    }
}

fn fullness(level: &Level) -> u64 {
    match (level.fill, level.counts_free) {
        (FillState::Full, _) => 0,
        (FillState::Count(free), true) => free,
        (FillState::Count(used), false) => u64::MAX / 2 - used.min(u64::MAX / 4),
        (FillState::Empty, _) => u64::MAX - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_how_much_of_the_size_is_in_use() {
        let level = |fill, counts_free, fewest_free| Level { fill, counts_free, fewest_free, ..Level::default() };
        let free = level(FillState::Count(7), true, Some(5));
        assert_eq!(level_words(&free, Some(8)), "1/8, peak 3");
        assert_eq!(level_words(&free, None), "free 7, min 5");
        let used = Level { most_used: Some(3), ..level(FillState::Count(1), false, None) };
        assert_eq!([level_words(&used, Some(8)), level_words(&used, None)], ["1/8, peak 3", "used 1, peak 3"]);
        let empty = Level { capacity: Some(4), ..level(FillState::Empty, true, Some(0)) };
        assert_eq!(level_words(&empty, None), "0/4, peak 4");
        assert_eq!(level_words(&level(FillState::Full, true, Some(0)), Some(8)), "8/8, peak 8");
        assert_eq!(level_words(&level(FillState::Empty, true, None), None), "used 0");
        // The dictionary may be wrong.
        assert_eq!(fill_words(9, true, Some(8)), "free 9");
    }
}
