//! What is known of the switches of a target's filter, from what it acknowledged, what it always sends, and what came.

use spytui_plugin_api::{
    FilterState, Info,
    info::{CommandInfo, FilterGroup, FilterRange, FilterTable},
    row::RowKind,
};

use super::{
    command::is_in,
    control::{CommandState, TargetStatus},
};
use crate::{
    present::words::{group_tag, wire_id},
    trace::session::{Decoding, KindSums},
};

/// The command that chooses what a target sends.
pub const FILTER: &str = "filter";

/// What is known of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The target sends it whatever is asked for.
    Always,
    /// On, as acknowledged.
    On,
    /// Off, as acknowledged.
    Off,
    /// On, as far as is known.
    AssumedOn,
    /// Off, as far as is known.
    AssumedOff,
    /// Nothing is known.
    Unknown,
}

/// How many switches are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SwitchCounts {
    /// Always on.
    pub always: u64,
    pub on: u64,
    pub off: u64,
    /// Assumed to be on.
    pub assumed_on: u64,
    /// Assumed to be off.
    pub assumed_off: u64,
    pub unknown: u64,
}

impl SwitchCounts {
    /// Adds so many switches in a state.
    pub fn add(&mut self, switch: Switch, count: u64) {
        let sum = match switch {
            Switch::Always => &mut self.always,
            Switch::On => &mut self.on,
            Switch::Off => &mut self.off,
            Switch::AssumedOn => &mut self.assumed_on,
            Switch::AssumedOff => &mut self.assumed_off,
            Switch::Unknown => &mut self.unknown,
        };
        *sum = sum.saturating_add(count);
    }

    pub fn one(switch: Switch) -> SwitchCounts {
        let mut counts = SwitchCounts::default();
        counts.add(switch, 1);
        counts
    }

    /// Switches that can be changed.
    pub fn changeable(&self) -> u64 {
        [self.on, self.off, self.assumed_on, self.assumed_off, self.unknown].into_iter().fold(0, u64::saturating_add)
    }
}

/// The switches of a table.
#[derive(Debug)]
pub struct Switches<'a> {
    pub(super) info: &'a Info,
    pub table: &'a FilterTable,
    /// In the order of their switches.
    states: Vec<&'a FilterState>,
    /// The numbers of the switches that are kinds, if all are.
    kinds: Option<Vec<u64>>,
    /// Those of which records came since the target started, if they are kinds.
    seen: Vec<u64>,
    /// The kinds that came.
    seen_kinds: &'a [RowKind],
}

impl<'a> Switches<'a> {
    /// Those of a table in these states; `seen`: the kinds that came since the target started.
    pub fn new(
        info: &'a Info,
        table: &'a FilterTable,
        states: &'a [FilterState],
        seen_kinds: &'a [RowKind],
    ) -> Switches<'a> {
        let mut own: Vec<&FilterState> = states.iter().filter(|state| state.table == table.id).collect();
        own.sort_by_key(|state| state.first);
        let kinds = table.is_kinds.then(|| kind_switches(info, table));
        let seen = seen_kinds.iter().filter(|_| table.is_kinds).map(|kind| switch_of(info, *kind)).collect();
        Switches { info, table, states: own, kinds, seen, seen_kinds }
    }

    /// Those that plain words of [`FILTER`] mean; `None` if targets of this decoder have no filter.
    pub fn of_filter(info: &'a Info, states: &'a [FilterState]) -> Option<Switches<'a>> {
        info.filters.iter().find(|table| is_of_filter(info, table)).map(|table| Switches::new(info, table, states, &[]))
    }

    /// Whether the target has acknowledged any of them.
    pub fn is_any_known(&self) -> bool {
        self.states.iter().any(|state| state.is_known)
    }

    pub fn at(&self, switch: u64) -> Switch {
        self.piece(switch, switch).0
    }

    /// The switches of a group that are kinds, one by one; `None` if the table is not one of kinds.
    pub fn kinds_of(&self, group: &FilterGroup) -> Option<Vec<u64>> {
        let kinds = self.kinds.as_ref()?;
        Some(kinds.iter().copied().filter(|switch| is_in(&group.ranges, *switch)).collect())
    }

    /// The states in a group.
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

    /// The state of a switch, and the last one up to `last` that has the same for the same reason.
    fn piece(&self, first: u64, last: u64) -> (Switch, u64) {
        let always = &self.table.always_on;
        if let Some(range) = always.iter().find(|range| (range.first..=range.last).contains(&first)) {
            return (Switch::Always, range.last.min(last));
        }
        let next_always = always.iter().map(|range| range.first).filter(|next| *next > first).min();
        let last = next_always.map_or(last, |next| last.min(next - 1));
        if let Some(state) = self.states.iter().find(|state| (state.first..=state.last).contains(&first)) {
            let switch = match (state.is_on, state.is_known) {
                (true, true) => Switch::On,
                (false, true) => Switch::Off,
                (true, false) => Switch::AssumedOn,
                (false, false) => Switch::AssumedOff,
            };
            return (switch, state.last.min(last));
        }
        let next_state = self.states.iter().map(|state| state.first).filter(|next| *next > first).min();
        let last = next_state.map_or(last, |next| last.min(next - 1));
        if self.seen.is_empty() {
            return (Switch::Unknown, last);
        }
        // What comes is on.
        (if self.seen.contains(&first) { Switch::AssumedOn } else { Switch::Unknown }, first)
    }

    /// The states that are off as acknowledged.
    pub fn off(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.states.iter().filter(|state| !state.is_on && state.is_known).map(|state| (state.first, state.last))
    }

    /// Records and bytes of a group; `None` if its switches don't say which records are meant.
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

    /// The group that has a kind: the one that lists call the kind's group, else the smallest; `None` if it is always
    /// sent.
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

    /// Whether records of a group came since the target started.
    pub fn is_seen(&self, group: &FilterGroup) -> bool {
        let came =
            |kind: &RowKind| self.info.kind(*kind).is_some_and(|kind| group_tag(self.info, kind.group) == group.name);
        self.is_of_records(group) && self.seen_kinds.iter().any(came)
    }

    /// Whether a group of a table that is not one of kinds is called like a group of records.
    fn is_of_records(&self, group: &FilterGroup) -> bool {
        is_of_filter(self.info, self.table) && self.info.groups.iter().any(|of| of.tag == group.name)
    }

    /// Records and bytes of a switch that is a kind.
    pub fn sums_at(&self, switch: u64, sums: &KindSums) -> (u64, u64) {
        let own = sums.iter().filter(|(kind, _)| switch_of(self.info, **kind) == switch);
        own.fold((0, 0), |sum, (_, (records, bytes))| (sum.0 + records, sum.1 + bytes))
    }
}

/// The command that a table is part of.
pub fn command_of<'a>(info: &'a Info, table: &FilterTable) -> Option<&'a CommandInfo> {
    info.commands.iter().find(|command| command.id == table.command)
}

/// Whether a table is part of [`FILTER`].
pub(super) fn is_of_filter(info: &Info, table: &FilterTable) -> bool {
    command_of(info, table).is_some_and(|command| command.name == FILTER)
}

/// Whether the last change of the filter may have been made or not.
pub fn is_doubtful(info: &Info, status: &TargetStatus) -> bool {
    let changes = |name: &str| info.filters.iter().any(|of| command_of(info, of).is_some_and(|of| of.name == name));
    let last = status.commands.iter().rev().find(|command| changes(&command.name));
    last.is_some_and(|last| matches!(last.state, CommandState::TimedOut(_)))
}

/// The kinds that came since the target started. None after a filter without an answer: the target may send something
/// else since then.
pub fn seen(decoding: &Decoding, status: &TargetStatus) -> Vec<RowKind> {
    match is_doubtful(&decoding.decoder.info, status) {
        true => Vec::new(),
        false => decoding.read().kinds_seen(),
    }
}

/// The switch of a kind, in tables of kinds.
pub fn switch_of(info: &Info, kind: RowKind) -> u64 {
    wire_id(info, kind).into()
}

/// The kind of a switch, the one that came if several have its number.
pub fn kind_of(info: &Info, switch: u64, sums: &KindSums) -> Option<RowKind> {
    let came = sums.keys().copied().find(|kind| switch_of(info, *kind) == switch);
    came.or_else(|| kinds(info).find(|kind| switch_of(info, *kind) == switch))
}

/// All kinds of records of a decoder.
fn kinds(info: &Info) -> impl Iterator<Item = RowKind> + '_ {
    let ranges = info.kinds.iter().filter(|kind| !kind.first.is_note());
    ranges.flat_map(|kind| (kind.first.0..=kind.last.0).map(RowKind))
}

/// The switches of a table of kinds that are kinds, in order.
fn kind_switches(info: &Info, table: &FilterTable) -> Vec<u64> {
    let in_table = |switch: &u64| (table.min..=table.max).contains(switch);
    let mut switches: Vec<u64> = kinds(info).map(|kind| switch_of(info, kind)).filter(in_table).collect();
    switches.sort_unstable();
    switches.dedup();
    switches
}

/// Whether a group is made of others, as that of everything.
fn is_made_of_others(table: &FilterTable, group: &FilterGroup) -> bool {
    let has_range = |range: &FilterRange| is_in(&group.ranges, range.first) && is_in(&group.ranges, range.last);
    let has = |other: &FilterGroup| other.ranges.iter().all(has_range);
    table.groups.iter().any(|other| other.name != group.name && has(other))
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
        let switches = Switches::new(&info, &table, &states, &[]);
        let counts = switches.count(&FilterGroup::new("A", "", &[(2, 24), (80, 110)]));
        let expected = SwitchCounts { always: 12, on: 6, off: 5, assumed_on: 21, unknown: 10, assumed_off: 0 };
        assert_eq!(counts, expected);
        assert_eq!(counts.changeable(), 42);
        let all = switches.count(&FilterGroup::new("ALL", "", &[(0, u64::MAX)]));
        assert_eq!((all.on, all.off, all.always), (8, 10, 12));
    }
}
