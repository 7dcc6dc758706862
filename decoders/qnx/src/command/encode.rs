//! Encodes commands as lines, turns a filter into kernel commands, tracks the target's filters, and interprets answers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use spytui_companion::FAULTS;
use spytui_plugin_api::{
    Answer, ArgForm, Command, DecoderOptions, Dict, Encoder, EncoderEventKind, Fault, FilterOp, FilterOpKind,
    FilterState, Frame, Frames, NONE, Refusal, Verdict, info::AnswerStage,
};

use super::{
    RESET_FAULT,
    filters::{
        ADD_ALL, ADD_CLASS, ADD_EVENT, ALL, ALL_FAST, ALL_WIDE, CLASS_FAST, CLASS_WIDE, CLASSES, CLR_CLASS_PID,
        COMMANDS, DEL_ALL, DEL_CLASS, DEL_EVENT, EVENT_FAST, EVENT_WIDE, FLUSH, Kernel, LINEAR_MODE, OF_CLASSES,
        OF_EVENTS, OF_PROCESSES, QUERY_EVENTS, RING_MODE, SET_CLASS_PID, SET_CLASS_TID, START, START_NO_STATE, STOP,
        class, event_of, event_of_switch, event_word, has_vthreads, name_of, switch,
    },
    id,
};
use crate::{
    config::{Config, PROFILE, Profile, RELEASE, USUAL_RELEASE},
    text,
};

/// How long a companion may take to answer, in ms.
const TIMEOUT_MS: u32 = 1000;
/// Maximum number of bytes in the target's buffer before the answer.
const BEHIND: u32 = 4096;
const LONGEST_LINE: usize = 255;
/// Maximum number of unanswered lines kept.
const LATE: usize = 16;
/// Maximum length of a mark's text that the kernel keeps.
const LONGEST_MARK: usize = 127;
/// Size of a kernel profile mask in bytes.
const KERNEL_PROFILE: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct QnxEncoder {
    /// Id of the last line. It keeps counting after a reset, so that a late answer never matches a later line.
    last: u32,
    profile: Option<Profile>,
    release: Option<u8>,
    numbered_by: u8,
    /// Unanswered lines of the last command.
    open: Vec<(u32, Asked)>,
    /// Lines without a timely answer, oldest first.
    late: VecDeque<(u32, Asked)>,
    /// A line was sent only in part; it must be terminated before the next one.
    cut: bool,
    reported: String,
    known: KnownClasses,
}

type Encoded = Result<(), Refusal>;

impl Encoder for QnxEncoder {
    fn open(opts: &DecoderOptions<'_>) -> Result<QnxEncoder, Fault> {
        Ok(QnxEncoder { profile: PROFILE.given(opts)?, release: RELEASE.given(opts)?, ..QnxEncoder::default() })
    }

    fn set_options(&mut self, opts: &DecoderOptions<'_>) -> Result<(), Fault> {
        (self.profile, self.release) = (PROFILE.given(opts)?, RELEASE.given(opts)?);
        Ok(())
    }

    fn encode(&mut self, command: &Command<'_>, _: &Dict<'_>, out: &mut Frames) -> Encoded {
        let config = (!command.cfg.is_empty()).then(|| Config::from_blob(command.cfg.as_slice()));
        let profile = config.map(|config| config.profile).or(self.profile);
        takes(profile, command.id)?;
        if profile.is_none() {
            out.remark("the target's format is not known yet: assumed kev");
        }
        let release = config.and_then(|config| config.release).or(self.release).unwrap_or(USUAL_RELEASE);
        let lines = lines(command, profile.unwrap_or(Profile::Kev), release)?;
        if command.filter.iter().any(|op| op.table == OF_PROCESSES) {
            out.remark("pid: is for kernel calls, threads, system and messages");
        }
        // Open lines of an earlier command were given up.
        self.open.clear();
        self.reported.clear();
        self.numbered_by = release;
        for (text, asked) in lines {
            self.line(&text, asked, out);
        }
        Ok(())
    }

    fn event(&mut self, kind: EncoderEventKind, token: u64) {
        match kind {
            EncoderEventKind::CONNECTED | EncoderEventKind::RESET => {
                self.open.clear();
                self.late.clear();
                self.cut = false;
                self.known = KnownClasses::default();
            }
            EncoderEventKind::TIMED_OUT => self.doubt(token),
            EncoderEventKind::SENT_IN_PART => {
                self.doubt(token);
                self.cut = true;
            }
            _ => {}
        }
    }

    fn answer(&mut self, answer: &Answer) -> Verdict {
        let Some(asked) = self.take(answer.token) else {
            return Verdict { stage: answer.stage, ..Verdict::default() };
        };
        let result = answer.value as u32;
        let mut verdict = verdict(&asked, result);
        // The last answer reports everything.
        if verdict.stage == AnswerStage::DATA {
            let comma = if self.reported.is_empty() { "" } else { ", " };
            self.reported += &format!("{comma}{}", verdict.reason);
            verdict.reason = self.reported.as_str().into();
        }
        match asked {
            Asked::State(State::Classes) if verdict.stage == AnswerStage::DATA => self.known.read(result),
            Asked::Kernel(kernel) if verdict.stage == AnswerStage::ACCEPTED => {
                self.known.change(&kernel, self.numbered_by, true);
            }
            _ => {}
        }
        verdict
    }

    fn filter(&self, out: &mut Vec<FilterState>) {
        self.known.states(out);
    }
}

impl QnxEncoder {
    /// Removes the line that an answer belongs to.
    fn take(&mut self, token: u64) -> Option<Asked> {
        let of_token = |(id, _): &(u32, Asked)| u64::from(*id) == token;
        if let Some(at) = self.open.iter().position(of_token) {
            return Some(self.open.remove(at).1);
        }
        let at = self.late.iter().position(of_token)?;
        self.late.remove(at).map(|(_, asked)| asked)
    }

    /// Notes that a line may or may not have been executed, unless a late answer arrives.
    fn doubt(&mut self, token: u64) {
        let Some(asked) = self.take(token) else { return };
        if let Asked::Kernel(kernel) = &asked {
            self.known.change(kernel, self.numbered_by, false);
        }
        if self.late.len() == LATE {
            self.late.pop_front();
        }
        self.late.push_back((token as u32, asked));
    }

    /// Adds a line with the next id. It is never retransmitted, because it may already have been executed.
    fn line(&mut self, text: &str, asked: Asked, out: &mut Frames) {
        self.last = self.last.checked_add(1).unwrap_or(1);
        let stage = if matches!(asked, Asked::State(_)) { AnswerStage::DATA } else { AnswerStage::ACCEPTED };
        let frame = Frame {
            token: self.last.into(),
            awaited: stage.bit(),
            timeout_ms: TIMEOUT_MS,
            behind: BEHIND,
            ..Frame::default()
        };
        // What was sent of the last line may be a command by itself, so it is extended beyond the maximum length of a
        // line.
        let end_of_last =
            if std::mem::take(&mut self.cut) { "x".repeat(LONGEST_LINE + 1) + "\n" } else { String::new() };
        let line = format!("{end_of_last}{} {text}\n", self.last);
        out.push(frame, |bytes| bytes.extend_from_copy_slice(line.as_bytes()));
        self.open.push((self.last, asked));
    }
}

/// Refuses commands that no target with this profile supports.
fn takes(profile: Option<Profile>, command: u16) -> Encoded {
    let is_of_both = matches!(command, id::INFO | id::RESET | id::FAULT);
    match profile {
        Some(Profile::Qnx4) => Err(Refusal::new(0, "qnx4 targets take no commands")),
        Some(Profile::Nto1) if !is_of_both && command != id::KPROF => {
            Err(Refusal::new(0, "nto1 has no classes: kprof BITS disables events of the kernel profile"))
        }
        Some(Profile::Kev) if command == id::KPROF => Err(Refusal::new(0, "kprof is for nto1; here use filter")),
        _ => Ok(()),
    }
}

/// The lines of a command, without ids.
fn lines(command: &Command<'_>, profile: Profile, release: u8) -> Result<Vec<(String, Asked)>, Refusal> {
    let is_first = command.number(0) == 0;
    let plain = |number| Ok(vec![kernel(Kernel::new(number, &[]))]);
    match command.id {
        id::FILTER => Ok(commands(command.filter.as_slice(), release)?.into_iter().map(kernel).collect()),
        id::INFO => {
            let states = State::ALL.into_iter().filter(|state| profile == Profile::Kev || *state != State::Classes);
            Ok(states.map(|state| (format!("query {}", state as u8), Asked::State(state))).collect())
        }
        id::DICT => Ok([STOP, START].map(|number| kernel(Kernel::new(number, &[]))).to_vec()),
        id::RESET => Ok(vec![(format!("fault {RESET_FAULT} 1"), Asked::Fault)]),
        id::START => plain(if command.value(0).is_some() { START_NO_STATE } else { START }),
        id::STOP => plain(STOP),
        id::FLUSH => plain(FLUSH),
        id::MODE => plain(if is_first { RING_MODE } else { LINEAR_MODE }),
        id::FAST => Ok(vec![kernel(words_sent(command, [ALL_FAST, CLASS_FAST, EVENT_FAST], release)?)]),
        id::WIDE => Ok(vec![kernel(words_sent(command, [ALL_WIDE, CLASS_WIDE, EVENT_WIDE], release)?)]),
        id::MARK => Ok(vec![mark(command.bytes(0))?]),
        id::TEV => Ok(vec![kernel(any(command)?)]),
        id::KPROF => Ok(vec![kernel_profile(command.bytes(0))?]),
        id::FAULT => Ok(vec![fault(command)?]),
        _ => Err(Refusal::new(0, "unknown command")),
    }
}

fn kernel(kernel: Kernel) -> (String, Asked) {
    let words: String = kernel.words.iter().map(|word| format!(" {word}")).collect();
    (format!("tev {}{words}", kernel.number), Asked::Kernel(kernel))
}

/// Sets how many words of events are sent: for all classes, one class, or one event.
fn words_sent(command: &Command<'_>, [all, of_class, of_event]: [u32; 3], release: u8) -> Result<Kernel, Refusal> {
    let at = (command.number(0) as usize).checked_sub(1);
    let event = command.value(1).map(|value| value.num as u32);
    let Some(class) = at.and_then(|at| CLASSES.get(at)) else {
        return match event {
            None => Ok(Kernel::new(all, &[])),
            Some(_) => Err(Refusal::new(1, "an event belongs to a class: name that")),
        };
    };
    let Some(event) = event else { return Ok(Kernel::new(of_class, &[class.number])) };
    if [class::CALLS, class::INTERRUPTS].contains(&class.number) {
        return Err(Refusal::new(0, &format!("{} stands for several classes: name one of them", class.name)));
    }
    let word = event_word(class.number, event, release).ok_or_else(|| Refusal::new(1, "events go from 0 to 31"))?;
    Ok(Kernel::new(of_event, &[class.number, word]))
}

fn any(command: &Command<'_>) -> Result<Kernel, Refusal> {
    let known = match command.value(0) {
        Some(value) if value.form == ArgForm::CHOICE => COMMANDS.get(value.num as usize),
        value => COMMANDS.iter().find(|known| value.is_some_and(|value| u64::from(known.0) == value.num)),
    };
    let Some((number, name, words)) = known else {
        return Err(Refusal::new(0, "a companion takes 1 to 6, 10, 11, 14 to 29 and 33 to 35"));
    };
    let given: Vec<u32> = command.values(1).map(|value| value.num as u32).collect();
    if given.len() != words.len() {
        let wanted = if words.is_empty() { "no words".to_owned() } else { words.join(" ") };
        return Err(Refusal::new(1, &format!("{name} has {wanted}")));
    }
    Ok(Kernel { number: *number, words: given })
}

fn mark(text: &[u8]) -> Result<(String, Asked), Refusal> {
    let Ok(text) = std::str::from_utf8(text) else { return Err(Refusal::new(0, "the text must be UTF-8")) };
    if text.chars().any(char::is_control) {
        return Err(Refusal::new(0, "the text must not contain control characters"));
    }
    if text.trim().is_empty() || text.len() > LONGEST_MARK {
        return Err(Refusal::new(0, &format!("the text must have 1 to {LONGEST_MARK} bytes")));
    }
    Ok((format!("mark {}", text.trim()), Asked::Other))
}

fn kernel_profile(bits: &[u8]) -> Result<(String, Asked), Refusal> {
    if bits.len() != KERNEL_PROFILE {
        let digits = 2 * bits.len();
        return Err(Refusal::new(0, &format!("{} hexadecimal digits, not {digits}", 2 * KERNEL_PROFILE)));
    }
    let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((format!("kprof {digits}"), Asked::Other))
}

fn fault(command: &Command<'_>) -> Result<(String, Asked), Refusal> {
    let number = match command.value(0) {
        Some(value) if value.form == ArgForm::CHOICE => {
            FAULTS.get(value.num as usize).map_or(0, |fault| u64::from(fault.1))
        }
        _ => command.number(0),
    };
    if number == RESET_FAULT.into() {
        return Err(Refusal::new(0, "7 resets the target: use reset"));
    }
    Ok((format!("fault {number} {}", command.number(1)), Asked::Fault))
}

/// Maximum number of commands for a filter: each is acknowledged before the next one is sent.
const MOST: usize = 64;

/// The commands that make the changes, in order.
pub(super) fn commands(ops: &[FilterOp], release: u8) -> Result<Vec<Kernel>, Refusal> {
    let mut spec = Spec { release, commands: Vec::new(), process: None };
    for (at, op) in ops.iter().enumerate() {
        match op.table {
            _ if op.kind == FilterOpKind::CLEAR => spec.clear(op, ops.get(at + 1)),
            OF_CLASSES => spec.classes(op)?,
            OF_EVENTS => spec.events(op)?,
            _ => spec.processes(op)?,
        }
    }
    if spec.commands.len() > MOST {
        return Err(Refusal::new(0, &format!("more than {MOST} commands to the kernel: name classes")));
    }
    Ok(spec.commands)
}

struct Spec {
    release: u8,
    commands: Vec<Kernel>,
    process: Option<u64>,
}

impl Spec {
    fn push(&mut self, number: u32, words: &[u32]) {
        self.commands.push(Kernel::new(number, words));
    }

    /// Switches everything off: only for classes and events, and not if everything is switched on next.
    fn clear(&mut self, op: &FilterOp, next: Option<&FilterOp>) {
        let is_all = next.is_some_and(|next| next.group == ALL);
        match op.table {
            OF_CLASSES if is_all => {}
            OF_CLASSES | OF_EVENTS => self.push(DEL_ALL, &[]),
            _ => {}
        }
    }

    fn classes(&mut self, op: &FilterOp) -> Result<(), Refusal> {
        let is_on = op.kind == FilterOpKind::ON;
        let (all, one) = if is_on { (ADD_ALL, ADD_CLASS) } else { (DEL_ALL, DEL_CLASS) };
        if let Some(class) = CLASSES.get(usize::from(op.group)) {
            return self.class(one, class.number);
        }
        let first = match op.group {
            NONE => op.first,
            ALL => {
                self.push(all, &[]);
                return Ok(());
            }
            _ => class::CONTROL.into(),
        };
        if first <= class::CONTROL.into() {
            return Err(Refusal::new(0, "CTRL is always sent: it contains the time and the buffer numbers"));
        }
        for class in op.first..=op.last.min(class::PMU.into()) {
            self.class(one, class as u32)?;
        }
        Ok(())
    }

    fn class(&mut self, number: u32, class: u32) -> Result<(), Refusal> {
        if class == class::VTHREAD && !has_vthreads(self.release) {
            return Err(Refusal::new(0, "release 8 has no virtual threads"));
        }
        self.push(number, &[class]);
        Ok(())
    }

    fn events(&mut self, op: &FilterOp) -> Result<(), Refusal> {
        let number = if op.kind == FilterOpKind::ON { ADD_EVENT } else { DEL_EVENT };
        for (class, event) in (op.first..=op.last).take(MOST + 1).map(event_of_switch) {
            let Some(word) = event_word(class, event, self.release) else {
                let name = name_of(class).unwrap_or_default();
                return Err(Refusal::new(0, &format!("events of {name} go from 0 to 31 before release 8")));
            };
            self.push(number, &[class, word]);
        }
        Ok(())
    }

    /// The kernel can send the events of all processes or of a single one.
    fn processes(&mut self, op: &FilterOp) -> Result<(), Refusal> {
        let is_all = op.group != NONE;
        if op.kind == FilterOpKind::OFF {
            return Err(Refusal::new(0, "no process can be left out: =pid:NAME for one alone, +pid:ALL for all"));
        }
        if !is_all && (op.first != op.last || self.process.is_some_and(|process| process != op.first)) {
            return Err(Refusal::new(0, "one process, or +pid:ALL: the kernel keeps one number for each class"));
        }
        self.process = Some(op.first);
        for class in [class::CALLS, class::THREAD, class::VTHREAD, class::SYSTEM, class::COMM] {
            if class == class::VTHREAD && !has_vthreads(self.release) {
                continue;
            }
            match is_all {
                true => self.push(CLR_CLASS_PID, &[class]),
                false => self.push(SET_CLASS_PID, &[class, op.first as u32]),
            }
        }
        Ok(())
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct KnownClasses {
    /// Bit mask of the classes whose state is known.
    classes: u32,
    /// Bit mask of those that are on.
    on: u32,
    /// Events switched since their class was, by class and number.
    events: BTreeMap<(u32, u32), bool>,
    /// Processes that are the only ones sent, by bit mask of classes.
    processes: BTreeMap<u32, u32>,
}

impl KnownClasses {
    pub(super) fn read(&mut self, classes: u32) {
        self.classes = class::SWITCHED;
        self.on = classes;
    }

    /// Applies a kernel command; if not `is_sure`, it may not have been executed.
    pub(super) fn change(&mut self, kernel: &Kernel, release: u8, is_sure: bool) {
        let word = |at: usize| kernel.words.get(at).copied().unwrap_or(0);
        let (number, class) = (kernel.number, class::bits(word(0)));
        match number {
            ADD_ALL | DEL_ALL => self.switch(class::SWITCHED, number == ADD_ALL, is_sure),
            ADD_CLASS | DEL_CLASS => self.switch(class, number == ADD_CLASS, is_sure),
            ADD_EVENT | DEL_EVENT => {
                let event = (word(0), event_of(word(0), word(1), release));
                match (is_sure, number == ADD_EVENT) {
                    (true, is_on) => {
                        let class = if is_on { class } else { 0 };
                        (self.classes, self.on) = (self.classes | class, self.on | class);
                        self.events.insert(event, is_on);
                    }
                    (false, true) => self.switch(class, true, false),
                    (false, false) => drop(self.events.remove(&event)),
                }
            }
            SET_CLASS_PID | SET_CLASS_TID | CLR_CLASS_PID => {
                self.processes.retain(|of, _| of & class == 0);
                if is_sure && number != CLR_CLASS_PID && word(1) > 0 {
                    self.processes.insert(class, word(1));
                }
            }
            _ => {}
        }
    }

    /// Switches classes including their events.
    fn switch(&mut self, classes: u32, is_on: bool, is_sure: bool) {
        self.classes = if is_sure { self.classes | classes } else { self.classes & !classes };
        self.on = if is_on { self.on | classes } else { self.on & !classes };
        self.events.retain(|(class, _), _| class::bits(*class) & classes == 0);
    }

    pub(super) fn states(&self, out: &mut Vec<FilterState>) {
        let state = |table, first, is_on| FilterState { table, is_on, is_known: true, first, last: first };
        for class in (0..=class::PMU).filter(|class| self.classes >> class & 1 == 1) {
            out.push(state(OF_CLASSES, class.into(), self.on >> class & 1 == 1));
        }
        out.extend(self.events.iter().map(|((class, event), is_on)| state(OF_EVENTS, switch(*class, *event), *is_on)));
        let processes: BTreeSet<u32> = self.processes.values().copied().collect();
        out.extend(processes.into_iter().map(|process| state(OF_PROCESSES, process.into(), true)));
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    State(State),
    Kernel(Kernel),
    /// A fault, or an application command.
    Fault,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Version = 0,
    Drops = 1,
    Peak = 2,
    Classes = 3,
}

impl State {
    pub(super) const ALL: [State; 4] = [State::Version, State::Drops, State::Peak, State::Classes];
}

pub(super) fn verdict(asked: &Asked, result: u32) -> Verdict {
    let said = |stage: AnswerStage, reason: String| Verdict { stage, reason: reason.into() };
    match asked {
        // An error number has bits of classes that cannot be switched.
        Asked::State(State::Classes) if result & !class::SWITCHED != 0 => {
            said(AnswerStage::REFUSED, format!("{}: it has no classes", error(result)))
        }
        Asked::State(state) => said(AnswerStage::DATA, reported(*state, result)),
        Asked::Kernel(Kernel { number: QUERY_EVENTS, .. }) => said(AnswerStage::ACCEPTED, format!("result {result}")),
        _ if result == 0 => said(AnswerStage::ACCEPTED, String::new()),
        _ => said(AnswerStage::REFUSED, format!("{}: {}", error(result), why(asked, result))),
    }
}

fn error(result: u32) -> String {
    text::errno_name(result).map_or_else(|| format!("errno {result}"), str::to_owned)
}

fn why(asked: &Asked, result: u32) -> &'static str {
    const ENOMEM: u32 = 12;
    const EINVAL: u32 = 22;
    match (result, asked) {
        (EINVAL, Asked::Kernel(kernel)) if !kernel.words.is_empty() => {
            "this target has no such command, class or event"
        }
        (EINVAL, Asked::Fault) => "this target has no such fault or command",
        (EINVAL, _) => "not a command of this target",
        (ENOMEM, _) => "no room for another event filter",
        _ => "the target could not do it",
    }
}

fn reported(state: State, value: u32) -> String {
    match state {
        State::Version => format!("companion version {value}"),
        State::Drops => format!("dropped so far: {value}"),
        State::Peak => format!("peak of the ring: {value} bytes"),
        State::Classes => format!("classes on: {}", classes(value)),
    }
}

/// Names of classes; several share a name if all are on.
fn classes(on: u32) -> String {
    if on == class::SWITCHED {
        return "all".to_owned();
    }
    if on == 0 {
        return "none".to_owned();
    }
    let mut names = Vec::new();
    let mut left = on;
    for several in [class::CALLS, class::INTERRUPTS] {
        if on & class::bits(several) == class::bits(several) {
            names.extend(name_of(several));
            left &= !class::bits(several);
        }
    }
    names.extend((0..=class::PMU).filter(|class| left >> class & 1 == 1).filter_map(name_of));
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(asked: &Asked, result: u32) -> String {
        let verdict = verdict(asked, result);
        format!("{} {}", verdict.stage.0, verdict.reason)
    }

    #[test]
    fn states_are_data() {
        assert_eq!(text(&Asked::State(State::Version), 1), "3 companion version 1");
        assert_eq!(text(&Asked::State(State::Drops), 22), "3 dropped so far: 22");
        assert_eq!(text(&Asked::State(State::Classes), class::SWITCHED), "3 classes on: all");
        assert_eq!(text(&Asked::State(State::Classes), 0), "3 classes on: none");
        assert_eq!(text(&Asked::State(State::Classes), 0b11_1000 | 1 << 7), "3 classes on: CALL INT_ENTR");
        assert_eq!(text(&Asked::State(State::Classes), 22), "4 EINVAL: it has no classes");
    }

    #[test]
    fn results_are_accepted_or_errors() {
        let kernel = |number, words: &[u32]| Asked::Kernel(Kernel::new(number, words));
        assert_eq!(text(&kernel(4, &[2]), 0), "1 ");
        assert_eq!(text(&kernel(4, &[2]), 22), "4 EINVAL: this target has no such command, class or event");
        assert_eq!(text(&kernel(10, &[]), 22), "4 EINVAL: not a command of this target");
        assert_eq!(text(&kernel(15, &[]), 3), "1 result 3");
        assert_eq!(text(&kernel(24, &[3, 4, 5]), 12), "4 ENOMEM: no room for another event filter");
        assert_eq!(text(&Asked::Fault, 22), "4 EINVAL: this target has no such fault or command");
        assert_eq!(text(&Asked::Other, 260), "4 errno 260: the target could not do it");
    }
}
