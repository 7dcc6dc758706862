//! Turns a filter into commands, and tracks the target's switches.

use std::collections::BTreeMap;

use spytui_plugin_api::{Command, Dict, FilterOp, FilterOpKind, FilterState, Refusal};

use crate::wire::Op;

/// Tables of the command `filter`: groups and kinds of records, objects, signals.
pub mod table {
    pub const EVENTS: u16 = 0;
    pub const OBJECTS: u16 = 1;
    pub const SIGNALS: u16 = 2;
}

/// The filters of a protocol's companion: how commands affect switches.
pub trait Filters: Clone + Default + Send + 'static {
    /// The group that stands for all groups.
    const ALL: u16;
    /// Typical numbers of switches for objects and signals.
    const USUAL: [u32; 2];

    /// The target executed a command that switches `id`, or may have; `switch` is the resulting state.
    fn change(&mut self, op: Op, id: u32, is_on: bool, switch: Switch);

    fn read_back(&mut self, states: &BTreeMap<u8, u32>);

    /// Remembers the current names of the switches in a command.
    ///
    /// # Errors
    /// The target does not have these switches.
    fn learn(&mut self, command: &Command<'_>, dict: &Dict<'_>) -> Result<(), Refusal> {
        let _ = (command, dict);
        Ok(())
    }

    /// Adds commands that switch a group or a range of kinds.
    ///
    /// # Errors
    /// There is nothing to switch.
    fn switch(op: &FilterOp, is_on: bool, plan: &mut Plan<Self>) -> Result<(), Refusal>;

    /// The number of an object's switch.
    ///
    /// # Errors
    /// The object has no switch.
    fn object(&self, object: u64) -> Result<u32, Refusal> {
        id(object)
    }

    fn report(&self, out: &mut Vec<FilterState>);
}

/// Applies a command to the known state; if not `is_sure`, it may not have been executed.
pub(crate) fn change(filters: &mut impl Filters, op: Op, payload: &[u8], is_sure: bool) {
    if let Some((id, is_on)) = switched(op, payload) {
        let switch = if is_sure { Switch::known(is_on) } else { Switch::Unknown };
        filters.change(op, id, is_on, switch);
    }
}

#[derive(Debug)]
pub struct Plan<F> {
    /// The state once all commands so far are executed.
    pub filters: F,
    pub(crate) commands: Vec<Planned>,
    pub(crate) remarks: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) op: Op,
    pub(crate) payload: Vec<u8>,
    /// The target may not have this switch.
    pub(crate) is_sweep: bool,
}

impl<F: Filters> Plan<F> {
    pub(crate) fn new(filters: &F) -> Plan<F> {
        Plan { filters: filters.clone(), commands: Vec::new(), remarks: Vec::new() }
    }

    pub fn remark(&mut self, text: &str) {
        self.remarks.push(text.to_owned());
    }

    fn push(&mut self, op: Op, payload: Vec<u8>, is_sweep: bool) {
        change(&mut self.filters, op, &payload, true);
        self.commands.push(Planned { op, payload, is_sweep });
    }

    /// Switches all groups and kinds off, or everything on.
    pub fn all(&mut self, is_on: bool) {
        self.push(Op::ALL, vec![is_on.into()], false);
    }

    pub fn group(&mut self, id: u8, is_on: bool) {
        self.push(Op::GROUP, vec![id, is_on.into()], false);
    }

    /// Switches a kind of record.
    pub fn event(&mut self, id: u8, is_on: bool) {
        self.push(Op::EVENT, vec![id, 0, is_on.into()], false);
    }

    pub(crate) fn filter(&mut self, command: &Command<'_>) -> Result<(), Refusal> {
        let of = |table: u16| command.filter.iter().filter(move |op| op.table == table);
        let mut events = of(table::EVENTS).peekable();
        while let Some(op) = events.next() {
            let then_all = |next: &&&FilterOp| next.group == F::ALL && next.kind == FilterOpKind::ON;
            match op.kind {
                // Switching everything on makes it unnecessary to switch off first.
                FilterOpKind::CLEAR if events.peek().as_ref().is_some_and(then_all) => {}
                FilterOpKind::CLEAR => self.all(false),
                kind => F::switch(op, kind == FilterOpKind::ON, self)?,
            }
        }
        let [objects, signals] = F::USUAL;
        let filters = self.filters.clone();
        self.each(Op::OBJECT, of(table::OBJECTS), objects, |object| filters.object(object))?;
        self.each(Op::SIGNAL, of(table::SIGNALS), signals, id)
    }

    /// Plans a table without groups: one command per switch.
    fn each<'o>(
        &mut self,
        op: Op,
        ops: impl Iterator<Item = &'o FilterOp>,
        usual: u32,
        id_of: impl Fn(u64) -> Result<u32, Refusal>,
    ) -> Result<(), Refusal> {
        for (id, each) in each(ops, usual, id_of)? {
            let [a, b, c, d] = id.to_le_bytes();
            self.push(op, vec![a, b, c, d, each.is_on.into()], each.is_sweep);
        }
        Ok(())
    }
}

/// Uses the number of a switch as its id.
fn id(switch: u64) -> Result<u32, Refusal> {
    u32::try_from(switch).map_err(|_| Refusal::new(0, &format!("at most {}", u32::MAX)))
}

#[derive(Clone, Copy, Debug)]
struct Each {
    is_on: bool,
    is_sweep: bool,
}

/// Maximum number of switches per line.
const MOST: u64 = 256;

/// The changes in a table without commands for ranges. Switching everything off means the first `usual` switches; a
/// target with fewer reports an error.
fn each<'o>(
    ops: impl Iterator<Item = &'o FilterOp>,
    usual: u32,
    id_of: impl Fn(u64) -> Result<u32, Refusal>,
) -> Result<BTreeMap<u32, Each>, Refusal> {
    let mut changes = BTreeMap::new();
    for op in ops {
        if op.kind == FilterOpKind::CLEAR {
            changes.extend((0..usual).map(|id| (id, Each { is_on: false, is_sweep: true })));
            continue;
        }
        if op.last.saturating_sub(op.first) >= MOST {
            return Err(Refusal::new(0, &format!("{}..{}: at most {MOST} at once", op.first, op.last)));
        }
        for switch in op.first..=op.last {
            changes.insert(id_of(switch)?, Each { is_on: op.kind == FilterOpKind::ON, is_sweep: false });
        }
    }
    Ok(changes)
}

/// The switch that a command changes, and its new state; `None` if it changes none.
fn switched(op: Op, payload: &[u8]) -> Option<(u32, bool)> {
    let (on, id) = payload.split_last()?;
    let id = match (op, id) {
        (Op::ALL, []) => 0,
        (Op::GROUP, &[id]) => id.into(),
        (Op::EVENT, &[a, b]) => u16::from_le_bytes([a, b]).into(),
        (Op::OBJECT | Op::SIGNAL, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => return None,
    };
    Some((id, *on == 1))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// On, which is the default after a start.
    #[default]
    Assumed,
    On,
    Off,
    /// The target did not answer the last change.
    Unknown,
}

impl Switch {
    pub const fn known(is_on: bool) -> Switch {
        if is_on { Switch::On } else { Switch::Off }
    }

    /// Combines two switches that must both be on.
    pub const fn and(self, other: Switch) -> Switch {
        match (self, other) {
            (Switch::Off, _) | (_, Switch::Off) => Switch::Off,
            (Switch::Unknown, _) | (_, Switch::Unknown) => Switch::Unknown,
            (Switch::Assumed, _) | (_, Switch::Assumed) => Switch::Assumed,
            (Switch::On, Switch::On) => Switch::On,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Switches that differ from `rest`.
    own: BTreeMap<u32, Switch>,
    rest: Switch,
}

impl Switches {
    pub fn get(&self, id: u32) -> Switch {
        self.own.get(&id).copied().unwrap_or(self.rest)
    }

    pub fn set(&mut self, id: u32, switch: Switch) {
        self.own.insert(id, switch);
    }

    pub fn set_all(&mut self, switch: Switch) {
        *self = Switches { own: BTreeMap::new(), rest: switch };
    }

    pub fn own(&self) -> impl Iterator<Item = (u32, Switch)> {
        self.own.iter().map(|(id, switch)| (*id, *switch))
    }

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

#[derive(Clone, Debug, Default)]
pub struct Known {
    pub groups: Switches,
    pub events: Switches,
    pub objects: Switches,
    pub signals: Switches,
}

impl Known {
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

    pub fn all_groups(&mut self, switch: Switch) {
        self.groups.set_all(switch);
        self.events.set_all(switch);
    }
}

/// Reports consecutive switches, merged with the preceding ones if equal.
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
