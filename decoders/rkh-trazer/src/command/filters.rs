//! The filter tables of the target and their groups.

use spytui_companion::{Group, filter_command, table};
use spytui_plugin_api::{
    RVec,
    info::{FilterTable, Worth, filter_ranges, space as host_space},
};

use crate::layout::{self, space};

/// Number of events of each group.
const COUNTS: [u8; 8] = [3, 7, 9, 18, 5, 21, 32, 10];
/// Index of the group that is all of them.
pub(super) const ALL: u16 = 8;

/// Names of the groups as in lists, with their events.
const GROUPS: [Group<'_>; 9] = [
    ("MP", "memory pools", &[(0, 2)]),
    ("QUE", "queues", &[(32, 38)]),
    ("SMA", "active objects", &[(64, 72)]),
    ("SM", "state machines", &[(96, 113)]),
    ("TMR", "timers", &[(128, 132)]),
    ("FWK", "framework", &[(160, 180)]),
    ("USR", "user events", &[(192, 223)]),
    ("UT", "unit test", &[(224, 233)]),
    ("ALL", "everything", &[(0, 255)]),
];

/// What the groups are worth.
const WORTH: [(&str, Worth); 5] = [
    ("MP", Worth::NOISE),
    ("FWK", Worth::NOISE),
    ("SM", Worth::STATES),
    ("USR", Worth::APPLICATION),
    ("UT", Worth::APPLICATION),
];

/// Names, configuration, assertions; drop totals and answers.
const ALWAYS_ON: [(u64, u64); 3] = [(166, 168), (171, 180), (222, 223)];

/// Whether the target has this event.
pub(super) fn exists(id: u8) -> bool {
    id & 31 < COUNTS[usize::from(id >> 5)]
}

pub(super) fn events_of(group: u8) -> impl Iterator<Item = u8> {
    let count = COUNTS.get(usize::from(group)).copied().unwrap_or(0);
    (0..count).map(move |event| group << 5 | event)
}

pub(crate) fn filters() -> RVec<FilterTable> {
    let events = FilterTable {
        id: table::EVENTS,
        title: "events".into(),
        max: 255,
        space: host_space::KINDS,
        is_kinds: true,
        always_on: filter_ranges(&ALWAYS_ON),
        reads_back: true,
        ..FilterTable::default()
    };
    let objects = FilterTable {
        id: table::OBJECTS,
        title: "active objects".into(),
        word: "obj".into(),
        max: u64::MAX,
        space: space::OBJECTS,
        groups_of_rows: [layout::Group::Sma as u8, layout::Group::Sm as u8].into_iter().collect(),
        ..FilterTable::default()
    };
    let signals = FilterTable {
        id: table::SIGNALS,
        title: "signals".into(),
        word: "signal".into(),
        max: u32::MAX.into(),
        space: space::SIGNALS,
        ..FilterTable::default()
    };
    let events = filter_command(events, &GROUPS).with_worth(&WORTH);
    [events, filter_command(objects, &[]), filter_command(signals, &[])].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TABLE;

    #[test]
    fn groups_have_the_events_of_the_table() {
        for layout in &TABLE {
            assert!(exists(layout.id), "{}", layout.id);
        }
        for (group, (name, _, ranges)) in (0..8).zip(GROUPS) {
            let ids: Vec<u64> = events_of(group).map(u64::from).collect();
            assert_eq!(ranges, [(ids[0], ids[ids.len() - 1])], "{name}");
        }
        assert!(!exists(3) && exists(223) && !exists(234));
    }
}
