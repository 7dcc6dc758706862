//! A filter to commands.

use std::collections::BTreeMap;

use spytui_plugin_api::{Command, Dict, FilterOp, FilterOpKind, FilterState, Refusal};

use crate::{op::Op, switch::Switch};

/// The filters of a protocol's companion: which commands switch what.
pub trait Filters: Clone + Default + Send + 'static {
    /// The target executed a command, or may have, if not `is_sure`.
    fn change(&mut self, op: Op, payload: &[u8], is_sure: bool);

    /// The target reported all its states.
    fn read_back(&mut self, states: &BTreeMap<u8, u32>);

    /// Keeps what the switches that a command names are called now.
    fn learn(&mut self, command: &Command<'_>, dict: &Dict<'_>) {
        let _ = (command, dict);
    }

    /// The commands that make a filter.
    ///
    /// # Errors
    /// Something in the filter that can't be.
    fn plan(command: &Command<'_>, plan: &mut Plan<Self>) -> Result<(), Refusal>;

    /// What is known of all switches.
    fn report(&self, out: &mut Vec<FilterState>);
}

/// Commands that make a filter, in order.
#[derive(Debug)]
pub struct Plan<F> {
    /// The filters as they are once all commands so far are executed.
    pub filters: F,
    pub(crate) commands: Vec<Planned>,
    pub(crate) remarks: Vec<String>,
}

/// A command that is to be sent.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) op: Op,
    pub(crate) payload: Vec<u8>,
    /// The target need not have what it switches.
    pub(crate) is_sweep: bool,
}

impl<F: Filters> Plan<F> {
    pub(crate) fn new(filters: &F) -> Plan<F> {
        Plan { filters: filters.clone(), commands: Vec::new(), remarks: Vec::new() }
    }

    /// Says what else happens.
    pub fn remark(&mut self, text: &str) {
        self.remarks.push(text.to_owned());
    }

    fn push(&mut self, op: Op, payload: Vec<u8>, is_sweep: bool) {
        self.filters.change(op, &payload, true);
        self.commands.push(Planned { op, payload, is_sweep });
    }

    /// Groups and kinds off, or everything on.
    pub fn all(&mut self, is_on: bool) {
        self.push(Op::ALL, vec![is_on.into()], false);
    }

    /// A group.
    pub fn group(&mut self, id: u8, is_on: bool) {
        self.push(Op::GROUP, vec![id, is_on.into()], false);
    }

    /// A kind of record.
    pub fn event(&mut self, id: u8, is_on: bool) {
        self.push(Op::EVENT, vec![id, 0, is_on.into()], false);
    }

    /// Changes of a table without groups: one switch a command. To switch all off, the first `usual` ones are.
    ///
    /// # Errors
    /// A switch that can't be, or more than 256 at once.
    pub fn each<'o>(
        &mut self,
        op: Op,
        ops: impl Iterator<Item = &'o FilterOp>,
        usual: u32,
        id_of: impl Fn(&F, u64) -> Result<u32, Refusal>,
    ) -> Result<(), Refusal> {
        let filters = self.filters.clone();
        for (id, each) in each(ops, usual, |switch| id_of(&filters, switch))? {
            let [a, b, c, d] = id.to_le_bytes();
            self.push(op, vec![a, b, c, d, each.is_on.into()], each.is_sweep);
        }
        Ok(())
    }
}

/// The id of a switch that is named by it.
///
/// # Errors
/// It is too great.
pub fn id(switch: u64) -> Result<u32, Refusal> {
    u32::try_from(switch).map_err(|_| Refusal::new(0, &format!("at most {}", u32::MAX)))
}

/// What becomes of a switch.
#[derive(Clone, Copy, Debug)]
struct Each {
    is_on: bool,
    is_sweep: bool,
}

/// Most switches of a line.
const MOST: u64 = 256;

/// What becomes of each switch of a table that has no command for several. To switch all off, the first `usual` ones are;
/// a target that has fewer says so.
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

/// What a command switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switched {
    /// A group.
    Group(u8, bool),
    /// A kind of record.
    Event(u32, bool),
    /// An object.
    Object(u32, bool),
    /// A signal.
    Signal(u32, bool),
    /// Groups and kinds off, or everything on.
    All(bool),
}

/// What a command switches; `None` if it does not.
#[must_use]
pub fn switched(op: Op, payload: &[u8]) -> Option<Switched> {
    Some(match (op, payload) {
        (Op::GROUP, &[id, on]) => Switched::Group(id, on == 1),
        (Op::EVENT, &[a, b, on]) => Switched::Event(u16::from_le_bytes([a, b]).into(), on == 1),
        (Op::OBJECT, &[a, b, c, d, on]) => Switched::Object(u32::from_le_bytes([a, b, c, d]), on == 1),
        (Op::SIGNAL, &[a, b, c, d, on]) => Switched::Signal(u32::from_le_bytes([a, b, c, d]), on == 1),
        (Op::ALL, &[on]) => Switched::All(on == 1),
        _ => return None,
    })
}

impl Switched {
    /// The switch after the command.
    #[must_use]
    pub fn switch(self, is_sure: bool) -> Switch {
        let (Switched::Group(_, on)
        | Switched::Event(_, on)
        | Switched::Object(_, on)
        | Switched::Signal(_, on)
        | Switched::All(on)) = self;
        if is_sure { Switch::known(on) } else { Switch::Unknown }
    }
}
