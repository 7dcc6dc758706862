//! What can be switched off in a target by one word, and what that saves.

use spytui_plugin_api::{
    RowKind,
    info::{FilterGroup, KindInfo, Worth},
    row::Severity,
};

use super::{
    super::{
        command::is_in,
        switches::{Switch, Switches, switch_of},
    },
    made::Sent,
    traffic::KindCount,
};

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

impl<'a> Switches<'a> {
    /// The groups with some of these records.
    pub(super) fn units(&self, counts: &[KindCount]) -> Vec<Unit<'a>> {
        let table = self.table;
        let mut units = Vec::new();
        for group in &table.groups {
            let is_own = |kind: RowKind| self.group_of(kind).is_some_and(|of| of.name == group.name);
            let own = counts.iter().filter(|count| is_own(count.kind) && !self.is_a_report(count.kind));
            let mut kinds: Vec<(u64, u64)> = own.map(|count| (switch_of(self.info, count.kind), count.bytes)).collect();
            let bytes = kinds.iter().map(|(_, bytes)| bytes).sum();
            if bytes == 0 {
                continue;
            }
            kinds.sort_unstable_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
            units.push(Unit {
                word: group.name.to_string(),
                title: &group.title,
                worth: group.worth,
                kinds: if table.is_kinds { kinds } else { Vec::new() },
                bytes,
                reports: self.reports(group),
            });
        }
        units
    }

    fn is_a_report(&self, kind: RowKind) -> bool {
        self.info.kind(kind).is_some_and(|kind| kind.severity >= Severity::WARNING)
    }

    /// How the filter treats a kind.
    pub(super) fn sent(&self, kind: RowKind) -> Sent {
        let Some(group) = self.group_of(kind) else { return Sent::Always };
        let first = group.ranges.first().map(|range| range.first);
        let switch = if self.table.is_kinds { Some(switch_of(self.info, kind)) } else { first };
        if switch.is_some_and(|switch| self.at(switch) == Switch::Off) { Sent::NoMore } else { Sent::Now }
    }

    /// The switches of a group that report what is wrong, and can be on.
    fn reports(&self, group: &FilterGroup) -> Vec<u64> {
        let is_report = |kind: &&KindInfo| kind.severity >= Severity::WARNING && kind.first == kind.last;
        let kinds = self.info.kinds.iter().filter(|_| self.table.is_kinds).filter(is_report);
        let mut switches: Vec<u64> = kinds.map(|kind| kind.wire_id.into()).collect();
        switches.retain(|switch| {
            is_in(&group.ranges, *switch) && !matches!(self.at(*switch), Switch::Always | Switch::Off)
        });
        switches.sort_unstable();
        switches.dedup();
        switches
    }
}
