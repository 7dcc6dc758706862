//! A filter to commands, and what is known of the target's filters. An event is sent if its class and itself are on, and
//! its marker, if it is one.

use std::collections::BTreeMap;

use spytui_companion::{Filters, Known, Op, Plan, Switch, report, state, table};
use spytui_plugin_api::{FilterOp, FilterState, NONE, Refusal};

use super::filters::{ALL, class_of, events_of};

/// What is known of the target's filters; objects are event markers, signals value markers.
#[derive(Clone, Debug, Default)]
pub struct TbandFilters(Known);

/// Markers of each kind that a target usually has switches for.
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

/// Switches each event of a range.
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

/// A class is as it is asked for only if its events are, too.
fn switch_class(class: u8, on: bool, plan: &mut Plan<TbandFilters>) {
    plan.group(class, on);
    for event in events_of(class).filter(|_| on) {
        if !matches!(plan.filters.0.events.get(event.into()), Switch::On | Switch::Assumed) {
            plan.event(event, true);
        }
    }
}

/// One event needs its class, but not what else is on in there.
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
