//! Turns a filter into commands and tracks the target's switches; encodes commands, numbers their frames, and interprets
//! answers.

use std::collections::{BTreeMap, VecDeque};

use spytui_plugin_api::{
    Answer, Command, DecoderOptions, Dict, Encoder, EncoderEventKind, Fault, FilterOp, FilterOpKind, FilterState,
    Frame, Frames, RVec, Refusal, Verdict,
    info::{AnswerStage, ArgForms, ArgInfo, CommandInfo, FilterGroup, FilterTable, Worth, filter_ranges},
};

use crate::wire::{GUARD, LONGEST, Op, VERSION, frame, state, status, token};

/// Ids of commands that differ from the command number on the wire.
pub(crate) const FILTER: u16 = 32;
pub(crate) const FAULT: u16 = 33;
pub(crate) const RAW: u16 = 34;

/// Faults and commands of the demo target with their numbers. Its reset is a separate command, which needs
/// confirmation.
pub const FAULTS: [(&str, u8); 12] = [
    ("flip", 1),
    ("loss", 2),
    ("noise", 3),
    ("dup", 4),
    ("burst", 5),
    ("link-rate", 6),
    ("garbage", 8),
    ("seed", 9),
    ("door", 32),
    ("flame-out", 33),
    ("incident", 34),
    ("calm", 35),
];

pub fn commands() -> RVec<CommandInfo> {
    let command = |op: Op, name, help| CommandInfo::new(op.0.into(), name, help);
    let any = 0..=u32::MAX.into();
    RVec::from(vec![
        CommandInfo::new(FILTER, "filter", "choose the records that the target sends")
            .with([ArgInfo::new("SPEC", ArgForms::FILTER)]),
        command(Op::READ, "info", "read back the target's filter and counters"),
        command(Op::NAMES, "dict", "send names and configuration again"),
        command(Op::RESET, "reset", "reset the target").confirmed(),
        command(Op::PING, "ping", "ask for the version of the companion"),
        command(Op::USER, "user", "run a command of the program")
            .with([ArgInfo::number("ID", 0..=255), ArgInfo::number("VALUE", any.clone()).optional()]),
        CommandInfo::new(FAULT, "fault", "inject a link fault, or run a command of the program (demo target)")
            .with([ArgInfo::choice("FAULT", FAULTS.map(|fault| fault.0)), ArgInfo::number("VALUE", any)]),
        CommandInfo::new(RAW, "raw", "send any command")
            .with([ArgInfo::number("OP", 0..=31), ArgInfo::new("PAYLOAD", ArgForms::HEX).optional()]),
    ])
}

/// A group of switches: name, display name, worth, ranges.
pub type Group<'a> = (&'a str, &'a str, Worth, &'a [(u64, u64)]);

/// The table of groups and kinds of records for the command `filter`: kinds up to `max`, named in a space.
pub fn event_filters(groups: &[Group<'_>], (max, space): (u64, u16), always_on: &[(u64, u64)]) -> FilterTable {
    let group = |&(name, title, worth, ranges): &_| FilterGroup { worth, ..FilterGroup::new(name, title, ranges) };
    FilterTable {
        id: table::EVENTS,
        command: FILTER,
        title: "events".into(),
        max,
        space,
        is_kinds: true,
        groups: groups.iter().map(group).collect(),
        always_on: filter_ranges(always_on),
        reads_back: true,
        ..FilterTable::default()
    }
}

/// A table of single switches for the command `filter`: title, word before the numbers, maximum number.
pub fn single_filters(id: u16, title: &str, word: &str, (max, space): (u64, u16)) -> FilterTable {
    FilterTable { id, command: FILTER, title: title.into(), word: word.into(), max, space, ..FilterTable::default() }
}

/// Time that a target may take to answer, and number of retries.
const TIMEOUT_MS: u32 = 200;
const RETRIES: u8 = 3;
/// Maximum number of bytes in the target's buffer before the answer.
const BEHIND: u32 = 4096;
/// Maximum number of unanswered frames kept.
const LATE: usize = 16;

#[derive(Clone, Debug, Default)]
pub struct CompanionEncoder<F> {
    seq: u8,
    /// The target knows that sequence numbers start over.
    begun: bool,
    filters: F,
    /// Unfinished frames of the last line.
    sent: Vec<Sent>,
    /// Timed-out frames of earlier lines, oldest first.
    late: VecDeque<Sent>,
}

/// A frame that is waiting to be sent or answered.
#[derive(Clone, Debug)]
struct Sent {
    token: u64,
    planned: Planned,
    /// The user requested it; otherwise it starts the sequence numbers.
    is_asked_for: bool,
    announced: Option<u32>,
    states: BTreeMap<u8, u32>,
}

impl<F: Filters> Encoder for CompanionEncoder<F> {
    fn open(_: &DecoderOptions<'_>) -> Result<CompanionEncoder<F>, Fault> {
        Ok(CompanionEncoder::default())
    }

    fn encode(&mut self, command: &Command<'_>, dict: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal> {
        // A refused command must not change anything.
        let mut next = self.clone();
        next.sent.clear();
        next.command(command, dict, out)?;
        *self = next;
        Ok(())
    }

    fn event(&mut self, kind: EncoderEventKind, token: u64) {
        match kind {
            EncoderEventKind::CONNECTED | EncoderEventKind::RESET => *self = CompanionEncoder::default(),
            // An incomplete frame is terminated by the flag that begins the next one.
            EncoderEventKind::TIMED_OUT | EncoderEventKind::SENT_IN_PART => self.timed_out(token),
            _ => {}
        }
    }

    fn answer(&mut self, answer: &Answer) -> Verdict {
        let status = answer.item as u8;
        let Some(at) = self.sent.iter().position(|sent| sent.token == answer.token) else {
            return self.late_answer(answer);
        };
        let sent = &mut self.sent[at];
        if let Some(n) = status::state(status) {
            sent.states.insert(n, answer.value as u32);
            return self.question(at);
        }
        if status == status::DONE && sent.planned.op.is_question() {
            sent.announced = Some(answer.value as u32);
            return self.question(at);
        }
        let sent = self.sent.remove(at);
        let verdict = self.ended(&sent, status);
        if status == status::DONE && sent.planned.op == Op::RESET {
            *self = CompanionEncoder::default();
        }
        verdict
    }

    fn filter(&self, out: &mut Vec<FilterState>) {
        self.filters.report(out);
    }
}

impl<F: Filters> CompanionEncoder<F> {
    /// Handles an answer to a timed-out frame, which still reveals what the target did.
    fn late_answer(&mut self, answer: &Answer) -> Verdict {
        let is_command = |sent: &Sent| sent.token == answer.token && !sent.planned.op.is_question();
        match self.late.iter().position(is_command).and_then(|at| self.late.remove(at)) {
            Some(sent) => self.ended(&sent, answer.item as u8),
            None => Verdict { stage: answer.stage, ..Verdict::default() },
        }
    }

    /// Completes a command by the status in its answer.
    fn ended(&mut self, sent: &Sent, status: u8) -> Verdict {
        match status {
            status::DONE => change(&mut self.filters, &sent.planned, true),
            // When switching everything off, it doesn't matter if the target has fewer switches.
            status::NO_SUCH_ID if sent.planned.is_sweep => {}
            _ => return Verdict { stage: AnswerStage::REFUSED, reason: status::reason(status).into() },
        }
        Verdict { stage: AnswerStage::ACCEPTED, ..Verdict::default() }
    }

    /// After a timeout it is unknown whether the target executed the command, and which sequence number it saw last.
    fn timed_out(&mut self, token: u64) {
        if let Some(at) = self.sent.iter().position(|sent| sent.token == token) {
            let sent = self.sent.swap_remove(at);
            change(&mut self.filters, &sent.planned, false);
            if self.late.len() == LATE {
                self.late.pop_front();
            }
            self.late.push_back(sent);
        }
        self.sent.clear();
        self.begun = false;
    }

    /// Completes a question once all its states have arrived.
    fn question(&mut self, at: usize) -> Verdict {
        let Sent { announced, states, .. } = &self.sent[at];
        let has_come = |n: u32| u8::try_from(n).is_ok_and(|n| states.contains_key(&n));
        if !announced.is_some_and(|count| (0..count).all(has_come)) {
            return Verdict { stage: AnswerStage::PROGRESS, ..Verdict::default() };
        }
        let sent = self.sent.remove(at);
        if sent.planned.op == Op::READ {
            self.filters.read_back(&sent.states);
        }
        let is_other = sent.states.get(&state::VERSION).is_some_and(|version| *version != VERSION.into());
        let reason = if sent.is_asked_for || is_other { said(&sent.states) } else { String::new() };
        Verdict { stage: AnswerStage::DATA, reason: reason.as_str().into() }
    }

    fn command(&mut self, command: &Command<'_>, dict: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal> {
        match command.id {
            FILTER => return self.filter_line(command, dict, out),
            FAULT => {
                let fault = FAULTS.get(command.number(0) as usize);
                let fault = fault.ok_or_else(|| Refusal::new(0, "unknown fault"))?;
                self.user(fault.1.into(), command, out);
            }
            RAW => {
                let payload = command.bytes(1);
                if payload.len() > LONGEST {
                    return Err(Refusal::new(1, &format!("at most {LONGEST} bytes")));
                }
                self.send(Op(command.number(0) as u8), payload, out);
            }
            // The ping that starts the sequence numbers already asks for the version.
            id if Op(id as u8) == Op::PING && !self.begun => {
                self.begin(out);
                self.sent.iter_mut().for_each(|ping| ping.is_asked_for = true);
            }
            id => match Op(id as u8) {
                Op::RESET => self.send(Op::RESET, GUARD, out),
                Op::USER => self.user(command.number(0), command, out),
                op @ (Op::PING | Op::NAMES | Op::READ) => self.send(op, &[], out),
                _ => return Err(Refusal::new(0, "unknown command")),
            },
        }
        Ok(())
    }

    fn user(&mut self, id: u64, command: &Command<'_>, out: &mut Frames) {
        let [a, b, c, d] = (command.number(1) as u32).to_le_bytes();
        self.send(Op::USER, &[id as u8, a, b, c, d], out);
    }

    fn filter_line(&mut self, command: &Command<'_>, dict: &Dict<'_>, out: &mut Frames) -> Result<(), Refusal> {
        self.filters.learn(command, dict)?;
        let mut plan = Plan::new(&self.filters);
        plan.filter(command)?;
        plan.remarks.iter().for_each(|remark| out.remark(remark));
        for planned in plan.commands {
            self.planned(planned, out);
        }
        Ok(())
    }

    fn send(&mut self, op: Op, payload: &[u8], out: &mut Frames) {
        self.planned(Planned { op, payload: payload.to_vec(), is_sweep: false }, out);
    }

    /// Adds a frame, preceded by a ping that starts the sequence numbers if necessary.
    fn planned(&mut self, planned: Planned, out: &mut Frames) {
        if !self.begun {
            self.begin(out);
        }
        self.seq = if self.seq == u8::MAX { 1 } else { self.seq + 1 };
        self.frame(planned, true, out);
    }

    fn begin(&mut self, out: &mut Frames) {
        self.begun = true;
        self.seq = 0;
        self.frame(Planned { op: Op::PING, payload: Vec::new(), is_sweep: false }, false, out);
    }

    fn frame(&mut self, planned: Planned, is_asked_for: bool, out: &mut Frames) {
        let op = planned.op;
        let wire = frame(op, self.seq, &planned.payload);
        let token = token(op.0, self.seq);
        let stage = if op.is_question() { AnswerStage::DATA } else { AnswerStage::ACCEPTED };
        // A reset must not be repeated if only its answer was lost.
        let retries = if op == Op::RESET { 0 } else { RETRIES };
        let frame =
            Frame { token, awaited: stage.bit(), retries, timeout_ms: TIMEOUT_MS, behind: BEHIND, ..Frame::default() };
        out.push(frame, |bytes| bytes.extend_from_copy_slice(&wire));
        self.sent.push(Sent { token, planned, is_asked_for, announced: None, states: BTreeMap::new() });
    }
}

fn said(states: &BTreeMap<u8, u32>) -> String {
    let mut words = Vec::new();
    if let Some(version) = states.get(&state::VERSION) {
        let other = if *version == u32::from(VERSION) { "" } else { ", which is unknown" };
        words.push(format!("version {version}{other}"));
    }
    if let Some(dropped) = states.get(&state::DROPPED) {
        words.push(format!("{dropped} records dropped"));
    }
    if let Some(peak) = states.get(&state::PEAK) {
        words.push(format!("ring peak {peak} bytes"));
    }
    words.join(", ")
}

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
pub(crate) fn change(filters: &mut impl Filters, planned: &Planned, is_sure: bool) {
    if let Some((id, is_on)) = switched(planned.op, &planned.payload) {
        let switch = if is_sure { Switch::known(is_on) } else { Switch::Unknown };
        filters.change(planned.op, id, is_on, switch);
    }
}

#[derive(Debug)]
pub struct Plan<F> {
    /// The state once all commands so far are executed.
    pub filters: F,
    pub(crate) commands: Vec<Planned>,
    pub(crate) remarks: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) op: Op,
    pub(crate) payload: Vec<u8>,
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
        let planned = Planned { op, payload, is_sweep };
        change(&mut self.filters, &planned, true);
        self.commands.push(planned);
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

    /// Plans a table without commands for groups or ranges. Switching everything off means the first `usual` switches; a
    /// target with fewer reports an error.
    fn each<'o>(
        &mut self,
        op: Op,
        ops: impl Iterator<Item = &'o FilterOp>,
        usual: u32,
        id_of: impl Fn(u64) -> Result<u32, Refusal>,
    ) -> Result<(), Refusal> {
        let planned = |id: u32, is_on: bool, is_sweep: bool| {
            let [a, b, c, d] = id.to_le_bytes();
            Planned { op, payload: vec![a, b, c, d, is_on.into()], is_sweep }
        };
        let mut changes = BTreeMap::new();
        for op in ops {
            if op.kind == FilterOpKind::CLEAR {
                changes.extend((0..usual).map(|id| (id, planned(id, false, true))));
                continue;
            }
            if op.last.saturating_sub(op.first) >= MOST {
                return Err(Refusal::new(0, &format!("{}..{}: at most {MOST} at once", op.first, op.last)));
            }
            for switch in op.first..=op.last {
                let id = id_of(switch)?;
                changes.insert(id, planned(id, op.kind == FilterOpKind::ON, false));
            }
        }
        for Planned { op, payload, is_sweep } in changes.into_values() {
            self.push(op, payload, is_sweep);
        }
        Ok(())
    }
}

/// Uses the number of a switch as its id.
fn id(switch: u64) -> Result<u32, Refusal> {
    u32::try_from(switch).map_err(|_| Refusal::new(0, &format!("at most {}", u32::MAX)))
}

const MOST: u64 = 256;

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
    /// Switches that may differ from `rest`.
    pub own: BTreeMap<u32, Switch>,
    pub rest: Switch,
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

    /// Reports the switches from 0 to `last`.
    pub fn report(&self, table: u16, last: u32, out: &mut Vec<FilterState>) {
        let mut next = 0;
        for (&id, &switch) in &self.own {
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
