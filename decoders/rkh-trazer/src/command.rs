//! Commands of the companion, an extension by spytui; RKH itself has no way back. `PROTOCOL.md` §8 describes it. An
//! event is sent if the event and its group are on, and so are its object and signal, if any.

pub(crate) use spytui_companion::commands;

use std::collections::BTreeMap;

use spytui_companion::{
    Ack, Filters, Group, Known, Op, Plan, Switch, event_filters, report, single_filters, state, table,
};
use spytui_decoder_kit::{Element, Elements, Value};
use spytui_plugin_api::{
    Command, Dict, FilterOp, FilterState, NONE, Output, RVec, Refusal, Row, RowFlags, TextWriter,
    batch::AttrId,
    info::{FilterTable, Worth, space as host_space},
};

use crate::{
    config::Config,
    layout::{self, ACK, Era, space},
    record::{RecordFrame, UI32},
};

pub type RkhEncoder = spytui_companion::CompanionEncoder<RkhFilters>;

/// Index of the group that stands for all groups.
const ALL: u16 = 8;

/// Names of the groups as in lists, and their events.
pub(crate) const GROUPS: [Group<'_>; 9] = [
    ("MP", "memory pools", Worth::NOISE, &[(0, 2)]),
    ("QUE", "queues", Worth::DETAIL, &[(32, 38)]),
    ("SMA", "active objects", Worth::DETAIL, &[(64, 72)]),
    ("SM", "state machines", Worth::STATES, &[(96, 113)]),
    ("TMR", "timers", Worth::DETAIL, &[(128, 132)]),
    ("FWK", "framework", Worth::NOISE, &[(160, 180)]),
    ("USR", "user events", Worth::APPLICATION, &[(192, 223)]),
    ("UT", "unit test", Worth::APPLICATION, &[(224, 233)]),
    ("ALL", "everything", Worth::DETAIL, &[(0, 255)]),
];

/// Names, configuration, assertions; drop totals and answers.
const ALWAYS_ON: [(u64, u64); 3] = [(166, 168), (171, 180), (222, 223)];

/// Whether the target has an event with this id.
fn exists(id: u8) -> bool {
    events_of(id >> 5).any(|event| event == id)
}

fn events_of(group: u8) -> impl Iterator<Item = u8> {
    let ids = GROUPS[..usize::from(ALL)].get(usize::from(group)).map_or(&[][..], |group| group.3);
    ids.iter().flat_map(|(first, last)| *first as u8..=*last as u8)
}

pub(crate) fn filters() -> RVec<FilterTable> {
    let events = event_filters(&GROUPS, (255, host_space::KINDS), &ALWAYS_ON);
    let objects = FilterTable {
        groups_of_rows: [layout::Group::Sma as u8, layout::Group::Sm as u8].into_iter().collect(),
        ..single_filters(table::OBJECTS, "active objects", "obj", (u64::MAX, space::OBJECTS))
    };
    let signals = single_filters(table::SIGNALS, "signals", "signal", (u32::MAX.into(), space::SIGNALS));
    [events, objects, signals].into_iter().collect()
}

/// Known state of the target's filters; objects by priority.
#[derive(Clone, Debug, Default)]
pub struct RkhFilters {
    known: Known,
    priorities: BTreeMap<u64, u8>,
}

const ALL_GROUPS: u32 = ALL as u32;
/// Maximum priority. Larger object numbers are addresses.
const LAST_PRIORITY: u64 = u8::MAX as u64;
/// Typical numbers of switches for objects and signals.
const USUAL_OBJECTS: u32 = 64;
const USUAL_SIGNALS: u32 = 256;
/// Offsets of the groups in the target's table of events, in bytes.
const TABLE: [u32; 8] = [0, 1, 2, 4, 7, 8, 11, 15];

impl Filters for RkhFilters {
    const ALL: u16 = ALL;
    const USUAL: [u32; 2] = [USUAL_OBJECTS, USUAL_SIGNALS];

    /// Switching a group also switches its events; switching an event on also switches its group on.
    fn change(&mut self, op: Op, id: u32, is_on: bool, switch: Switch) {
        match (op, id) {
            (Op::GROUP, ALL_GROUPS) => return self.known.all_groups(switch),
            (Op::GROUP, group) => events_of(group as u8).for_each(|event| self.known.events.set(event.into(), switch)),
            (Op::EVENT, event) if is_on => self.known.groups.set(event >> 5, switch),
            _ => {}
        }
        self.known.change(op, id, is_on, switch);
    }

    fn read_back(&mut self, states: &BTreeMap<u8, u32>) {
        let bit = |first: u8, n: u32| {
            let word = u8::try_from(n / 32).ok().and_then(|word| states.get(&(first + word)))?;
            Some(Switch::known(word >> (n % 32) & 1 == 1))
        };
        for (group, table) in (0u8..).zip(TABLE) {
            if let Some(switch) = bit(state::GROUPS, group.into()) {
                self.known.groups.set(group.into(), switch);
            }
            for event in events_of(group) {
                if let Some(switch) = bit(state::GROUPS + 1, 8 * table + u32::from(event & 31)) {
                    self.known.events.set(event.into(), switch);
                }
            }
        }
    }

    fn learn(&mut self, command: &Command<'_>, dict: &Dict<'_>) -> Result<(), Refusal> {
        let is_older = !command.cfg.is_empty() && Config::from_blob(command.cfg.as_slice()).era != Era::R3;
        if is_older && command.filter.iter().any(|op| op.table == table::EVENTS) {
            return Err(Refusal::new(0, "the companion has the event numbers of RKH 3, the target is older"));
        }
        let named = command.filter.iter().filter(|op| op.table == table::OBJECTS && op.first > LAST_PRIORITY);
        for address in named.map(|op| op.first) {
            let priority = dict.attr(space::OBJECTS, address, 0, AttrId::PRIORITY);
            if let Some(priority) = priority.and_then(|(priority, _)| u8::try_from(priority).ok()) {
                self.priorities.insert(address, priority);
            }
        }
        Ok(())
    }

    fn switch(op: &FilterOp, on: bool, plan: &mut Plan<RkhFilters>) -> Result<(), Refusal> {
        if op.group == NONE {
            return switch_events(op, on, plan);
        }
        plan.group(op.group as u8, on);
        Ok(())
    }

    fn object(&self, object: u64) -> Result<u32, Refusal> {
        let priority = match u8::try_from(object) {
            Ok(priority) => Some(priority),
            Err(_) => self.priorities.get(&object).copied(),
        };
        let unknown = || format!("no record reported the priority of {object:#x} yet: give the priority, as obj:3");
        priority.map(u32::from).ok_or_else(|| Refusal::new(0, &unknown()))
    }

    fn report(&self, out: &mut Vec<FilterState>) {
        for event in (0..=u8::MAX).filter(|event| exists(*event)) {
            let switch = self.known.groups.get((event >> 5).into()).and(self.known.events.get(event.into()));
            report(table::EVENTS, (event.into(), event.into()), switch, out);
        }
        self.known.objects.report(table::OBJECTS, LAST_PRIORITY as u32, out);
        self.addresses(out);
        self.known.signals.report(table::SIGNALS, USUAL_SIGNALS - 1, out);
    }
}

impl RkhFilters {
    /// Reports the objects by address. Unnamed ones may have any priority.
    fn addresses(&self, out: &mut Vec<FilterState>) {
        let is_named = |id: &u32| self.priorities.values().any(|named| *id == u32::from(*named));
        let are_named = self.known.objects.own.keys().all(is_named);
        let others = if are_named { self.known.objects.rest } else { Switch::Unknown };
        let mut next = LAST_PRIORITY + 1;
        for (address, priority) in &self.priorities {
            if *address > next {
                report(table::OBJECTS, (next, address - 1), others, out);
            }
            report(table::OBJECTS, (*address, *address), self.known.objects.get((*priority).into()), out);
            next = address.saturating_add(1);
        }
        report(table::OBJECTS, (next, u64::MAX), others, out);
    }
}

fn switch_events(op: &FilterOp, on: bool, plan: &mut Plan<RkhFilters>) -> Result<(), Refusal> {
    let range = op.first..=op.last;
    let events: Vec<u8> = (0..=u8::MAX).filter(|id| range.contains(&u64::from(*id)) && exists(*id)).collect();
    if events.is_empty() {
        return Err(Refusal::new(0, &format!("the target has no event {}", op.first)));
    }
    for event in events {
        let group = event >> 5;
        let others_are_off =
            || events_of(group).all(|other| plan.filters.known.events.get(other.into()) == Switch::Off);
        // Switching an event on would switch on its whole group, with other events that are on in it.
        if on && plan.filters.known.groups.get(group.into()) == Switch::Off && !others_are_off() {
            plan.group(group, false);
        }
        plan.event(event, on);
    }
    Ok(())
}

/// Marks the next row as an answer if its record is one. The name is irrelevant: event 31 of another program answers no
/// pending command.
pub(crate) fn answer(frame: &RecordFrame<'_>, config: &Config, row: Row, out: &mut Output<'_>) {
    if frame.id() != ACK || row.flags.intersects(RowFlags::MALFORMED) {
        return;
    }
    if let Some(ack) = read(frame.args(config), config) {
        ack.mark(out);
    }
}

/// Writes an answer in words; returns `false` if it is not an answer.
pub(crate) fn text(args: &[u8], config: &Config, line: &mut TextWriter<'_>) -> bool {
    const OPS: [&str; 10] = ["ping", "group", "event", "object", "signal", "all", "dict", "reset", "user", "info"];
    const STATES: [&str; 6] = ["groups", "events 0", "events 4", "events 8", "events 12", "events 16"];
    let ack = read(args, config);
    if let Some(ack) = ack {
        ack.text(&OPS, &STATES, line);
    }
    ack.is_some()
}

fn read(args: &[u8], config: &Config) -> Option<Ack> {
    const UI8: u8 = 1;
    let mut elements = Elements::new(args, config);
    let mut next = |of: u8| match elements.next()? {
        Element { ty, value: Value::Unsigned(number), .. } if ty == of => Some(number),
        _ => None,
    };
    let [op, seq, status] = [next(UI8)?, next(UI8)?, next(UI8)?].map(|number| number as u8);
    let value = next(UI32)? as u32;
    elements.rest.is_empty().then_some(Ack { op, seq, status, value })
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
        for (group, (name, .., ranges)) in (0..8).zip(GROUPS) {
            let ids: Vec<u64> = events_of(group).map(u64::from).collect();
            assert_eq!(ranges, [(ids[0], ids[ids.len() - 1])], "{name}");
        }
        assert!(!exists(3) && exists(223) && !exists(234));
    }
}
