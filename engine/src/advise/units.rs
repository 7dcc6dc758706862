//! What can be switched off in a target by one word, and what that saves.

use spytui_plugin_api::{
    FilterOp, FilterOpKind, FilterState, Info, NONE, RowKind,
    info::{FilterGroup, FilterRange, FilterTable, KindInfo, Worth},
    row::Severity,
};

use super::{made::Sent, traffic::KindCount};
use crate::{command::parse, store::Dictionary};

/// The command that chooses what the target sends.
pub(super) const FILTER: &str = "filter";

/// A group of switches, and what of the traffic it lets through.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    /// Word on the command line.
    pub(super) word: String,
    pub(super) title: &'a str,
    pub(super) worth: Worth,
    /// Switches with bytes, most bytes first; empty if there are none for single kinds.
    pub(super) kinds: Vec<(u64, u64)>,
    /// Bytes of all of them.
    pub(super) bytes: u64,
    /// Switches of the group that report what is wrong: they stay on.
    pub(super) reports: Vec<u64>,
}

/// The filter of a decoder's targets.
pub(super) struct Switches<'a> {
    info: &'a Info,
    /// The table that plain words mean.
    table: &'a FilterTable,
    /// What is known of the target's switches.
    known: &'a [FilterState],
}

impl<'a> Switches<'a> {
    /// `None` if targets of this decoder have no filter.
    pub(super) fn new(info: &'a Info, known: &'a [FilterState]) -> Option<Switches<'a>> {
        let command = info.commands.iter().find(|command| command.name == FILTER)?;
        let table = info.filters.iter().find(|table| table.command == command.id)?;
        Some(Switches { info, table, known })
    }

    /// The groups with some of these records.
    pub(super) fn units(&self, counts: &[KindCount]) -> Vec<Unit<'a>> {
        let table = self.table;
        let mut units = Vec::new();
        for (index, group) in table.groups.iter().enumerate() {
            let own = counts.iter().filter(|count| self.group_of(count.kind) == Some(index));
            let own: Vec<&KindCount> = own.filter(|count| !self.is_a_report(count.kind)).collect();
            let mut kinds: Vec<(u64, u64)> = own.iter().map(|count| (self.switch(count.kind), count.bytes)).collect();
            let bytes = kinds.iter().map(|(_, bytes)| bytes).sum();
            if bytes == 0 {
                continue;
            }
            kinds.sort_unstable_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
            units.push(Unit {
                word: group.name.to_string(),
                title: &group.title,
                worth: group.worth(),
                kinds: if table.is_kinds { kinds } else { Vec::new() },
                bytes,
                reports: self.reports(group),
            });
        }
        units
    }

    /// Word of the group that has a kind, and its name for display; `None` if it is always sent.
    pub(super) fn word_of(&self, kind: RowKind) -> Option<(&'a str, &'a str)> {
        let group = self.table.groups.get(self.group_of(kind)?)?;
        Some((&group.name, &group.title))
    }

    /// The group that has a kind: the one that lists call the kind's group, else the smallest.
    fn group_of(&self, kind: RowKind) -> Option<usize> {
        let table = self.table;
        let group = self.info.group(self.info.kind(kind)?.group);
        let is_called = |filter: &FilterGroup| group.is_some_and(|group| group.tag == filter.name);
        let can_be_off =
            |filter: &FilterGroup| !filter.ranges.iter().all(|range| covers(&table.always_on, range.first));
        if !table.is_kinds {
            return table.groups.iter().position(|filter| is_called(filter) && can_be_off(filter));
        }
        let switch = self.switch(kind);
        if covers(&table.always_on, switch) {
            return None;
        }
        let has = |filter: &FilterGroup| covers(&filter.ranges, switch);
        let size = |filter: &FilterGroup| filter.ranges.iter().map(|range| range.last - range.first + 1).sum::<u64>();
        let groups =
            || table.groups.iter().enumerate().filter(|(_, filter)| has(filter) && !has_another(table, filter));
        let called = groups().find(|(_, filter)| is_called(filter));
        called.or_else(|| groups().min_by_key(|(_, filter)| size(filter))).map(|(index, _)| index)
    }

    /// The switch of a kind.
    fn switch(&self, kind: RowKind) -> u64 {
        let of = |info: &KindInfo| u64::from(info.wire_id) + u64::from(kind.0 - info.first.0);
        self.info.kind(kind).map_or(kind.0.into(), of)
    }

    fn is_a_report(&self, kind: RowKind) -> bool {
        self.info.kind(kind).is_some_and(|kind| kind.severity >= Severity::WARNING)
    }

    /// How the filter treats a kind.
    pub(super) fn sent(&self, kind: RowKind) -> Sent {
        let Some(group) = self.group_of(kind) else { return Sent::Always };
        let switch = self.table.groups.get(group).and_then(|group| group.ranges.first()).map(|range| range.first);
        let switch = if self.table.is_kinds { Some(self.switch(kind)) } else { switch };
        if switch.is_some_and(|switch| self.is_off(switch)) { Sent::NoMore } else { Sent::Now }
    }

    fn is_off(&self, switch: u64) -> bool {
        let of = |state: &FilterState| state.table == self.table.id && (state.first..=state.last).contains(&switch);
        self.known.iter().any(|state| of(state) && state.is_known && !state.is_on)
    }

    /// The switches of a group that report what is wrong, and are not off.
    fn reports(&self, group: &FilterGroup) -> Vec<u64> {
        let table = self.table;
        if !table.is_kinds {
            return Vec::new();
        }
        let kinds = self.info.kinds.iter().filter(|kind| kind.severity >= Severity::WARNING && kind.first == kind.last);
        let mut switches: Vec<u64> = kinds.map(|kind| kind.wire_id.into()).collect();
        switches.retain(|switch| covers(&group.ranges, *switch) && !covers(&table.always_on, *switch));
        switches.retain(|switch| !self.is_off(*switch));
        switches.sort_unstable();
        switches.dedup();
        switches
    }

    /// What a switch is called on the command line: as the kind is, where nothing else is called so.
    pub(super) fn word(&self, switch: u64, dictionary: &Dictionary) -> String {
        let kinds = self.info.kinds.iter().filter(|kind| kind.first == kind.last && u64::from(kind.wire_id) == switch);
        let is_meant = |word: &&str| {
            let parsed = parse(&format!("{FILTER} -{word}"), self.info, dictionary);
            let wanted =
                |op: &FilterOp| (op.kind, op.group, op.first, op.last) == (FilterOpKind::OFF, NONE, switch, switch);
            parsed.is_ok_and(|parsed| matches!(parsed.filter(), [op] if wanted(op)))
        };
        let mut words = kinds.flat_map(|kind| [kind.tag(), kind.name.as_str()]);
        words.find(is_meant).map_or_else(|| switch.to_string(), str::to_owned)
    }
}

/// Whether a group is made of others, as that of everything.
fn has_another(table: &FilterTable, group: &FilterGroup) -> bool {
    let has_range = |range: &FilterRange| covers(&group.ranges, range.first) && covers(&group.ranges, range.last);
    let has = |other: &FilterGroup| other.ranges.iter().all(has_range);
    table.groups.iter().any(|other| other.name != group.name && has(other))
}

fn covers(ranges: &[FilterRange], switch: u64) -> bool {
    ranges.iter().any(|range| (range.first..=range.last).contains(&switch))
}
