//! What is known of the target's switches.

use std::collections::BTreeMap;

use spytui_plugin_api::FilterState;

use crate::op::Op;

/// What is known of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// On, because it is when a target starts.
    #[default]
    Assumed,
    /// On.
    On,
    Off,
    /// The target did not say whether it took the last change.
    Unknown,
}

impl Switch {
    pub const fn known(is_on: bool) -> Switch {
        if is_on { Switch::On } else { Switch::Off }
    }

    /// Of two switches that both must be on.
    pub const fn and(self, other: Switch) -> Switch {
        match (self, other) {
            (Switch::Off, _) | (_, Switch::Off) => Switch::Off,
            (Switch::Unknown, _) | (_, Switch::Unknown) => Switch::Unknown,
            (Switch::Assumed, _) | (_, Switch::Assumed) => Switch::Assumed,
            (Switch::On, Switch::On) => Switch::On,
        }
    }
}

/// A table of switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Those that are not like the rest.
    own: BTreeMap<u32, Switch>,
    rest: Switch,
}

impl Switches {
    pub fn get(&self, id: u32) -> Switch {
        self.own.get(&id).copied().unwrap_or(self.rest)
    }

    /// Changes one.
    pub fn set(&mut self, id: u32, switch: Switch) {
        self.own.insert(id, switch);
    }

    /// Changes all.
    pub fn set_all(&mut self, switch: Switch) {
        *self = Switches { own: BTreeMap::new(), rest: switch };
    }

    /// Those that were changed one by one.
    pub fn own(&self) -> impl Iterator<Item = (u32, Switch)> {
        self.own.iter().map(|(id, switch)| (*id, *switch))
    }

    /// All that were not.
    pub fn rest(&self) -> Switch {
        self.rest
    }

    /// Reports the switches from 0 to `last`.
    pub fn report(&self, table: u16, last: u32, out: &mut Vec<FilterState>) {
        let mut next = 0;
        for (id, switch) in self.own() {
            if let Some(before) = u64::from(id).checked_sub(1).filter(|before| *before >= next) {
                report(table, (next, before), self.rest, out);
            }
            report(table, (id.into(), id.into()), switch, out);
            next = u64::from(id) + 1;
        }
        if next <= u64::from(last) {
            report(table, (next, last.into()), self.rest, out);
        }
    }
}

/// What is known of the tables that a companion has.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Groups of records.
    pub groups: Switches,
    /// Kinds of records.
    pub events: Switches,
    pub objects: Switches,
    pub signals: Switches,
}

impl Known {
    /// Changes what a command switches.
    pub fn change(&mut self, op: Op, id: u32, is_on: bool, switch: Switch) {
        match op {
            Op::GROUP => self.groups.set(id, switch),
            Op::EVENT => self.events.set(id, switch),
            Op::OBJECT => self.objects.set(id, switch),
            Op::SIGNAL => self.signals.set(id, switch),
            _ => {
                self.all_groups(switch);
                if is_on {
                    self.objects.set_all(switch);
                    self.signals.set_all(switch);
                }
            }
        }
    }

    /// Changes all groups and kinds.
    pub fn all_groups(&mut self, switch: Switch) {
        self.groups.set_all(switch);
        self.events.set_all(switch);
    }
}

/// Reports consecutive switches, joined with those before them if they are the same.
pub fn report(table: u16, (first, last): (u64, u64), switch: Switch, out: &mut Vec<FilterState>) {
    let (is_on, is_known) = match switch {
        Switch::Assumed => (true, false),
        Switch::On => (true, true),
        Switch::Off => (false, true),
        Switch::Unknown => return,
    };
    let state = FilterState { table, is_on, is_known, first, last };
    match out
        .last_mut()
        .filter(|before| **before == FilterState { first: before.first, last: first.wrapping_sub(1), ..state })
    {
        Some(before) => before.last = last,
        None => out.push(state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_one_range_and_what_is_unknown_is_left_out() {
        let mut switches = Switches::default();
        switches.set(2, Switch::Off);
        switches.set(3, Switch::Off);
        switches.set(5, Switch::Unknown);
        switches.set(6, Switch::On);
        let mut out = Vec::new();
        switches.report(4, 9, &mut out);
        let found: Vec<_> = out.iter().map(|s| (s.first, s.last, s.is_on, s.is_known)).collect();
        assert_eq!(
            found,
            [(0, 1, true, false), (2, 3, false, true), (4, 4, true, false), (6, 6, true, true), (7, 9, true, false)]
        );
    }

    #[test]
    fn one_that_is_off_decides() {
        use Switch::{Assumed, Off, On, Unknown};
        assert_eq!(
            [On.and(Assumed), Assumed.and(Off), Unknown.and(On), Off.and(Unknown)],
            [Assumed, Off, Unknown, Off]
        );
    }
}
