//! Commands of the companion, an extension by spytui; Tonbandgerät itself has no way back. `PROTOCOL.md` §10 describes
//! it. An event is sent if the event and its class are on, and so is its marker, if it is one.

pub(crate) use spytui_companion::commands;

use std::collections::BTreeMap;

use spytui_companion::{
    Ack, Filters, Group, Known, Op, Plan, Switch, event_filters, report, single_filters, state, table,
};
use spytui_plugin_api::{
    FilterOp, FilterState, NONE, Output, RVec, Refusal, TextWriter,
    info::{FilterTable, Worth, filter_ranges},
};

use crate::{layout::space, record::Record};

pub type TbandEncoder = spytui_companion::CompanionEncoder<TbandFilters>;

const LAST: u64 = 0x7F;
/// Index of the class that stands for all classes; the indexes before it are class numbers.
const ALL: u16 = 6;

const CLASSES: [Group<'_>; 7] = [
    ("task", "tasks", Worth::STATES, &[(0x54, 0x5E), (0x62, 0x62)]),
    ("isr", "interrupts", Worth::NOISE, &[(0x04, 0x05)]),
    ("queue", "queues", Worth::DETAIL, &[(0x63, 0x63), (0x66, 0x70)]),
    ("marker", "event markers", Worth::APPLICATION, &[(0x07, 0x09)]),
    ("value", "value markers", Worth::APPLICATION, &[(0x0B, 0x0B)]),
    ("local", "markers of tasks", Worth::APPLICATION, &[(0x7B, 0x7D), (0x7F, 0x7F)]),
    ("ALL", "everything", Worth::DETAIL, &[(0, LAST)]),
];

/// Cores, drop counts and metadata.
const ALWAYS_ON: [(u64, u64); 7] =
    [(0, 3), (6, 6), (0x0A, 0x0A), (0x5F, 0x61), (0x64, 0x65), (0x7A, 0x7A), (0x7E, 0x7E)];

/// The class of an event; `None` if it is always sent or does not exist.
fn class_of(id: u64) -> Option<u8> {
    let of = CLASSES.iter().take(ALL.into()).position(|class| is_in(class.3, id))?;
    u8::try_from(of).ok()
}

fn events_of(class: u8) -> impl Iterator<Item = u8> {
    (0..=LAST as u8).filter(move |id| class_of((*id).into()) == Some(class))
}

fn is_in(ranges: &[(u64, u64)], id: u64) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&id))
}

pub(crate) fn filters() -> RVec<FilterTable> {
    let single = |id, title, word, space| single_filters(id, title, word, (u32::MAX.into(), space));
    let markers = single(table::OBJECTS, "event markers", "marker", space::MARKERS);
    let values = single(table::SIGNALS, "value markers", "value", space::VALUES);
    // Answers pass all filters.
    let values = FilterTable { always_on: filter_ranges(&[(ACK, ACK)]), ..values };
    let events = event_filters(&CLASSES, (LAST, NONE), &ALWAYS_ON);
    [events, markers, values].into_iter().collect()
}

/// Known state of the target's filters; objects are event markers, signals are value markers.
#[derive(Clone, Debug, Default)]
pub struct TbandFilters(Known);

const USUAL: u32 = 64;

impl Filters for TbandFilters {
    const ALL: u16 = ALL;
    const USUAL: [u32; 2] = [USUAL; 2];

    fn change(&mut self, op: Op, id: u32, is_on: bool, switch: Switch) {
        self.0.change(op, id, is_on, switch);
    }

    fn read_back(&mut self, states: &BTreeMap<u8, u32>) {
        let Some(mask) = states.get(&state::GROUPS) else { return };
        for class in 0..u32::from(ALL) {
            self.0.groups.set(class, Switch::known(mask >> class & 1 == 1));
        }
    }

    fn switch(op: &FilterOp, on: bool, plan: &mut Plan<TbandFilters>) -> Result<(), Refusal> {
        match op.group {
            NONE => return switch_events(op, on, plan),
            ALL => {
                if on {
                    plan.remark("switches all markers and values on, too");
                }
                plan.all(on);
            }
            class => switch_class(class as u8, on, plan),
        }
        Ok(())
    }

    fn report(&self, out: &mut Vec<FilterState>) {
        let Known { groups, events, objects, signals } = &self.0;
        for event in 0..=u64::from(u8::MAX) {
            if let Some(class) = class_of(event) {
                report(table::EVENTS, (event, event), groups.get(class.into()).and(events.get(event as u32)), out);
            }
        }
        objects.report(table::OBJECTS, USUAL - 1, out);
        signals.report(table::SIGNALS, USUAL - 1, out);
    }
}

fn switch_events(op: &FilterOp, on: bool, plan: &mut Plan<TbandFilters>) -> Result<(), Refusal> {
    let events = (op.first..=op.last.min(u8::MAX.into())).filter_map(|id| Some((id as u8, class_of(id)?)));
    let events: Vec<(u8, u8)> = events.collect();
    if events.is_empty() {
        let message = format!("event {:#04x} does not exist or is always sent", op.first);
        return Err(Refusal::new(0, &message));
    }
    for (event, class) in events {
        switch_event(event, class, on, plan);
    }
    Ok(())
}

/// A class only has the requested state if its events do, too.
fn switch_class(class: u8, on: bool, plan: &mut Plan<TbandFilters>) {
    plan.group(class, on);
    for event in events_of(class).filter(|_| on) {
        if !matches!(plan.filters.0.events.get(event.into()), Switch::On | Switch::Assumed) {
            plan.event(event, true);
        }
    }
}

/// An event needs its class, but not the other events in it.
fn switch_event(event: u8, class: u8, on: bool, plan: &mut Plan<TbandFilters>) {
    let class_is = plan.filters.0.groups.get(class.into());
    if on && class_is == Switch::Off {
        for other in events_of(class).filter(|other| *other != event) {
            if plan.filters.0.events.get(other.into()) != Switch::Off {
                plan.event(other, false);
            }
        }
    }
    plan.event(event, on);
    if on && matches!(class_is, Switch::Off | Switch::Unknown) {
        plan.group(class, true);
    }
}

pub(crate) const ACK: u64 = 0x7F00;
const VALUE: u8 = 0x0B;

/// Marks the next row as an answer if its event is one. The name is irrelevant: another program's marker answers no
/// pending command.
#[inline]
pub(crate) fn answer(record: &Record<'_>, out: &mut Output<'_>) {
    if record.layout.id == VALUE && record.numbers[0] == ACK {
        mark(record.numbers[1], out);
    }
}

#[inline(never)]
fn mark(value: u64, out: &mut Output<'_>) {
    if let Some(ack) = read(value) {
        ack.mark(out);
    }
}

/// Writes an answer in words; returns `false` if it is not an answer.
pub(crate) fn text(value: u64, line: &mut TextWriter<'_>) -> bool {
    const OPS: [&str; 10] = ["ping", "class", "event", "marker", "value", "all", "dict", "reset", "user", "info"];
    let ack = read(value);
    if let Some(ack) = ack {
        ack.text(&OPS, &["classes"], line);
    }
    ack.is_some()
}

fn read(value: u64) -> Option<Ack> {
    let [op, seq, status, a, b, c, d, 0] = value.to_le_bytes() else { return None };
    Some(Ack { op, seq, status, value: u32::from_le_bytes([a, b, c, d]) })
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
