//! A filter to commands, and what is known of the target's filters. An event is sent if its class and itself are on, and
//! its marker, if it is one.

use std::collections::BTreeMap;

use spytui_companion::{Filters, Op, Plan, Switch, Switched, Switches, id, report, state, switched};
use spytui_plugin_api::{Command, FilterOp, FilterOpKind, FilterState, NONE, Refusal};

use super::filters::{ALL, EVENTS, MARKERS, VALUES, class_of, events_of};

/// What is known of the target's filters.
#[derive(Clone, Debug, Default)]
pub struct TbandFilters {
    classes: Switches,
    events: Switches,
    markers: Switches,
    values: Switches,
}

/// Markers of each kind that a target usually has switches for.
const USUAL: u32 = 64;

impl Filters for TbandFilters {
    fn change(&mut self, op: Op, payload: &[u8], is_sure: bool) {
        let Some(switched) = switched(op, payload) else { return };
        let switch = switched.switch(is_sure);
        match switched {
            Switched::Group(class, _) => self.classes.set(class.into(), switch),
            Switched::Event(event, _) => self.events.set(event, switch),
            Switched::Object(marker, _) => self.markers.set(marker, switch),
            Switched::Signal(value, _) => self.values.set(value, switch),
            Switched::All(on) => {
                self.classes.set_all(switch);
                self.events.set_all(switch);
                if on {
                    self.markers.set_all(switch);
                    self.values.set_all(switch);
                }
            }
        }
    }

    fn read_back(&mut self, states: &BTreeMap<u8, u32>) {
        let Some(mask) = states.get(&state::GROUPS) else { return };
        for class in 0..u32::from(ALL) {
            self.classes.set(class, Switch::known(mask >> class & 1 == 1));
        }
    }

    fn plan(command: &Command<'_>, plan: &mut Plan<TbandFilters>) -> Result<(), Refusal> {
        let ops = command.filter.as_slice();
        let of = |table: u16| ops.iter().filter(move |op| op.table == table);
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
        plan.each(Op::OBJECT, of(MARKERS), USUAL, |_, marker| id(marker))?;
        plan.each(Op::SIGNAL, of(VALUES), USUAL, |_, value| id(value))
    }

    fn report(&self, out: &mut Vec<FilterState>) {
        for event in 0..=u64::from(u8::MAX) {
            if let Some(class) = class_of(event) {
                let switch = self.classes.get(class.into()).and(self.events.get(event as u32));
                report(EVENTS, (event, event), switch, out);
            }
        }
        self.markers.report(MARKERS, USUAL - 1, out);
        self.values.report(VALUES, USUAL - 1, out);
    }
}

/// Switches a class, or each event of a range.
fn switch_events(op: &FilterOp, on: bool, plan: &mut Plan<TbandFilters>) -> Result<(), Refusal> {
    match op.group {
        NONE => {}
        ALL => {
            if on {
                plan.remark("switches all markers and values on, too");
            }
            plan.all(on);
            return Ok(());
        }
        class => {
            switch_class(class as u8, on, plan);
            return Ok(());
        }
    }
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
        if !matches!(plan.filters.events.get(event.into()), Switch::On | Switch::Assumed) {
            plan.event(event, true);
        }
    }
}

/// One event needs its class, but not what else is on in there.
fn switch_event(event: u8, class: u8, on: bool, plan: &mut Plan<TbandFilters>) {
    let class_is = plan.filters.classes.get(class.into());
    if on && class_is == Switch::Off {
        for other in events_of(class).filter(|other| *other != event) {
            if plan.filters.events.get(other.into()) != Switch::Off {
                plan.event(other, false);
            }
        }
    }
    plan.event(event, on);
    if on && matches!(class_is, Switch::Off | Switch::Unknown) {
        plan.group(class, true);
    }
}
