//! The switches of a target's filter: known states and words.

use spytui_plugin_api::{
    FilterState, Info, NONE, Row,
    batch::AttrId,
    info::{CommandInfo, FilterGroup, FilterRange, FilterTable},
    row::{RowFlags, RowKind},
};

use super::{
    command::{is_in, parse, range_word, table_word},
    control::{CommandState, TargetStatus},
};
use crate::{
    present::{
        sanitise,
        words::{group_tag, kind_name, quoted, tag_of, wire_id},
    },
    store::{Dictionary, dictionary::newest},
    trace::session::{Decoding, KindSums},
};

/// The command that selects what a target sends.
pub const FILTER: &str = "filter";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchState {
    /// Sent whatever the filter says.
    Always,
    /// Acknowledged as on.
    On,
    /// Off, as acknowledged.
    Off,
    /// Probably on.
    AssumedOn,
    /// Probably off.
    AssumedOff,
    Unknown,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SwitchCounts {
    pub always: u64,
    pub on: u64,
    pub off: u64,
    pub assumed_on: u64,
    pub assumed_off: u64,
    pub unknown: u64,
}

impl SwitchCounts {
    pub fn add(&mut self, switch: SwitchState, count: u64) {
        let sum = match switch {
            SwitchState::Always => &mut self.always,
            SwitchState::On => &mut self.on,
            SwitchState::Off => &mut self.off,
            SwitchState::AssumedOn => &mut self.assumed_on,
            SwitchState::AssumedOff => &mut self.assumed_off,
            SwitchState::Unknown => &mut self.unknown,
        };
        *sum = sum.saturating_add(count);
    }

    /// Switches that can be changed.
    pub fn changeable(&self) -> u64 {
        [self.on, self.off, self.assumed_on, self.assumed_off, self.unknown].into_iter().fold(0, u64::saturating_add)
    }
}

#[derive(Debug)]
pub struct SwitchStates<'a> {
    pub(super) info: &'a Info,
    pub table: &'a FilterTable,
    /// Sorted by switch.
    states: Vec<&'a FilterState>,
    /// The switches that are kinds, if all are.
    kinds: Option<Vec<u64>>,
    /// Kinds received since the target started, as switches.
    seen: Vec<u64>,
    seen_kinds: &'a [RowKind],
}

impl<'a> SwitchStates<'a> {
    pub fn new(
        info: &'a Info,
        table: &'a FilterTable,
        states: &'a [FilterState],
        seen_kinds: &'a [RowKind],
    ) -> SwitchStates<'a> {
        let mut own: Vec<&FilterState> = states.iter().filter(|state| state.table == table.id).collect();
        own.sort_by_key(|state| state.first);
        let kinds = table.is_kinds.then(|| kind_switches(info, table));
        let seen = seen_kinds.iter().filter(|_| table.is_kinds).map(|kind| switch_of(info, *kind)).collect();
        SwitchStates { info, table, states: own, kinds, seen, seen_kinds }
    }

    /// The switches that plain words of [`FILTER`] mean; `None` if targets of this decoder have no filter.
    pub fn of_filter(info: &'a Info, states: &'a [FilterState]) -> Option<SwitchStates<'a>> {
        info.filters
            .iter()
            .find(|table| is_of_filter(info, table))
            .map(|table| SwitchStates::new(info, table, states, &[]))
    }

    /// Whether the target has acknowledged any of them.
    pub fn is_any_known(&self) -> bool {
        self.states.iter().any(|state| state.is_known)
    }

    pub fn at(&self, switch: u64) -> SwitchState {
        self.piece(switch, switch).0
    }

    /// The switches of a group that are kinds; `None` if the table is not one of kinds.
    pub fn kinds_of(&self, group: &FilterGroup) -> Option<Vec<u64>> {
        let kinds = self.kinds.as_ref()?;
        Some(kinds.iter().copied().filter(|switch| is_in(&group.ranges, *switch)).collect())
    }

    pub fn count(&self, group: &FilterGroup) -> SwitchCounts {
        let mut counts = SwitchCounts::default();
        match self.kinds_of(group) {
            Some(kinds) => kinds.iter().for_each(|switch| counts.add(self.at(*switch), 1)),
            None => group.ranges.iter().for_each(|range| self.count_range(range, &mut counts)),
        }
        counts
    }

    fn count_range(&self, range: &FilterRange, counts: &mut SwitchCounts) {
        let mut next = Some(range.first);
        while let Some(first) = next.filter(|first| *first <= range.last) {
            let (switch, last) = self.piece(first, range.last);
            counts.add(switch, (last - first).saturating_add(1));
            next = last.checked_add(1);
        }
    }

    /// The state of a switch, and the last switch up to `last` with the same state and origin.
    fn piece(&self, first: u64, last: u64) -> (SwitchState, u64) {
        let always = &self.table.always_on;
        if let Some(range) = always.iter().find(|range| (range.first..=range.last).contains(&first)) {
            return (SwitchState::Always, range.last.min(last));
        }
        let next_always = always.iter().map(|range| range.first).filter(|next| *next > first).min();
        let last = next_always.map_or(last, |next| last.min(next - 1));
        if let Some(state) = self.states.iter().find(|state| (state.first..=state.last).contains(&first)) {
            let switch = match (state.is_on, state.is_known) {
                (true, true) => SwitchState::On,
                (false, true) => SwitchState::Off,
                (true, false) => SwitchState::AssumedOn,
                (false, false) => SwitchState::AssumedOff,
            };
            return (switch, state.last.min(last));
        }
        let next_state = self.states.iter().map(|state| state.first).filter(|next| *next > first).min();
        let last = next_state.map_or(last, |next| last.min(next - 1));
        if self.seen.is_empty() {
            return (SwitchState::Unknown, last);
        }
        // A received kind is on.
        (if self.seen.contains(&first) { SwitchState::AssumedOn } else { SwitchState::Unknown }, first)
    }

    /// Switches that are off as acknowledged.
    pub fn off(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.states.iter().filter(|state| !state.is_on && state.is_known).map(|state| (state.first, state.last))
    }

    /// Records and bytes of a group; `None` if its switches don't identify records.
    pub fn sums_of(&self, group: &FilterGroup, sums: &KindSums) -> Option<(u64, u64)> {
        let is_own = |kind: RowKind| match self.table.is_kinds {
            true => is_in(&group.ranges, switch_of(self.info, kind)),
            false => self.info.kind(kind).is_some_and(|kind| group_tag(self.info, kind.group) == group.name),
        };
        if !self.table.is_kinds && !self.is_of_records(group) {
            return None;
        }
        let own = sums.iter().filter(|(kind, _)| is_own(**kind));
        Some(own.fold((0, 0), |sum, (_, (records, bytes))| (sum.0 + records, sum.1 + bytes)))
    }

    /// The group of a kind: its own in lists, otherwise the smallest; `None` if it is always sent.
    pub fn group_of(&self, kind: RowKind) -> Option<&'a FilterGroup> {
        let table = self.table;
        let tag = group_tag(self.info, self.info.kind(kind)?.group);
        let is_called = |group: &&FilterGroup| group.name == tag;
        if !table.is_kinds {
            let can_be_off =
                |group: &&FilterGroup| !group.ranges.iter().all(|range| is_in(&table.always_on, range.first));
            return table.groups.iter().find(|group| is_called(group) && can_be_off(group));
        }
        let switch = switch_of(self.info, kind);
        let has_kind = |group: &&FilterGroup| is_in(&group.ranges, switch) && !is_made_of_others(table, group);
        let groups = || table.groups.iter().filter(|_| !is_in(&table.always_on, switch)).filter(has_kind);
        let size = |group: &&FilterGroup| {
            group.ranges.iter().map(|range| range.last - range.first).fold(0, u64::saturating_add)
        };
        groups().find(is_called).or_else(|| groups().min_by_key(size))
    }

    /// Whether records of a group arrived since the target started.
    pub fn is_seen(&self, group: &FilterGroup) -> bool {
        let came =
            |kind: &RowKind| self.info.kind(*kind).is_some_and(|kind| group_tag(self.info, kind.group) == group.name);
        self.is_of_records(group) && self.seen_kinds.iter().any(came)
    }

    /// Whether a group in a table other than kinds has the name of a group of records.
    fn is_of_records(&self, group: &FilterGroup) -> bool {
        is_of_filter(self.info, self.table) && self.info.groups.iter().any(|of| of.tag == group.name)
    }

    pub fn sums_at(&self, switch: u64, sums: &KindSums) -> (u64, u64) {
        let own = sums.iter().filter(|(kind, _)| switch_of(self.info, **kind) == switch);
        own.fold((0, 0), |sum, (_, (records, bytes))| (sum.0 + records, sum.1 + bytes))
    }
}

pub fn command_of<'a>(info: &'a Info, table: &FilterTable) -> Option<&'a CommandInfo> {
    info.commands.iter().find(|command| command.id == table.command)
}

fn is_of_filter(info: &Info, table: &FilterTable) -> bool {
    command_of(info, table).is_some_and(|command| command.name == FILTER)
}

/// Whether it is unknown if the last change of the filter was made.
pub fn is_doubtful(info: &Info, status: &TargetStatus) -> bool {
    let changes = |name: &str| info.filters.iter().any(|of| command_of(info, of).is_some_and(|of| of.name == name));
    let last = status.commands.iter().rev().find(|command| changes(&command.name));
    last.is_some_and(|last| matches!(last.state, CommandState::TimedOut(_)))
}

/// Kinds received since the target started; none after an unanswered filter command, which may have changed them.
pub fn seen(decoding: &Decoding, status: &TargetStatus) -> Vec<RowKind> {
    match is_doubtful(&decoding.decoder.info, status) {
        true => Vec::new(),
        false => decoding.read().kinds_seen(),
    }
}

pub fn switch_of(info: &Info, kind: RowKind) -> u64 {
    wire_id(info, kind).into()
}

/// The kind of a switch; if several have its number, the one received.
pub fn kind_of(info: &Info, switch: u64, sums: &KindSums) -> Option<RowKind> {
    let came = sums.keys().copied().find(|kind| switch_of(info, *kind) == switch);
    came.or_else(|| kinds(info).find(|kind| switch_of(info, *kind) == switch))
}

fn kinds(info: &Info) -> impl Iterator<Item = RowKind> + '_ {
    let ranges = info.kinds.iter().filter(|kind| !kind.first.is_note());
    ranges.flat_map(|kind| (kind.first.0..=kind.last.0).map(RowKind))
}

/// The switches in a table of kinds that are kinds, in order.
fn kind_switches(info: &Info, table: &FilterTable) -> Vec<u64> {
    let in_table = |switch: &u64| (table.min..=table.max).contains(switch);
    let mut switches: Vec<u64> = kinds(info).map(|kind| switch_of(info, kind)).filter(in_table).collect();
    switches.sort_unstable();
    switches.dedup();
    switches
}

/// Whether a group consists of other groups, such as "everything".
fn is_made_of_others(table: &FilterTable, group: &FilterGroup) -> bool {
    let has_range = |range: &FilterRange| is_in(&group.ranges, range.first) && is_in(&group.ranges, range.last);
    let has = |other: &FilterGroup| other.ranges.iter().all(has_range);
    table.groups.iter().any(|other| other.name != group.name && has(other))
}

/// What the filter of a target suppresses, as far as known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Masked {
    /// No filter, or no way to set it.
    NoFilter,
    /// As at the start: nothing received before is off.
    Inferred,
    Nothing,
    Off(Vec<String>),
    Unknown,
    /// Unknown since a reset; the earlier filter can be sent again.
    Lost,
}

impl Masked {
    /// `is_two_way` = the link can send to the target, up or down.
    pub fn of(decoding: &Decoding, status: &TargetStatus, is_two_way: bool) -> Masked {
        let info = &decoding.decoder.info;
        if info.filters.is_empty() {
            return Masked::NoFilter;
        }
        if status.filter.iter().any(|state| state.is_known) {
            return of_states(info, decoding, status);
        }
        if !is_two_way {
            return Masked::NoFilter;
        }
        if !status.forgotten.is_empty() {
            return Masked::Lost;
        }
        let was_reset = decoding.read().dictionary.epochs() > 1;
        if was_reset || is_doubtful(info, status) { Masked::Unknown } else { Masked::Inferred }
    }
}

fn of_states(info: &Info, decoding: &Decoding, status: &TargetStatus) -> Masked {
    let seen = seen(decoding, status);
    let states: &[FilterState] = &status.filter;
    let tables: Vec<SwitchStates<'_>> =
        info.filters.iter().map(|table| SwitchStates::new(info, table, states, &seen)).collect();
    let state = decoding.read();
    let sums = state.kind_sums();
    let words = tables.iter().flat_map(|switches| words(info, switches, &sums, &state.dictionary));
    let words: Vec<String> = words.collect();
    let is_known = tables.iter().filter(|switches| switches.table.is_kinds).all(SwitchStates::is_any_known);
    let is_any_off = tables.iter().any(|switches| switches.off().next().is_some());
    match words.is_empty() {
        false => Masked::Off(words),
        // What never arrived is no loss.
        true if is_any_off || !is_known => Masked::Inferred,
        true => Masked::Nothing,
    }
}

/// What is off in a table: groups and single kinds of what arrived before, then groups never seen, then the number of
/// kinds never seen in other groups.
fn words(info: &Info, switches: &SwitchStates<'_>, sums: &KindSums, dictionary: &Dictionary) -> Vec<String> {
    let table = switches.table;
    if !table.is_kinds {
        return others(info, switches, dictionary);
    }
    let all = table.groups.iter().max_by_key(|group| switches.kinds_of(group).map_or(0, |kinds| kinds.len()));
    let came = |switch: &u64| switches.sums_at(*switch, sums).0 > 0;
    let is_off = |switch: &u64| switches.at(*switch) == SwitchState::Off;
    let kinds = all.and_then(|all| switches.kinds_of(all)).unwrap_or_default();
    let mut left: Vec<u64> = kinds.into_iter().filter(|switch| is_off(switch) && came(switch)).collect();
    let mut groups: Vec<_> = table.groups.iter().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(switches.kinds_of(group).map_or(0, |kinds| kinds.len())));
    let is_whole = |group: &&&FilterGroup| {
        let own = switches.kinds_of(group).unwrap_or_default();
        own.iter().any(is_off) && own.iter().all(|s| matches!(switches.at(*s), SwitchState::Off | SwitchState::Always))
    };
    let whole: Vec<&&FilterGroup> = groups.iter().filter(is_whole).collect();
    let (mut words, mut named) = (Vec::new(), Vec::new());
    for group in &whole {
        if left.iter().any(|switch| is_in(&group.ranges, *switch)) {
            left.retain(|switch| !is_in(&group.ranges, *switch));
            words.push(group.name.to_string());
            named.extend(group.ranges.iter().copied());
        }
    }
    let kind = |switch: u64| kind_of(info, switch, sums).map_or_else(|| switch.to_string(), |kind| tag_of(info, kind));
    words.extend(left.into_iter().map(kind));
    let is_silent = |group: &&&FilterGroup| {
        let own = switches.kinds_of(group).unwrap_or_default();
        own.iter().any(is_off) && !own.iter().any(came)
    };
    for group in groups.iter().filter(is_silent) {
        if !group.ranges.iter().any(|range| is_in(&named, range.first)) {
            words.push(group.name.to_string());
            named.extend(group.ranges.iter().copied());
        }
    }
    let is_rare = |switch: &u64| is_off(switch) && !came(switch);
    for group in groups.iter().rev() {
        let own = switches.kinds_of(group).unwrap_or_default();
        let rare: Vec<u64> = own.into_iter().filter(|s| is_rare(s) && !is_in(&named, *s)).collect();
        if !rare.is_empty() {
            let is_rest = all.is_some_and(|all| all.name == group.name) && !words.is_empty();
            words.push(match is_rest {
                true => format!("{} others", rare.len()),
                false => format!("{} of {}", rare.len(), group.name),
            });
            named.extend(rare.into_iter().map(|switch| FilterRange { first: switch, last: switch }));
        }
    }
    words
}

/// What is off in a table of objects and the like.
fn others(info: &Info, switches: &SwitchStates<'_>, dictionary: &Dictionary) -> Vec<String> {
    let table = switches.table;
    let counted = table.groups.iter().map(|group| (group, switches.count(group)));
    let mut whole: Vec<_> = counted.filter(|(_, counts)| counts.off > 0 && counts.off == counts.changeable()).collect();
    whole.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.off));
    let (mut words, mut named) = (Vec::new(), Vec::new());
    for (group, _) in whole {
        if !group.ranges.iter().all(|range| is_in(&named, range.first) && is_in(&named, range.last)) {
            named.extend(group.ranges.iter().copied());
            words.push(prefixed(info, table, &group.name));
        }
    }
    if words.is_empty() {
        words = names_off(switches, dictionary);
    }
    let off: u64 = switches.off().map(|(first, last)| (last - first).saturating_add(1)).fold(0, u64::saturating_add);
    if words.is_empty() && off > 0 {
        words.push(format!("{off} of {}", table.title));
    }
    words
}

/// Names of single switches that are off. A target may also know an object by a number without a name.
fn names_off(switches: &SwitchStates<'_>, dictionary: &Dictionary) -> Vec<String> {
    let off: Vec<u64> = switches.off().filter(|(first, last)| first == last).map(|(first, _)| first).collect();
    let space = switches.table.space;
    let own = dictionary.of_space(space).filter(|(key, ..)| off.contains(key));
    let named = own.filter_map(|(_, _, names)| newest(names));
    let mut names: Vec<String> = named.map(|named| sanitise(dictionary.short(space, named))).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A word of a table, preceded by its command unless plain words mean that table.
fn prefixed(info: &Info, table: &FilterTable, word: &str) -> String {
    match command_of(info, table) {
        Some(command) if table.word.is_empty() && command.name != FILTER => format!("{} {word}", command.name),
        _ => table_word(table, word),
    }
}

/// The attribute of a record that a filter word refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    Kind,
    Group,
    Object,
    Signal,
}

/// The word for a switch, without a sign: its name if unique, otherwise its number.
pub fn switch_word(info: &Info, dictionary: &Dictionary, table: &FilterTable, switch: u64) -> String {
    let kind = kind_of(info, switch, &KindSums::new()).filter(|_| table.is_kinds);
    let names = [switch_name(info, dictionary, table, switch), kind.map(|kind| kind_name(info, kind))];
    let mut words = names.into_iter().flatten().map(|name| table_word(table, &quoted(name)));
    let word = words.find(|word| means(info, dictionary, table, word) == [(switch, switch)]);
    word.unwrap_or_else(|| range_word(table, (switch, switch)))
}

/// The name of a switch: from the target, otherwise the decoder's tag of a kind.
pub fn switch_name(info: &Info, dictionary: &Dictionary, table: &FilterTable, switch: u64) -> Option<String> {
    let kind = kind_of(info, switch, &KindSums::new()).filter(|_| table.is_kinds);
    let key = kind.map_or(switch, |kind| kind.0.into());
    let given = newest(dictionary.names(table.space, key, 0)).filter(|_| table.space != NONE);
    let given = given.and_then(|named| named.text.as_deref());
    given.map(|text| String::from_utf8_lossy(text).into_owned()).or_else(|| kind.map(|kind| tag_of(info, kind)))
}

fn means(info: &Info, dictionary: &Dictionary, table: &FilterTable, word: &str) -> Vec<(u64, u64)> {
    let Some(command) = command_of(info, table) else { return Vec::new() };
    let parsed = parse(&format!("{} -{word}", command.name), info, dictionary);
    let Ok(parsed) = parsed else { return Vec::new() };
    let of_table = parsed.filter.iter().filter(|op| op.table == table.id && op.group == NONE);
    of_table.map(|op| (op.first, op.last)).collect()
}

/// The filter command and its word for an attribute of a record.
pub fn of_row(info: &Info, dictionary: &Dictionary, row: &Row, about: About) -> Result<(String, String), String> {
    let switch = switch_of(info, row.kind);
    let is_always_on = of_kinds(info).is_some_and(|table| is_in(&table.always_on, switch));
    if is_always_on && matches!(about, About::Kind | About::Group) {
        return Err("the target always sends this kind".to_owned());
    }
    let found = match about {
        About::Kind => of_kinds(info).map(|table| (table, switch_word(info, dictionary, table, switch))),
        About::Group => group(info, row),
        About::Object => object(info, dictionary, row),
        About::Signal => signal(info, dictionary, row),
    };
    let (table, word) = found.ok_or_else(|| refusal(info, row, about))?;
    if about == About::Object && table.has_objects_of(row.group) == Some(false) {
        return Err(format!("the target switches {} only; - o hides this object here", table.title));
    }
    let command = command_of(info, table).map_or_else(String::new, |command| command.name.to_string());
    Ok((command, word))
}

/// The table of kinds that plain words mean.
fn of_kinds(info: &Info) -> Option<&FilterTable> {
    info.filters.iter().find(|table| table.is_kinds && table.word.is_empty())
}

/// The group of the row's kind, in the first table that has one.
fn group<'a>(info: &'a Info, row: &Row) -> Option<(&'a FilterTable, String)> {
    let tables = info.filters.iter().filter(|table| is_of_filter(info, table) && table.min <= table.max);
    let group = |table: &'a FilterTable| -> Option<(&'a FilterTable, &'a FilterGroup)> {
        Some((table, SwitchStates::new(info, table, &[], &[]).group_of(row.kind)?))
    };
    tables.filter_map(group).next().map(|(table, group)| (table, table_word(table, &group.name)))
}

/// The object of the row, otherwise its owner, such as the process of a thread.
fn object<'a>(info: &'a Info, dictionary: &Dictionary, row: &Row) -> Option<(&'a FilterTable, String)> {
    let space = info.kind(row.kind).map(|kind| kind.obj_space)?;
    if !row.flags.contains(RowFlags::HAS_OBJECT) {
        return None;
    }
    if let Some(table) = of_space(info, space) {
        return Some((table, switch_word(info, dictionary, table, row.obj)));
    }
    let parent = dictionary.attr(space, row.obj, 0, AttrId::PARENT)?;
    let table = of_space(info, parent.val_space)?;
    Some((table, switch_word(info, dictionary, table, parent.val)))
}

fn signal<'a>(info: &'a Info, dictionary: &Dictionary, row: &Row) -> Option<(&'a FilterTable, String)> {
    let space = info.kind(row.kind).map(|kind| kind.item_space)?;
    let table = of_space(info, space).filter(|_| row.flags.contains(RowFlags::HAS_ITEM))?;
    Some((table, switch_word(info, dictionary, table, row.item)))
}

/// The table of single names of a space.
fn of_space(info: &Info, space: u16) -> Option<&FilterTable> {
    info.filters.iter().find(|table| space != NONE && table.space == space && !table.is_kinds)
}

fn refusal(info: &Info, row: &Row, about: About) -> String {
    let (what, has) = match about {
        About::Kind => ("kind", true),
        About::Group => ("group", true),
        About::Object => ("object", row.flags.contains(RowFlags::HAS_OBJECT)),
        About::Signal => ("signal", row.flags.contains(RowFlags::HAS_ITEM)),
    };
    if info.filters.is_empty() {
        return format!("{} has no filter on the target; - hides rows here", info.title);
    }
    if has { format!("{} has no filter by this {what}", info.title) } else { format!("this row has no {what}") }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::info::filter_ranges;

    use super::*;

    fn state(first: u64, last: u64, is_on: bool, is_known: bool) -> FilterState {
        FilterState { table: 0, is_on, is_known, first, last }
    }

    #[test]
    fn every_switch_of_a_group_is_counted_once() {
        let info = Info::default();
        let table =
            FilterTable { max: u64::MAX, always_on: filter_ranges(&[(4, 5), (90, 99)]), ..FilterTable::default() };
        let states = [state(20, 29, false, true), state(0, 9, true, true), state(60, 200, true, false)];
        let switches = SwitchStates::new(&info, &table, &states, &[]);
        let counts = switches.count(&FilterGroup::new("A", "", &[(2, 24), (80, 110)]));
        let expected = SwitchCounts { always: 12, on: 6, off: 5, assumed_on: 21, unknown: 10, assumed_off: 0 };
        assert_eq!(counts, expected);
        assert_eq!(counts.changeable(), 42);
        let all = switches.count(&FilterGroup::new("ALL", "", &[(0, u64::MAX)]));
        assert_eq!((all.on, all.off, all.always), (8, 10, 12));
    }
}
