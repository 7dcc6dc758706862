//! The filter tables and their groups.

use spytui_plugin_api::{
    NONE, RVec,
    info::{FilterGroup, FilterTable, Worth, filter_ranges},
};

use super::{id, kernel::class};
use crate::layout::space;

/// Table of classes.
pub(super) const OF_CLASSES: u16 = 0;
/// Table of events: class and number in it.
pub(super) const OF_EVENTS: u16 = 1;
/// Table of processes.
pub(super) const OF_PROCESSES: u16 = 2;

/// A class, or several, by the words of lists.
pub(super) struct Class {
    pub(super) name: &'static str,
    title: &'static str,
    /// Its number in commands.
    pub(super) number: u32,
    /// The number of its last event in commands.
    last_event: u64,
}

const fn class(name: &'static str, title: &'static str, number: u32) -> Class {
    Class { name, title, number, last_event: 1023 }
}

/// All classes that can be switched.
pub(super) const CLASSES: [Class; 19] = [
    class("CALL", "kernel calls", class::CALLS),
    class("KER_CALL", "kernel calls entered", 3),
    class("KER_EXIT", "returns from kernel calls", 4),
    class("INT_CALL", "interrupted kernel calls", 5),
    class("INT", "interrupts", class::INTERRUPTS),
    class("INT_ENTR", "interrupts entered", 7),
    class("INT_EXIT", "interrupts left", 8),
    class("INT_HANDLER_ENTR", "interrupt handlers entered", 15),
    class("INT_HANDLER_EXIT", "interrupt handlers left", 16),
    Class { last_event: 4, ..class("PROC", "processes", class::PROCESS) },
    Class { last_event: 62, ..class("THR", "threads", class::THREAD) },
    Class { last_event: 31, ..class("VTHR", "virtual threads", class::VTHREAD) },
    class("SYS", "system", class::SYSTEM),
    class("USER", "user events", 12),
    class("COMM", "messages, pulses and signals", class::COMM),
    class("QUIP", "QUIP", 17),
    class("SEC", "security", 18),
    class("QVM", "hypervisor", 19),
    class("PMU", "performance counters", class::PMU),
];

/// What the classes are worth.
const WORTH: [(&str, Worth); 6] = [
    ("INT", Worth::NOISE),
    ("PMU", Worth::NOISE),
    ("PROC", Worth::STATES),
    ("THR", Worth::STATES),
    ("VTHR", Worth::STATES),
    ("USER", Worth::APPLICATION),
];

/// The word of a class that stands for itself.
pub(super) fn name_of(number: u32) -> Option<&'static str> {
    CLASSES.iter().find(|class| class.number == number).map(|class| class.name)
}

/// Bits between the class and the number of an event in a switch.
const CLASS_SHIFT: u32 = 16;

pub(super) fn switch(class: u32, event: u32) -> u64 {
    u64::from(class) << CLASS_SHIFT | u64::from(event)
}

/// Class and number of the event of a switch.
pub(super) fn event_of_switch(switch: u64) -> (u32, u32) {
    ((switch >> CLASS_SHIFT) as u32, (switch & ((1 << CLASS_SHIFT) - 1)) as u32)
}

/// The group of the table of classes that is all of them; those before it are [`CLASSES`].
pub(super) const ALL: u16 = CLASSES.len() as u16;

/// The classes that a class stands for.
fn members(number: u32) -> impl Iterator<Item = u32> {
    (0..=class::PMU).filter(move |class| class::bits(number) >> class & 1 == 1)
}

/// A group for each class; `range` is that of one of its members.
fn of_classes(range: fn(&Class, u32) -> (u64, u64)) -> impl Iterator<Item = FilterGroup> {
    CLASSES.iter().map(move |class| {
        let ranges: Vec<(u64, u64)> = members(class.number).map(|member| range(class, member)).collect();
        FilterGroup::new(class.name, class.title, &ranges)
    })
}

fn groups() -> RVec<FilterGroup> {
    let all = FilterGroup::new("ALL", "everything", &[(3, 5), (7, class::PMU.into())]);
    let control = u64::from(class::CONTROL);
    let each = of_classes(|_, member| (member.into(), member.into()));
    each.chain([all, FilterGroup::new("CTRL", "trace buffers and time", &[(control, control)])]).collect()
}

/// Events count within their class.
fn event_groups() -> RVec<FilterGroup> {
    of_classes(|class, member| (switch(member, 0), switch(member, 0) + class.last_event)).collect()
}

pub(crate) fn filters() -> RVec<FilterTable> {
    let table = |id, title: &str, word: &str| FilterTable {
        id,
        command: id::FILTER,
        title: title.into(),
        word: word.into(),
        space: NONE,
        ..FilterTable::default()
    };
    let control = u64::from(class::CONTROL);
    let most_pid = i32::MAX as u64;
    [
        FilterTable {
            min: control,
            max: class::PMU.into(),
            groups: groups(),
            always_on: filter_ranges(&[(control, control)]),
            reads_back: true,
            ..table(OF_CLASSES, "classes", "class")
        }
        .with_worth(&WORTH),
        FilterTable { min: 1, max: 0, groups: event_groups(), ..table(OF_EVENTS, "events", "event") },
        FilterTable {
            min: 1,
            max: most_pid,
            space: space::PROCESSES,
            groups: [FilterGroup::new("ALL", "all processes", &[(1, most_pid)])].into_iter().collect(),
            ..table(OF_PROCESSES, "processes", "pid")
        },
    ]
    .into_iter()
    .collect()
}
