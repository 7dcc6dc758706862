//! Commands to lines.

use std::collections::VecDeque;

use spytui_companion::FAULTS;
use spytui_plugin_api::{
    Answer, ArgForm, Command, DecoderOptions, Dict, Encoder, EncoderEventKind, Fault, FilterState, Frame, Frames,
    Refusal, Verdict, info::AnswerStage,
};

use super::{
    filters::{CLASSES, OF_PROCESSES},
    id,
    kernel::{
        ALL_FAST, ALL_WIDE, CLASS_FAST, CLASS_WIDE, COMMANDS, EVENT_FAST, EVENT_WIDE, FLUSH, Kernel, LINEAR_MODE,
        RING_MODE, START, START_NO_STATE, STOP, class, event_word,
    },
    known::Known,
    spec,
    table::RESET_FAULT,
    verdict::{Asked, State, verdict},
};
use crate::config::{Config, PROFILE, Profile, RELEASE, USUAL_RELEASE};

/// How long a companion may take to answer.
const TIMEOUT_MS: u32 = 1000;
/// Bytes that a target's buffer may hold before the answer.
const BEHIND: u32 = 4096;
/// Longest line that a companion takes.
const LONGEST_LINE: usize = 255;
/// Lines without an answer that are kept.
const LATE: usize = 16;
/// Longest text of a mark that the kernel keeps.
const LONGEST_MARK: usize = 127;
/// Bytes of a kernel profile.
const KERNEL_PROFILE: usize = 32;

/// Turns commands into lines for a companion.
#[derive(Clone, Debug, Default)]
pub struct QnxEncoder {
    /// Id of the last line. It goes on after a reset, so that no late answer belongs to a later line.
    last: u32,
    profile: Option<Profile>,
    release: Option<u8>,
    /// The release that events were last numbered by.
    numbered_by: u8,
    /// Lines of the last command that have no answer yet.
    open: Vec<(u32, Asked)>,
    /// Lines without an answer in time, oldest first.
    late: VecDeque<(u32, Asked)>,
    /// A line was sent in part: its end goes before the next.
    cut: bool,
    /// What its answers said so far.
    reported: String,
    known: Known,
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
        // Those of a command before that are still open were given up.
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
                self.known = Known::default();
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
        // The last one says it all.
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
    /// The line that an answer belongs to.
    fn take(&mut self, token: u64) -> Option<Asked> {
        let of_token = |(id, _): &(u32, Asked)| u64::from(*id) == token;
        if let Some(at) = self.open.iter().position(of_token) {
            return Some(self.open.remove(at).1);
        }
        let at = self.late.iter().position(of_token)?;
        self.late.remove(at).map(|(_, asked)| asked)
    }

    /// Whether the target has executed a line is unknown, until an answer comes late.
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

    /// Adds a line with the next id. It is never sent again: what it does may already be done.
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
        // What was sent of the last line may be a command, too: it is made longer than any line that a target takes.
        let end_of_last =
            if std::mem::take(&mut self.cut) { "x".repeat(LONGEST_LINE + 1) + "\n" } else { String::new() };
        let line = format!("{end_of_last}{} {text}\n", self.last);
        out.push(frame, |bytes| bytes.extend_from_copy_slice(line.as_bytes()));
        self.open.push((self.last, asked));
    }
}

/// Refuses what no target of a profile takes.
fn takes(profile: Option<Profile>, command: u16) -> Encoded {
    let is_of_both = matches!(command, id::INFO | id::RESET | id::FAULT);
    match profile {
        Some(Profile::Qnx4) => Err(Refusal::new(0, "a target of qnx4 takes no commands")),
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
        id::FILTER => Ok(spec::commands(command.filter.as_slice(), release)?.into_iter().map(kernel).collect()),
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

/// How many words of events are sent: of all classes, of one, or of one event.
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
    let Ok(text) = std::str::from_utf8(text) else { return Err(Refusal::new(0, "a text is UTF-8")) };
    if text.chars().any(char::is_control) {
        return Err(Refusal::new(0, "a text has no control characters"));
    }
    if text.trim().is_empty() || text.len() > LONGEST_MARK {
        return Err(Refusal::new(0, &format!("a text has 1 to {LONGEST_MARK} bytes")));
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
