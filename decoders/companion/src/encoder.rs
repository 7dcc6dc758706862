//! Encodes commands, numbers their frames, and interprets answers.

use std::collections::{BTreeMap, VecDeque};

use spytui_plugin_api::{
    Answer, Command, DecoderOptions, Dict, Encoder, EncoderEventKind, Fault, FilterState, Frame, Frames, RVec, Refusal,
    Verdict,
    info::{AnswerStage, ArgInfo, CommandInfo, FilterGroup, FilterTable, filter_ranges},
};

use crate::{
    plan::{Filters, Plan, Planned, change, table},
    wire::{GUARD, LONGEST, Op, VERSION, frame, state, status, token},
};

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
        CommandInfo::new(FILTER, "filter", "choose the records that the target sends").with([ArgInfo::filter("SPEC")]),
        command(Op::READ, "info", "read back the target's filter and counters"),
        command(Op::NAMES, "dict", "send names and configuration again"),
        command(Op::RESET, "reset", "reset the target").confirmed(),
        command(Op::PING, "ping", "ask for the version of the companion"),
        command(Op::USER, "user", "run a command of the program")
            .with([ArgInfo::number("ID", 0..=255), ArgInfo::number("VALUE", any.clone()).optional()]),
        CommandInfo::new(FAULT, "fault", "inject a link fault, or run a command of the program (demo target)")
            .with([ArgInfo::choice("FAULT", FAULTS.map(|fault| fault.0)), ArgInfo::number("VALUE", any)]),
        CommandInfo::new(RAW, "raw", "send any command")
            .with([ArgInfo::number("OP", 0..=31), ArgInfo::hex("PAYLOAD").optional()]),
    ])
}

/// A group of switches: name, display name, ranges.
pub type Group<'a> = (&'a str, &'a str, &'a [(u64, u64)]);

/// The table of groups and kinds of records for the command `filter`: kinds up to `max`, named in a space.
pub fn event_filters(groups: &[Group<'_>], (max, space): (u64, u16), always_on: &[(u64, u64)]) -> FilterTable {
    FilterTable {
        id: table::EVENTS,
        command: FILTER,
        title: "events".into(),
        max,
        space,
        is_kinds: true,
        groups: groups.iter().map(|(name, title, ranges)| FilterGroup::new(name, title, ranges)).collect(),
        always_on: filter_ranges(always_on),
        reads_back: true,
        ..FilterTable::default()
    }
}

/// A table of single switches for the command `filter`: title, word before the numbers, maximum number.
pub fn single_filters(id: u16, title: &str, word: &str, (max, space): (u64, u16)) -> FilterTable {
    FilterTable { id, command: FILTER, title: title.into(), word: word.into(), max, space, ..FilterTable::default() }
}

/// Error message for a payload that is too long.
pub(crate) fn too_long() -> String {
    format!("at most {LONGEST} bytes")
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
    /// Sequence number of the last frame.
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
    op: Op,
    payload: Vec<u8>,
    is_sweep: bool,
    /// The user requested it; otherwise it starts the sequence numbers.
    is_asked_for: bool,
    /// Number of states that the target announced.
    announced: Option<u32>,
    states: BTreeMap<u8, u32>,
}

impl Sent {
    fn has_all_states(&self) -> bool {
        self.announced
            .is_some_and(|count| (0..count).all(|n| u8::try_from(n).is_ok_and(|n| self.states.contains_key(&n))))
    }
}

impl<F: Filters> Encoder for CompanionEncoder<F> {
    fn open(_: &DecoderOptions<'_>) -> Result<CompanionEncoder<F>, Fault> {
        Ok(CompanionEncoder::new())
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
            EncoderEventKind::CONNECTED | EncoderEventKind::RESET => self.start_anew(),
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
        if status == status::DONE && sent.op.is_question() {
            sent.announced = Some(answer.value as u32);
            return self.question(at);
        }
        let sent = self.sent.remove(at);
        let verdict = self.ended(&sent, status);
        if status == status::DONE && sent.op == Op::RESET {
            self.start_anew();
        }
        verdict
    }

    fn filter(&self, out: &mut Vec<FilterState>) {
        self.filters.report(out);
    }
}

impl<F: Filters> CompanionEncoder<F> {
    fn start_anew(&mut self) {
        *self = CompanionEncoder::new();
    }

    fn new() -> CompanionEncoder<F> {
        CompanionEncoder { seq: 0, begun: false, filters: F::default(), sent: Vec::new(), late: VecDeque::new() }
    }

    /// Handles an answer to a timed-out frame, which still reveals what the target did.
    fn late_answer(&mut self, answer: &Answer) -> Verdict {
        let is_command = |sent: &Sent| sent.token == answer.token && !sent.op.is_question();
        match self.late.iter().position(is_command).and_then(|at| self.late.remove(at)) {
            Some(sent) => self.ended(&sent, answer.item as u8),
            None => Verdict { stage: answer.stage, ..Verdict::default() },
        }
    }

    /// Completes a command by the status in its answer.
    fn ended(&mut self, sent: &Sent, status: u8) -> Verdict {
        match status {
            status::DONE => change(&mut self.filters, sent.op, &sent.payload, true),
            // When switching everything off, it doesn't matter if the target has fewer switches.
            status::NO_SUCH_ID if sent.is_sweep => {}
            _ => return Verdict { stage: AnswerStage::REFUSED, reason: status::reason(status).into() },
        }
        Verdict { stage: AnswerStage::ACCEPTED, ..Verdict::default() }
    }

    /// After a timeout it is unknown whether the target executed the command, and which sequence number it saw last.
    fn timed_out(&mut self, token: u64) {
        if let Some(at) = self.sent.iter().position(|sent| sent.token == token) {
            let sent = self.sent.swap_remove(at);
            change(&mut self.filters, sent.op, &sent.payload, false);
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
        if !self.sent[at].has_all_states() {
            return Verdict { stage: AnswerStage::PROGRESS, ..Verdict::default() };
        }
        let sent = self.sent.remove(at);
        if sent.op == Op::READ {
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
                    return Err(Refusal::new(1, &too_long()));
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
        self.frame(planned, out);
        if let Some(sent) = self.sent.last_mut() {
            sent.is_asked_for = true;
        }
    }

    fn begin(&mut self, out: &mut Frames) {
        self.begun = true;
        self.seq = 0;
        self.frame(Planned { op: Op::PING, payload: Vec::new(), is_sweep: false }, out);
    }

    fn frame(&mut self, Planned { op, payload, is_sweep }: Planned, out: &mut Frames) {
        let wire = frame(op, self.seq, &payload);
        let token = token(op.0, self.seq);
        let stage = if op.is_question() { AnswerStage::DATA } else { AnswerStage::ACCEPTED };
        // A reset must not be repeated if only its answer was lost.
        let retries = if op == Op::RESET { 0 } else { RETRIES };
        let frame =
            Frame { token, awaited: stage.bit(), retries, timeout_ms: TIMEOUT_MS, behind: BEHIND, ..Frame::default() };
        out.push(frame, |bytes| bytes.extend_from_copy_slice(&wire));
        self.sent.push(Sent {
            token,
            op,
            payload,
            is_sweep,
            is_asked_for: false,
            announced: None,
            states: BTreeMap::new(),
        });
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
