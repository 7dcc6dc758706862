//! A filter to commands, and what is known of the target's filters. An event is sent if its group and itself are on, and
//! its object and its signal, where it has one.

use std::collections::BTreeMap;

use spytui_companion::{Filters, Op, Plan, Switch, Switched, Switches, id, report, state, switched};
use spytui_plugin_api::{Command, Dict, FilterOp, FilterOpKind, FilterState, NONE, Refusal, batch::AttrId};

use super::filters::{ALL, EVENTS, OBJECTS, SIGNALS, events_of, exists};
use crate::{
    config::Config,
    layout::{Era, space},
};

/// What is known of the target's filters.
#[derive(Clone, Debug, Default)]
pub struct RkhFilters {
    groups: Switches,
    events: Switches,
    /// By priority.
    objects: Switches,
    signals: Switches,
    /// Priorities of objects that were named, by address.
    priorities: BTreeMap<u64, u8>,
}

/// Number of the command's argument for all groups.
const ALL_GROUPS: u8 = ALL as u8;
/// Greatest priority. Greater numbers of objects are addresses.
const LAST_PRIORITY: u64 = u8::MAX as u64;
/// Objects and signals that a target usually has switches for.
const USUAL_OBJECTS: u32 = 64;
const USUAL_SIGNALS: u32 = 256;
/// Where the bytes of each group begin in the target's table of events.
const TABLE: [u32; 8] = [0, 1, 2, 4, 7, 8, 11, 15];

impl Filters for RkhFilters {
    fn change(&mut self, op: Op, payload: &[u8], is_sure: bool) {
        let Some(switched) = switched(op, payload) else { return };
        let switch = switched.switch(is_sure);
        match switched {
            Switched::Group(ALL_GROUPS, _) => self.all_groups(switch),
            Switched::Group(group, _) => {
                self.groups.set(group.into(), switch);
                events_of(group).for_each(|event| self.events.set(event.into(), switch));
            }
            Switched::Event(event, on) => {
                self.events.set(event, switch);
                if on {
                    self.groups.set(event >> 5, switch);
                }
            }
            Switched::Object(priority, _) => self.objects.set(priority, switch),
            Switched::Signal(signal, _) => self.signals.set(signal, switch),
            Switched::All(on) => {
                self.all_groups(switch);
                if on {
                    self.objects.set_all(switch);
                    self.signals.set_all(switch);
                }
            }
        }
    }

    fn read_back(&mut self, states: &BTreeMap<u8, u32>) {
        let bit = |first: u8, n: u32| {
            let word = u8::try_from(n / 32).ok().and_then(|word| states.get(&(first + word)))?;
            Some(Switch::known(word >> (n % 32) & 1 == 1))
        };
        for (group, table) in (0u8..).zip(TABLE) {
            if let Some(switch) = bit(state::GROUPS, group.into()) {
                self.groups.set(group.into(), switch);
            }
            for event in events_of(group) {
                if let Some(switch) = bit(state::GROUPS + 1, 8 * table + u32::from(event & 31)) {
                    self.events.set(event.into(), switch);
                }
            }
        }
    }

    fn learn(&mut self, command: &Command<'_>, dict: &Dict<'_>) {
        let named = command.filter.iter().filter(|op| op.table == OBJECTS && op.first > LAST_PRIORITY);
        for address in named.map(|op| op.first) {
            let priority = dict.attr(space::OBJECTS, address, 0, AttrId::PRIORITY);
            if let Some(priority) = priority.and_then(|(priority, _)| u8::try_from(priority).ok()) {
                self.priorities.insert(address, priority);
            }
        }
    }

    fn plan(command: &Command<'_>, plan: &mut Plan<RkhFilters>) -> Result<(), Refusal> {
        let ops = command.filter.as_slice();
        let of = |table: u16| ops.iter().filter(move |op| op.table == table);
        if !command.cfg.is_empty() && Config::from_blob(command.cfg.as_slice()).era != Era::R3 && of(EVENTS).count() > 0
        {
            return Err(Refusal::new(0, "the companion has the event numbers of RKH 3, the target is older"));
        }
        let mut events = of(EVENTS).peekable();
        while let Some(op) = events.next() {
            let then_all = |next: &&&FilterOp| next.group == ALL && next.kind == FilterOpKind::ON;
            match op.kind {
                // Nothing need be off before everything is on.
                FilterOpKind::CLEAR if events.peek().as_ref().is_some_and(then_all) => {}
                FilterOpKind::CLEAR => plan.all(false),
                kind => switch_events(op, kind == FilterOpKind::ON, plan)?,
            }
        }
        plan.each(Op::OBJECT, of(OBJECTS), USUAL_OBJECTS, RkhFilters::priority)?;
        plan.each(Op::SIGNAL, of(SIGNALS), USUAL_SIGNALS, |_, signal| id(signal))
    }

    fn report(&self, out: &mut Vec<FilterState>) {
        for event in (0..=u8::MAX).filter(|event| exists(*event)) {
            let switch = self.groups.get((event >> 5).into()).and(self.events.get(event.into()));
            report(EVENTS, (event.into(), event.into()), switch, out);
        }
        self.objects.report(OBJECTS, LAST_PRIORITY as u32, out);
        self.addresses(out);
        self.signals.report(SIGNALS, USUAL_SIGNALS - 1, out);
    }
}

impl RkhFilters {
    fn all_groups(&mut self, switch: Switch) {
        self.groups.set_all(switch);
        self.events.set_all(switch);
    }

    /// The priority of an object by address or priority.
    fn priority(&self, object: u64) -> Result<u32, Refusal> {
        let priority = match u8::try_from(object) {
            Ok(priority) => Some(priority),
            Err(_) => self.priorities.get(&object).copied(),
        };
        let unknown = || format!("no record reported the priority of {object:#x} yet: give the priority, as obj:3");
        priority.map(u32::from).ok_or_else(|| Refusal::new(0, &unknown()))
    }

    /// The objects by address. Those that nobody named may have any priority.
    fn addresses(&self, out: &mut Vec<FilterState>) {
        let are_named = self.objects.own().all(|own| self.priorities.values().any(|named| own.0 == u32::from(*named)));
        let others = if are_named { self.objects.rest() } else { Switch::Unknown };
        let mut next = LAST_PRIORITY + 1;
        for (address, priority) in &self.priorities {
            if *address > next {
                report(OBJECTS, (next, address - 1), others, out);
            }
            report(OBJECTS, (*address, *address), self.objects.get((*priority).into()), out);
            next = address.saturating_add(1);
        }
        report(OBJECTS, (next, u64::MAX), others, out);
    }
}

/// Switches a group, or each event of a range.
fn switch_events(op: &FilterOp, on: bool, plan: &mut Plan<RkhFilters>) -> Result<(), Refusal> {
    if op.group != NONE {
        plan.group(op.group as u8, on);
        return Ok(());
    }
    let range = op.first..=op.last;
    let events: Vec<u8> = (0..=u8::MAX).filter(|id| range.contains(&u64::from(*id)) && exists(*id)).collect();
    if events.is_empty() {
        return Err(Refusal::new(0, &format!("the target has no event {}", op.first)));
    }
    for event in events {
        let group = event >> 5;
        let others_are_off = || events_of(group).all(|other| plan.filters.events.get(other.into()) == Switch::Off);
        // One event switches its group on, and with it what else is on in there.
        if on && plan.filters.groups.get(group.into()) == Switch::Off && !others_are_off() {
            plan.group(group, false);
        }
        plan.event(event, on);
    }
    Ok(())
}
