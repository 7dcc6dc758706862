//! The filter tables of the target and their groups (fact: `PROTOCOL.md` §8).

use spytui_plugin_api::{
    FilterOpKind, NONE, RVec,
    info::{FilterGroup, FilterTable, Worth, filter_ranges},
    row::Severity,
};

use super::{
    mask::change,
    table::{KIND_NAMES, rx},
};
use crate::{
    config::Config,
    layout::{Group, layout, space},
};

/// Ids of records.
pub(super) const RECORDS: u16 = 0;
/// Ids of objects: priorities of active objects, pools, queues, application objects.
pub(super) const IDS: u16 = 1;
/// Active objects by address.
pub(super) const OBJECTS: u16 = 2;
/// Last record that can be switched.
pub(super) const LAST_RECORD: u64 = 124;

type Groups<'a> = &'a [(&'a str, &'a str, &'a [(u64, u64)])];

/// Groups of records from 7.2 on.
const RECORD_GROUPS: Groups<'_> = &[
    ("SM", "state machines", &[(1, 9), (55, 57)]),
    ("AO", "active objects", &[(10, 18), (45, 45)]),
    ("EQ", "raw queues", &[(19, 22), (46, 46)]),
    ("MP", "memory pools", &[(24, 25), (47, 47)]),
    ("QF", "framework", &[(23, 23), (26, 31), (38, 44)]),
    ("TE", "time events", &[(32, 37)]),
    ("SC", "scheduler", &[(48, 53)]),
    ("SEM", "semaphores", &[(71, 74)]),
    ("MTX", "mutexes", &[(75, 80)]),
    ("U0", "application records 0 to 4", &[(100, 104)]),
    ("U1", "application records 5 to 9", &[(105, 109)]),
    ("U2", "application records 10 to 14", &[(110, 114)]),
    ("U3", "application records 15 to 19", &[(115, 119)]),
    ("U4", "application records 20 to 24", &[(120, 124)]),
    ("UA", "all application records", &[(100, 124)]),
    ("ALL", "everything", &[(0, LAST_RECORD)]),
];

/// What the groups are worth.
const WORTH: [(&str, Worth); 9] = [
    ("SM", Worth::STATES),
    ("MP", Worth::NOISE),
    ("QF", Worth::NOISE),
    ("SC", Worth::NOISE),
    ("U0", Worth::APPLICATION),
    ("U1", Worth::APPLICATION),
    ("U2", Worth::APPLICATION),
    ("U3", Worth::APPLICATION),
    ("U4", Worth::APPLICATION),
];

/// Groups of object ids, as front ends use them.
const ID_GROUPS: Groups<'_> = &[
    ("AO", "active objects", &[(1, 64)]),
    ("EP", "event pools", &[(65, 79)]),
    ("EQ", "raw queues", &[(80, 95)]),
    ("AP", "application objects", &[(96, 127)]),
    ("ALL", "everything", &[(1, 127)]),
];

fn groups(list: Groups<'_>) -> RVec<FilterGroup> {
    list.iter().map(|(name, title, ranges)| FilterGroup::new(name, title, ranges)).collect()
}

pub(crate) fn filters() -> RVec<FilterTable> {
    [
        FilterTable {
            id: RECORDS,
            command: rx::GLOBAL_FILTER.into(),
            title: "global filter".into(),
            max: LAST_RECORD,
            space: KIND_NAMES,
            is_kinds: true,
            groups: groups(RECORD_GROUPS),
            always_on: filter_ranges(&[(0, 0), (58, 70)]),
            ..FilterTable::default()
        }
        .with_worth(&WORTH),
        FilterTable {
            id: IDS,
            command: rx::LOCAL_FILTER.into(),
            title: "local filter".into(),
            min: 1,
            max: 127,
            space: NONE,
            groups: groups(ID_GROUPS),
            ..FilterTable::default()
        },
        FilterTable {
            id: OBJECTS,
            command: rx::LOCAL_FILTER.into(),
            title: "active objects".into(),
            word: "obj".into(),
            max: u64::MAX,
            space: space::OBJECTS,
            groups_of_rows: [Group::Sm as u8, Group::Ao as u8].into_iter().collect(),
            ..FilterTable::default()
        },
    ]
    .into_iter()
    .collect()
}

/// The records of a group in a version; none if it has no such group.
pub(super) fn records_of(group: u16, version: u16) -> Vec<(u64, u64)> {
    let Some((name, _, ranges)) = RECORD_GROUPS.get(usize::from(group)) else { return Vec::new() };
    match (*name, version) {
        ("SEM" | "MTX", ..710) => Vec::new(),
        ("U0", ..660) => vec![(70, 79)],
        ("U1", ..660) => vec![(80, 89)],
        ("U2", ..660) => vec![(90, 99)],
        ("U3", ..660) => vec![(100, 109)],
        ("U4", ..660) => vec![(110, LAST_RECORD)],
        ("UA", ..660) => vec![(70, LAST_RECORD)],
        ("SC", 710..712) => vec![(50, 54)],
        ("SC", ..720) => vec![(48, 54)],
        ("AO", 800..) => [*ranges, &[(81, 81)]].concat(),
        _ => ranges.to_vec(),
    }
}

/// What a global filter is assumed to be that nobody set.
pub(super) struct Assumed {
    pub(super) mask: u128,
    /// What is taken as off: `SC`, `3 of QF`.
    pub(super) off: Vec<String>,
}

/// The filter of a target that has sent these records. Targets choose groups, so a group of which some came is on as a
/// whole, although some of its records are rare; but of those that are noise, frequent ones are often left out. Records
/// that report failures are taken as on: they come when something is wrong.
pub(super) fn assumed(seen: &[u64], config: &Config) -> Assumed {
    let is_report = |id: u64| {
        layout(id as u8, config.version, config.style).is_some_and(|layout| layout.severity >= Severity::WARNING)
    };
    let is_noise = |name: &str| WORTH.iter().any(|(of, worth)| *of == name && *worth == Worth::NOISE);
    let mut assumed = Assumed { mask: 0, off: Vec::new() };
    for (index, (name, ..)) in (0..).zip(RECORD_GROUPS.iter()).filter(|(_, group)| group.0 != "ALL") {
        let own: Vec<u64> =
            records_of(index, config.version).into_iter().flat_map(|(first, last)| first..=last).collect();
        let is_any_seen = own.iter().any(|id| seen.contains(id));
        let is_on = |id: &u64| {
            let by_group = name.starts_with('U') || is_any_seen && !is_noise(name);
            by_group || seen.contains(id) || is_report(*id)
        };
        let on: Vec<(u64, u64)> = own.iter().filter(|id| is_on(id)).map(|id| (*id, *id)).collect();
        assumed.mask = change(assumed.mask, FilterOpKind::ON, &on);
        match own.len() - on.len() {
            0 => {}
            _ if !is_any_seen => assumed.off.push((*name).to_owned()),
            off => assumed.off.push(format!("{off} of {name}")),
        }
    }
    let others = seen.iter().map(|id| (*id, *id)).collect::<Vec<_>>();
    assumed.mask = change(assumed.mask, FilterOpKind::ON, &others);
    assumed
}

/// The object ids of a group. Everything is all bits of the mask, also that of records without an object, which no other
/// group has.
pub(super) fn ids_of(group: u16) -> Vec<(u64, u64)> {
    match ID_GROUPS.get(usize::from(group)) {
        Some(("ALL", ..)) => vec![(0, 127)],
        Some((_, _, ranges)) => ranges.to_vec(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_says_of_a_filter_is_off_by_name_only() {
        // A dispatch, a post, a memory block that was taken.
        let seen = [8, 12, 24];
        let assumed = assumed(&seen, &Config::default());
        let is_on = |id: u64| assumed.mask >> id & 1 == 1;
        // Rare records of their groups, and application records.
        assert!([1, 2, 9, 57, 10, 18, 45, 100, 124].into_iter().all(is_on));
        // Pool exhausted, a raw queue that is full: failures.
        assert!([47, 46].into_iter().all(is_on));
        assert!(![25, 26, 31, 32, 48].into_iter().any(is_on));
        assert_eq!(assumed.off, ["EQ", "1 of MP", "QF", "TE", "SC", "SEM", "MTX"]);
    }
}
