//! The filter tables of the target and their classes.

use spytui_companion::{Group, filter_command, table};
use spytui_plugin_api::{
    NONE, RVec,
    info::{FilterTable, Worth, filter_ranges},
};

use super::answer::ACK;
use crate::layout::space;

/// Greatest id of an event.
const LAST: u64 = 0x7F;
/// Index of the class that is all of them; those before it are their numbers.
pub(super) const ALL: u16 = 6;

/// The classes with their events.
const CLASSES: [Group<'_>; 7] = [
    ("task", "tasks", &[(0x54, 0x5E), (0x62, 0x62)]),
    ("isr", "interrupts", &[(0x04, 0x05)]),
    ("queue", "queues", &[(0x63, 0x63), (0x66, 0x70)]),
    ("marker", "event markers", &[(0x07, 0x09)]),
    ("value", "value markers", &[(0x0B, 0x0B)]),
    ("local", "markers of tasks", &[(0x7B, 0x7D), (0x7F, 0x7F)]),
    ("ALL", "everything", &[(0, LAST)]),
];

/// What the classes are worth.
const WORTH: [(&str, Worth); 5] = [
    ("task", Worth::STATES),
    ("isr", Worth::NOISE),
    ("marker", Worth::APPLICATION),
    ("value", Worth::APPLICATION),
    ("local", Worth::APPLICATION),
];

/// Cores, drop counts and metadata.
const ALWAYS_ON: [(u64, u64); 7] =
    [(0, 3), (6, 6), (0x0A, 0x0A), (0x5F, 0x61), (0x64, 0x65), (0x7A, 0x7A), (0x7E, 0x7E)];

/// The class of an event; `None` if it is always sent, or does not exist.
pub(super) fn class_of(id: u64) -> Option<u8> {
    let of = CLASSES.iter().take(ALL.into()).position(|class| is_in(class.2, id))?;
    u8::try_from(of).ok()
}

pub(super) fn events_of(class: u8) -> impl Iterator<Item = u8> {
    (0..=LAST as u8).filter(move |id| class_of((*id).into()) == Some(class))
}

fn is_in(ranges: &[(u64, u64)], id: u64) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&id))
}

pub(crate) fn filters() -> RVec<FilterTable> {
    let events = FilterTable {
        id: table::EVENTS,
        title: "events".into(),
        max: LAST,
        space: NONE,
        is_kinds: true,
        always_on: filter_ranges(&ALWAYS_ON),
        reads_back: true,
        ..FilterTable::default()
    };
    let single = |id, title: &str, word: &str, space| FilterTable {
        id,
        title: title.into(),
        word: word.into(),
        max: u32::MAX.into(),
        space,
        ..FilterTable::default()
    };
    let markers = single(table::OBJECTS, "event markers", "marker", space::MARKERS);
    let values = single(table::SIGNALS, "value markers", "value", space::VALUES);
    // Answers pass all filters.
    let values = FilterTable { always_on: filter_ranges(&[(ACK, ACK)]), ..values };
    let events = filter_command(events, &CLASSES).with_worth(&WORTH);
    [events, filter_command(markers, &[]), filter_command(values, &[])].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TABLE;

    #[test]
    fn an_event_has_a_class_or_is_always_sent() {
        for layout in &TABLE {
            let id = u64::from(layout.id);
            assert_eq!(class_of(id).is_none(), is_in(&ALWAYS_ON, id), "{}", layout.name);
        }
        assert_eq!([0, 4, 0x0B, 0x7F].map(class_of), [None, Some(1), Some(4), Some(5)]);
        assert_eq!(events_of(5).collect::<Vec<_>>(), [0x7B, 0x7C, 0x7D, 0x7F]);
    }
}
