//! Filter tables and groups, and the commands of the instrumented kernel that a companion passes on, by number
//! (`TraceEvent()`).

use spytui_plugin_api::{
    NONE, RVec,
    info::{FilterGroup, FilterTable, Worth, filter_ranges},
};

use super::id;
use crate::layout::space;

pub(super) const OF_CLASSES: u16 = 0;
/// Table of events, identified by class and number.
pub(super) const OF_EVENTS: u16 = 1;
pub(super) const OF_PROCESSES: u16 = 2;

/// A class or a set of classes, as named in lists.
pub(super) struct Class {
    pub(super) name: &'static str,
    title: &'static str,
    pub(super) number: u32,
    last_event: u64,
    /// Worth of the class; filters of single events say nothing of theirs.
    worth: Worth,
}

const fn class(name: &'static str, title: &'static str, number: u32) -> Class {
    Class { name, title, number, last_event: 1023, worth: Worth::DETAIL }
}

pub(super) const CLASSES: [Class; 19] = [
    class("CALL", "kernel calls", class::CALLS),
    class("KER_CALL", "kernel calls entered", 3),
    class("KER_EXIT", "returns from kernel calls", 4),
    class("INT_CALL", "interrupted kernel calls", 5),
    Class { worth: Worth::NOISE, ..class("INT", "interrupts", class::INTERRUPTS) },
    class("INT_ENTR", "interrupts entered", 7),
    class("INT_EXIT", "interrupts left", 8),
    class("INT_HANDLER_ENTR", "interrupt handlers entered", 15),
    class("INT_HANDLER_EXIT", "interrupt handlers left", 16),
    Class { worth: Worth::STATES, last_event: 4, ..class("PROC", "processes", class::PROCESS) },
    Class { worth: Worth::STATES, last_event: 62, ..class("THR", "threads", class::THREAD) },
    Class { worth: Worth::STATES, last_event: 31, ..class("VTHR", "virtual threads", class::VTHREAD) },
    class("SYS", "system", class::SYSTEM),
    Class { worth: Worth::APPLICATION, ..class("USER", "user events", 12) },
    class("COMM", "messages, pulses and signals", class::COMM),
    class("QUIP", "QUIP", 17),
    class("SEC", "security", 18),
    class("QVM", "hypervisor", 19),
    Class { worth: Worth::NOISE, ..class("PMU", "performance counters", class::PMU) },
];

pub(super) fn name_of(number: u32) -> Option<&'static str> {
    CLASSES.iter().find(|class| class.number == number).map(|class| class.name)
}

/// Shift of the class in a switch number; the low bits are the event.
const CLASS_SHIFT: u32 = 16;

pub(super) fn switch(class: u32, event: u32) -> u64 {
    u64::from(class) << CLASS_SHIFT | u64::from(event)
}

pub(super) fn event_of_switch(switch: u64) -> (u32, u32) {
    ((switch >> CLASS_SHIFT) as u32, (switch & ((1 << CLASS_SHIFT) - 1)) as u32)
}

/// The group with all classes; the groups before it are [`CLASSES`].
pub(super) const ALL: u16 = CLASSES.len() as u16;

fn members(number: u32) -> impl Iterator<Item = u32> {
    (0..=class::PMU).filter(move |class| class::bits(number) >> class & 1 == 1)
}

/// A group for each class; `range` returns the switches of a member.
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
    let each = each.zip(&CLASSES).map(|(group, class)| FilterGroup { worth: class.worth, ..group });
    each.chain([all, FilterGroup::new("CTRL", "trace buffers and time", &[(control, control)])]).collect()
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
    let events = of_classes(|class, member| (switch(member, 0), switch(member, 0) + class.last_event));
    RVec::from(vec![
        FilterTable {
            min: control,
            max: class::PMU.into(),
            groups: groups(),
            always_on: filter_ranges(&[(control, control)]),
            reads_back: true,
            ..table(OF_CLASSES, "classes", "class")
        },
        FilterTable { min: 1, max: 0, groups: events.collect(), ..table(OF_EVENTS, "events", "event") },
        FilterTable {
            min: 1,
            max: most_pid,
            space: space::PROCESSES,
            groups: [FilterGroup::new("ALL", "all processes", &[(1, most_pid)])].into_iter().collect(),
            ..table(OF_PROCESSES, "processes", "pid")
        },
    ])
}

pub(super) const ADD_ALL: u32 = 1;
pub(super) const DEL_ALL: u32 = 2;
pub(super) const ADD_CLASS: u32 = 3;
pub(super) const DEL_CLASS: u32 = 4;
pub(super) const ADD_EVENT: u32 = 5;
pub(super) const DEL_EVENT: u32 = 6;
pub(super) const START: u32 = 10;
pub(super) const STOP: u32 = 11;
pub(super) const FLUSH: u32 = 14;
pub(super) const QUERY_EVENTS: u32 = 15;
pub(super) const ALL_FAST: u32 = 16;
pub(super) const ALL_WIDE: u32 = 17;
pub(super) const CLASS_FAST: u32 = 18;
pub(super) const CLASS_WIDE: u32 = 19;
pub(super) const EVENT_FAST: u32 = 20;
pub(super) const EVENT_WIDE: u32 = 21;
pub(super) const SET_CLASS_PID: u32 = 22;
pub(super) const SET_CLASS_TID: u32 = 23;
pub(super) const CLR_CLASS_PID: u32 = 26;
pub(super) const START_NO_STATE: u32 = 33;
pub(super) const RING_MODE: u32 = 34;
pub(super) const LINEAR_MODE: u32 = 35;

/// Number, name and parameters of each command; a companion accepts no others.
pub(super) const COMMANDS: [(u32, &str, &[&str]); 27] = [
    (ADD_ALL, "ADDALLCLASSES", &[]),
    (DEL_ALL, "DELALLCLASSES", &[]),
    (ADD_CLASS, "ADDCLASS", &["class"]),
    (DEL_CLASS, "DELCLASS", &["class"]),
    (ADD_EVENT, "ADDEVENT", &["class", "event"]),
    (DEL_EVENT, "DELEVENT", &["class", "event"]),
    (START, "START", &[]),
    (STOP, "STOP", &[]),
    (FLUSH, "FLUSHBUFFER", &[]),
    (QUERY_EVENTS, "QUERYEVENTS", &[]),
    (ALL_FAST, "SETALLCLASSESFAST", &[]),
    (ALL_WIDE, "SETALLCLASSESWIDE", &[]),
    (CLASS_FAST, "SETCLASSFAST", &["class"]),
    (CLASS_WIDE, "SETCLASSWIDE", &["class"]),
    (EVENT_FAST, "SETEVENTFAST", &["class", "event"]),
    (EVENT_WIDE, "SETEVENTWIDE", &["class", "event"]),
    (SET_CLASS_PID, "SETCLASSPID", &["class", "pid"]),
    (SET_CLASS_TID, "SETCLASSTID", &["class", "pid", "tid"]),
    (24, "SETEVENTPID", &["class", "event", "pid"]),
    (25, "SETEVENTTID", &["class", "event", "pid", "tid"]),
    (CLR_CLASS_PID, "CLRCLASSPID", &["class"]),
    (27, "CLRCLASSTID", &["class"]),
    (28, "CLREVENTPID", &["class", "event"]),
    (29, "CLREVENTTID", &["class", "event"]),
    (START_NO_STATE, "STARTNOSTATE", &[]),
    (RING_MODE, "SETRINGMODE", &[]),
    (LINEAR_MODE, "SETLINEARMODE", &[]),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kernel {
    pub(super) number: u32,
    pub(super) words: Vec<u32>,
}

impl Kernel {
    pub(super) fn new(number: u32, words: &[u32]) -> Kernel {
        Kernel { number, words: words.to_vec() }
    }
}

pub(super) mod class {
    /// All kernel calls: entry, exit, interruption.
    pub(crate) const CALLS: u32 = 2;
    /// All interrupts: entry, exit, handler entry, handler exit.
    pub(crate) const INTERRUPTS: u32 = 6;
    pub(crate) const CONTROL: u32 = 1;
    pub(crate) const PROCESS: u32 = 9;
    pub(crate) const THREAD: u32 = 10;
    pub(crate) const VTHREAD: u32 = 11;
    pub(crate) const SYSTEM: u32 = 13;
    pub(crate) const COMM: u32 = 14;
    pub(crate) const PMU: u32 = 20;

    /// Bits of the classes with switches, without the sets 2 and 6.
    pub(crate) const SWITCHED: u32 = 0x1F_FFB8;

    /// Bits of the classes that a command's class means.
    pub(crate) fn bits(class: u32) -> u32 {
        match class {
            CALLS => 0b11_1000,
            INTERRUPTS => 0x1_8180,
            0..=PMU => 1 << class & SWITCHED,
            _ => 0,
        }
    }
}

/// First release in which thread events are numbers instead of bits, and virtual threads are gone.
const NUMBERED_THREADS: u8 = 8;

pub(super) fn has_vthreads(release: u8) -> bool {
    release < NUMBERED_THREADS
}

fn is_bit(class: u32, release: u8) -> bool {
    match class {
        class::PROCESS | class::VTHREAD => true,
        class::THREAD => release < NUMBERED_THREADS,
        _ => false,
    }
}

/// The parameter for an event of a class; `None` = not possible in this release.
pub(super) fn event_word(class: u32, event: u32, release: u8) -> Option<u32> {
    if is_bit(class, release) { 1_u32.checked_shl(event) } else { Some(event) }
}

pub(super) fn event_of(class: u32, word: u32, release: u8) -> u32 {
    if is_bit(class, release) { word.trailing_zeros() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_companion_takes_these_numbers() {
        let numbers: Vec<u32> = COMMANDS.iter().map(|command| command.0).collect();
        let expected: Vec<u32> = (1..=6).chain([10, 11]).chain(14..=29).chain(33..=35).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn classes_stand_for_several() {
        let all = (3..=20).filter(|class| *class != 6).fold(0, |all, class| all | 1 << class);
        assert_eq!(class::SWITCHED, all);
        assert_eq!(class::bits(2), 1 << 3 | 1 << 4 | 1 << 5);
        assert_eq!(class::bits(6), 1 << 7 | 1 << 8 | 1 << 15 | 1 << 16);
        assert_eq!([0, 1, 9, 21, u32::MAX].map(class::bits), [0, 0, 1 << 9, 0, 0]);
    }

    #[test]
    fn events_of_processes_and_threads_are_bits() {
        assert_eq!(
            [(9, 2, 8), (10, 5, 7), (10, 5, 8), (14, 40, 6)].map(|(c, e, r)| event_word(c, e, r)),
            [Some(4), Some(32), Some(5), Some(40)]
        );
        assert_eq!(event_word(10, 32, 7), None);
        assert_eq!((event_of(10, 32, 7), event_of(10, 32, 8)), (5, 32));
    }
}
