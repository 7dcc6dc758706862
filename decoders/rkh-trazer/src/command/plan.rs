//! A filter to commands, and what is known of the target's filters. An event is sent if its group and itself are on, and
//! its object and its signal, where it has one.

use std::collections::BTreeMap;

use spytui_companion::{Filters, Known, Op, Plan, Switch, report, state, table};
use spytui_plugin_api::{Command, Dict, FilterOp, FilterState, NONE, Refusal, batch::AttrId};

use super::filters::{ALL, events_of, exists};
use crate::{
    config::Config,
    layout::{Era, space},
};

/// What is known of the target's filters; objects by priority.
#[derive(Clone, Debug, Default)]
pub struct RkhFilters {
    known: Known,
    /// Priorities of objects that were named, by address.
    priorities: BTreeMap<u64, u8>,
}

/// Number of the command's argument for all groups.
const ALL_GROUPS: u32 = ALL as u32;
/// Greatest priority. Greater numbers of objects are addresses.
const LAST_PRIORITY: u64 = u8::MAX as u64;
/// Objects and signals that a target usually has switches for.
const USUAL_OBJECTS: u32 = 64;
const USUAL_SIGNALS: u32 = 256;
/// Where the bytes of each group begin in the target's table of events.
const TABLE: [u32; 8] = [0, 1, 2, 4, 7, 8, 11, 15];

impl Filters for RkhFilters {
    const ALL: u16 = ALL;
    const USUAL: [u32; 2] = [USUAL_OBJECTS, USUAL_SIGNALS];

    /// A group takes its events along, and an event that is on its group.
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

    /// An object by address or priority.
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
    /// The objects by address. Those that nobody named may have any priority.
    fn addresses(&self, out: &mut Vec<FilterState>) {
        let are_named =
            self.known.objects.own().all(|own| self.priorities.values().any(|named| own.0 == u32::from(*named)));
        let others = if are_named { self.known.objects.rest() } else { Switch::Unknown };
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

/// Switches each event of a range.
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
        // One event switches its group on, and with it what else is on in there.
        if on && plan.filters.known.groups.get(group.into()) == Switch::Off && !others_are_off() {
            plan.group(group, false);
        }
        plan.event(event, on);
    }
    Ok(())
}
