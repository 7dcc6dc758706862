//! Commands, their arguments and frame ids; filter tables and groups. `encode` turns commands into frames.
//! `PROTOCOL.md` §8 describes the receive channel.

mod encode;

pub use encode::QsEncoder;

use spytui_plugin_api::{
    FilterOpKind, NONE, RVec,
    info::{
        AnswerStage, ArgForms, ArgInfo, CommandInfo, FilterGroup, FilterTable, Worth, filter_ranges,
        space as host_space,
    },
    row::Severity,
};

use crate::{
    config::Config,
    layout::{
        Group, layout,
        space::{self, COMMAND_GROUP},
    },
};
use encode::change;

/// Ids of frames to the target (`PROTOCOL.md` §8).
pub(crate) mod rx {
    pub(crate) const INFO: u8 = 0;
    pub(crate) const COMMAND: u8 = 1;
    pub(crate) const RESET: u8 = 2;
    pub(crate) const TICK: u8 = 3;
    pub(crate) const PEEK: u8 = 4;
    pub(crate) const POKE: u8 = 5;
    pub(crate) const FILL: u8 = 6;
    pub(crate) const TEST_SETUP: u8 = 7;
    pub(crate) const TEST_TEARDOWN: u8 = 8;
    pub(crate) const TEST_PROBE: u8 = 9;
    pub(crate) const GLOBAL_FILTER: u8 = 10;
    pub(crate) const LOCAL_FILTER: u8 = 11;
    pub(crate) const AO_FILTER: u8 = 12;
    pub(crate) const CURRENT_OBJECT: u8 = 13;
    pub(crate) const TEST_CONTINUE: u8 = 14;
    pub(crate) const QUERY: u8 = 15;
    pub(crate) const EVENT: u8 = 16;
}

/// Ids of commands that are not the id of a frame.
const RAW: u16 = 256;

const KINDS: [&str; 8] = ["sm", "ao", "mp", "eq", "te", "ap", "sm+ao", "ep"];
/// Number of the kind "event pool", and the first version that supports it.
const EVENT_POOL: (u64, u16) = (7, 800);
/// Kinds whose current object is the scope of signals: state machine, active object, both.
pub(crate) const MACHINES: [u64; 3] = [0, 1, 6];
/// Receivers of an event besides an active object, with their wire numbers.
const TO: [(&str, u8); 4] = [("publish", 0), ("current", 253), ("init", 254), ("dispatch", 255)];

pub(crate) fn commands() -> RVec<CommandInfo> {
    let parameter = |name| ArgInfo::number(name, 0..=u32::MAX.into()).optional();
    let offset = || ArgInfo::number("OFFSET", 0..=u16::MAX.into());
    let size = || ArgInfo::choice("SIZE", ["1", "2", "4"]);
    let count = || ArgInfo::number("COUNT", 1..=255);
    let kind = || ArgInfo::choice("KIND", KINDS);
    let command = |id: u8, name, help| CommandInfo::new(id.into(), name, help);
    RVec::from(vec![
        command(rx::INFO, "info", "ask for version and sizes"),
        command(rx::COMMAND, "command", "run a command of the application").with([
            ArgInfo::number("ID", 0..=255).or_name(space::ENUMS).scoped(COMMAND_GROUP),
            parameter("P1"),
            parameter("P2"),
            parameter("P3"),
        ]),
        command(rx::RESET, "reset", "reset the target").confirmed(),
        command(rx::TICK, "tick", "one clock tick of a rate").with([ArgInfo::number("RATE", 0..=255).optional()]),
        command(rx::PEEK, "peek", "read memory of the current application object").with([offset(), size(), count()]),
        command(rx::POKE, "poke", "write memory of the current application object")
            .with([offset(), size(), ArgInfo::numbers("VALUES", 0..=u32::MAX.into())])
            .confirmed(),
        command(rx::FILL, "fill", "fill memory of the current application object")
            .with([offset(), size(), count(), ArgInfo::number("VALUE", 0..=u32::MAX.into())])
            .confirmed(),
        command(rx::TEST_SETUP, "test setup", "set up a test (test builds only)"),
        command(rx::TEST_TEARDOWN, "test teardown", "tear down a test (test builds only)"),
        command(rx::TEST_PROBE, "test probe", "give a test probe its value (test builds only)").with([
            ArgInfo::number("FUNCTION", 0..=u64::MAX).or_name(space::FUNCTIONS),
            ArgInfo::number("VALUE", 0..=u32::MAX.into()),
        ]),
        command(rx::GLOBAL_FILTER, "filter", "choose the records that the target sends")
            .with([ArgInfo::new("SPEC", ArgForms::FILTER)]),
        command(rx::LOCAL_FILTER, "local", "choose the objects whose records the target sends")
            .with([ArgInfo::new("SPEC", ArgForms::FILTER)]),
        command(rx::CURRENT_OBJECT, "current", "set the current object of a kind")
            .with([kind(), ArgInfo::number("OBJECT", 0..=u64::MAX).or_name(space::OBJECTS)]),
        command(rx::TEST_CONTINUE, "test continue", "continue a test (test builds only)"),
        command(rx::QUERY, "query", "ask for the state of the current object of a kind").with([kind()]),
        command(rx::EVENT, "event", "send an event").with([
            ArgInfo::number("TO", 1..=64).or_choice(TO.map(|to| to.0)).or_name(space::OBJECTS),
            ArgInfo::number("SIGNAL", 0..=u32::MAX.into()).or_name(space::SIGNALS),
            ArgInfo::new("PARAMETERS", ArgForms::BYTES).optional(),
        ]),
        CommandInfo::new(RAW, "raw", "send any frame")
            .with([ArgInfo::number("ID", 0..=255), ArgInfo::new("BYTES", ArgForms::HEX).optional()]),
    ])
}

/// The answers that complete a frame; unknown for raw frames.
fn awaited(id: u8) -> u8 {
    const ACCEPTED: u8 = AnswerStage::ACCEPTED.bit();
    match id {
        rx::INFO | rx::RESET | rx::PEEK | rx::QUERY => AnswerStage::DATA.bit(),
        rx::COMMAND | rx::TICK | rx::EVENT => ACCEPTED | AnswerStage::DONE.bit(),
        _ => ACCEPTED,
    }
}

/// Ids of records.
const RECORDS: u16 = 0;
/// Ids of objects: priorities of active objects, pools, queues, application objects.
const IDS: u16 = 1;
const OBJECTS: u16 = 2;
/// Last record with a switch.
const LAST_RECORD: u64 = 124;

/// Name, display name, worth and switches of each group.
pub(crate) type Groups<'a> = &'a [(&'a str, &'a str, Worth, &'a [(u64, u64)])];

/// Groups of records since 7.2; those up to the mutexes are in the order of their numbers.
pub(crate) const RECORD_GROUPS: Groups<'_> = &[
    ("SM", "state machines", Worth::STATES, &[(1, 9), (55, 57)]),
    ("AO", "active objects", Worth::DETAIL, &[(10, 18), (45, 45)]),
    ("EQ", "raw queues", Worth::DETAIL, &[(19, 22), (46, 46)]),
    ("MP", "memory pools", Worth::NOISE, &[(24, 25), (47, 47)]),
    ("QF", "framework", Worth::NOISE, &[(23, 23), (26, 31), (38, 44)]),
    ("TE", "time events", Worth::DETAIL, &[(32, 37)]),
    ("SC", "scheduler", Worth::NOISE, &[(48, 53)]),
    ("SEM", "semaphores", Worth::DETAIL, &[(71, 74)]),
    ("MTX", "mutexes", Worth::DETAIL, &[(75, 80)]),
    ("U0", "application records 0 to 4", Worth::APPLICATION, &[(100, 104)]),
    ("U1", "application records 5 to 9", Worth::APPLICATION, &[(105, 109)]),
    ("U2", "application records 10 to 14", Worth::APPLICATION, &[(110, 114)]),
    ("U3", "application records 15 to 19", Worth::APPLICATION, &[(115, 119)]),
    ("U4", "application records 20 to 24", Worth::APPLICATION, &[(120, 124)]),
    ("UA", "all application records", Worth::DETAIL, &[(100, 124)]),
    ("ALL", "everything", Worth::DETAIL, &[(0, LAST_RECORD)]),
];

/// Groups of object ids, as in QP front ends.
const ID_GROUPS: Groups<'_> = &[
    ("AO", "active objects", Worth::DETAIL, &[(1, 64)]),
    ("EP", "event pools", Worth::DETAIL, &[(65, 79)]),
    ("EQ", "raw queues", Worth::DETAIL, &[(80, 95)]),
    ("AP", "application objects", Worth::DETAIL, &[(96, 127)]),
    ("ALL", "everything", Worth::DETAIL, &[(1, 127)]),
];

fn groups(list: Groups<'_>) -> RVec<FilterGroup> {
    let group = |&(name, title, worth, ranges): &_| FilterGroup { worth, ..FilterGroup::new(name, title, ranges) };
    list.iter().map(group).collect()
}

pub(crate) fn filters() -> RVec<FilterTable> {
    RVec::from(vec![
        FilterTable {
            id: RECORDS,
            command: rx::GLOBAL_FILTER.into(),
            title: "global filter".into(),
            max: LAST_RECORD,
            space: host_space::KINDS,
            is_kinds: true,
            groups: groups(RECORD_GROUPS),
            always_on: filter_ranges(&[(0, 0), (58, 70)]),
            ..FilterTable::default()
        },
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
    ])
}

/// The records of a group in a version; empty if the version lacks the group.
fn records_of(group: u16, version: u16) -> Vec<(u64, u64)> {
    let Some((name, .., ranges)) = RECORD_GROUPS.get(usize::from(group)) else { return Vec::new() };
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

/// The assumed global filter of a target that nobody has configured.
struct Assumed {
    mask: u128,
    /// Groups assumed off: `SC`, `3 of QF`.
    off: Vec<String>,
}

/// Assumes a filter from the records seen. Targets switch groups, so a group with any record seen is assumed on,
/// although some of its records are rare; but frequent noise is often switched off individually. Records of failures
/// are assumed on, because they are rare anyway.
fn assumed(seen: &[u64], config: &Config) -> Assumed {
    let is_report = |id: u64| {
        layout(id as u8, config.version, config.style).is_some_and(|layout| layout.severity >= Severity::WARNING)
    };
    let mut assumed = Assumed { mask: 0, off: Vec::new() };
    for (index, (name, _, worth, _)) in (0..).zip(RECORD_GROUPS.iter()).filter(|(_, group)| group.0 != "ALL") {
        let own: Vec<u64> =
            records_of(index, config.version).into_iter().flat_map(|(first, last)| first..=last).collect();
        let is_any_seen = own.iter().any(|id| seen.contains(id));
        let is_on = |id: &u64| {
            let by_group = name.starts_with('U') || is_any_seen && *worth != Worth::NOISE;
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

/// The object ids of a group. `ALL` is the whole mask, including the bit of records without an object, which no other
/// group contains.
fn ids_of(group: u16) -> Vec<(u64, u64)> {
    match ID_GROUPS.get(usize::from(group)) {
        Some(("ALL", ..)) => vec![(0, 127)],
        Some((.., ranges)) => ranges.to_vec(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_says_of_a_filter_is_off_by_name_only() {
        // A dispatch, a post, and an allocated memory block.
        let seen = [8, 12, 24];
        let assumed = assumed(&seen, &Config::default());
        let is_on = |id: u64| assumed.mask >> id & 1 == 1;
        // Rare records of these groups, and application records.
        assert!([1, 2, 9, 57, 10, 18, 45, 100, 124].into_iter().all(is_on));
        // Failures: an exhausted pool, a full raw queue.
        assert!([47, 46].into_iter().all(is_on));
        assert!(![25, 26, 31, 32, 48].into_iter().any(is_on));
        assert_eq!(assumed.off, ["EQ", "1 of MP", "QF", "TE", "SC", "SEM", "MTX"]);
    }
}
