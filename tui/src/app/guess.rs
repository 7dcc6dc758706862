//! What the bytes that came look like: sizes that nobody told, and which decoder they are for.

use std::sync::Arc;

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use spytui_engine::{
    log::RawLog,
    plugin::{
        Options,
        guess::{Likely, SAMPLE, Suggestion, likely, reasons, with_suggestion},
    },
    session::Decoding,
};

use super::state::App;

/// Frames from which on it is told that their sizes are wrong.
const FEWEST: u64 = 20;
/// One of so many records that does not fit makes its sizes doubtful.
const DOUBT: u64 = 20;

/// What was guessed for a source with its present decoder.
#[derive(Debug, Default)]
pub struct Guessing {
    /// Bytes that must have come before it is tried again.
    next: u64,
    /// Options that were guessed, not given.
    guessed: Vec<(String, String)>,
    /// What another decoder makes of the bytes: its name, and the sentence that says so.
    other: Option<(String, String)>,
    /// Bytes of the log when the other decoders are asked next.
    ask_others: u64,
    /// What is being found out, about which decoding.
    asked: Option<(Receiver<Answer>, Arc<Decoding>)>,
}

impl Guessing {
    /// Whether sizes in force were guessed.
    #[must_use]
    pub fn is_used(&self) -> bool {
        !self.guessed.is_empty()
    }

    /// The user told this option: it is guessed no more.
    pub fn told(&mut self, key: &str) {
        self.guessed.retain(|g| g.0 != key);
    }

    /// Whether something is being found out.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.asked.is_some()
    }

    /// The decoder that the bytes look like, if it is not the present one.
    #[must_use]
    pub fn other(&self) -> Option<&str> {
        self.other.as_ref().map(|o| o.0.as_str())
    }

    /// The same as a sentence with a next step.
    #[must_use]
    pub fn sentence(&self) -> Option<&str> {
        self.other.as_ref().map(|o| o.1.as_str())
    }
}

/// What was found out beside the screen.
#[derive(Debug)]
enum Answer {
    Sizes(Option<(Options, Suggestion)>),
    Other(Option<Likely>),
}

impl App {
    /// Where frames are damaged or don't fit, sizes are guessed from what came, and that is said; where nothing is a
    /// record, the other decoders are asked. Both beside the screen: a sample is looked at in many ways.
    pub(super) fn guess(&mut self) {
        if let Some((answers, _)) = &self.source().guessing.asked {
            let answer = match answers.try_recv() {
                Ok(answer) => Some(answer),
                Err(TryRecvError::Disconnected) => None,
                Err(TryRecvError::Empty) => return,
            };
            self.answered(answer);
        }
        self.ask_others();
        if self.source().guessing.other.is_none() {
            self.guess_sizes();
        }
    }

    /// Takes an answer, if it is still about what is shown.
    fn answered(&mut self, answer: Option<Answer>) {
        let asked_about = self.source_mut().guessing.asked.take().map(|(_, decoded)| decoded);
        if !asked_about.is_some_and(|d| Arc::ptr_eq(&d, &self.decoded)) {
            return;
        }
        match answer {
            Some(Answer::Sizes(Some((options, suggestion)))) => self.take_sizes(options, suggestion),
            Some(Answer::Other(found)) => self.take_other(found),
            _ => {}
        }
    }

    fn find_out(&mut self, work: impl FnOnce() -> Answer + Send + 'static) {
        let (answer, answers) = bounded(1);
        let thread = std::thread::Builder::new().name("guess".into());
        // Without a thread nothing is guessed; an answer that nobody waits for is not missed.
        let started = thread.spawn(move || drop(answer.send(work())));
        self.source_mut().guessing.asked = started.is_ok().then(|| (answers, self.decoded.clone()));
    }

    fn guess_sizes(&mut self) {
        let len = self.source().log().len();
        if self.source().guessing.asked.is_some() || len < self.source().guessing.next || !self.misfits() {
            return;
        }
        self.source_mut().guessing.next = if len < SAMPLE as u64 { len * 2 } else { u64::MAX };
        let (decoder, mut options) = (self.decoded.decoder.clone(), self.decoded.options.clone());
        // What was only guessed may be guessed anew.
        for (key, value) in &self.source().guessing.guessed {
            if options.get(key) == Some(value.as_str()) {
                options.unset(key);
            }
        }
        let log = self.source().log().clone();
        self.find_out(move || Answer::Sizes(with_suggestion(&decoder, &options, &log)));
    }

    fn take_sizes(&mut self, options: Options, suggestion: Suggestion) {
        if suggestion.options.is_empty() {
            // Of bytes that are for another decoder nobody wants to hear sizes.
            let fed = self.decoded.read().counters.fed;
            if self.source().harvest.barren(fed).is_some() {
                return;
            }
            return self.say(format!("{suggestion} · :set tells"));
        }
        if suggestion.options == self.source().guessing.guessed {
            return;
        }
        let decoder = self.decoded.decoder.clone();
        match self.switch(&decoder, &options) {
            Ok(()) => self.say(format!("{suggestion} · :set changes")),
            Err(fault) => self.fail(fault.to_string()),
        }
        self.source_mut().guessing.guessed = suggestion.options;
    }

    /// Whether the sizes in force make little of what came.
    fn misfits(&self) -> bool {
        let state = self.decoded.read();
        let c = &state.counters;
        c.rows.records + c.bad() >= FEWEST
            && (c.rows.payload_errors * DOUBT > c.rows.records || c.bad() > c.rows.records)
    }

    fn ask_others(&mut self) {
        let (log, fed) = (self.source().log().clone(), self.decoded.read().counters.fed);
        if self.source().harvest.barren(fed).is_none() {
            self.source_mut().guessing.other = None;
            return;
        }
        if self.source().guessing.asked.is_some() || log.len() < self.source().guessing.ask_others {
            return;
        }
        self.source_mut().guessing.ask_others = log.len().saturating_mul(2);
        let decoders = self.registry.decoders().to_vec();
        self.find_out(move || Answer::Other(likely(&decoders, &newest(&log))));
    }

    fn take_other(&mut self, found: Option<Likely>) {
        let id = self.decoded.decoder.info.id.to_string();
        let found = found.filter(|l| l.sure && l.decoder.info.id != *id);
        self.source_mut().guessing.other = found.map(|l| {
            let other = l.decoder.info.id.to_string();
            let (upper, id) = (other.to_uppercase(), id.to_uppercase());
            let text = format!(
                "Bytes look like {upper} ({} %: {}), not {id}. F2 switches; nothing is lost.",
                l.percent, l.why
            );
            (other, text)
        });
        if self.source().guessing.other.is_some() {
            // What was said before is about sizes that don't matter.
            self.notice = None;
        }
    }

    /// Asks every decoder what the newest bytes look like, and takes the one that is sure.
    pub(super) fn guess_decoder(&mut self) {
        let sample = newest(&self.source().log().clone());
        if sample.is_empty() {
            return self.fail("nothing received yet that could be looked at");
        }
        let Some(found) = likely(self.registry.decoders(), &sample) else {
            return self.fail("no decoder recognises these bytes");
        };
        let (id, percent, why) = (found.decoder.info.id.to_string(), found.percent, &found.why);
        if !found.sure {
            let why = reasons(why);
            return self.fail(format!("not sure: nearest is {id}, {percent} % of the bytes fit ({why})"));
        }
        match Options::parse(&found.decoder.info, &found.options) {
            Ok(options) => self.decode_with(found.decoder.clone(), options),
            Err(error) => return self.fail(error.to_string()),
        }
        let words = [vec![id], found.options].concat().join(" ");
        self.say(format!("{words}, {percent} % of the bytes fit: {}", found.why));
    }
}

/// The newest bytes, as many as a guess needs.
fn newest(log: &RawLog) -> Vec<u8> {
    let from = log.len().saturating_sub(SAMPLE as u64).max(log.first());
    let mut sample = Vec::new();
    // What can't be read looks like nothing.
    let _ = log.read_into(from, SAMPLE, &mut sample);
    sample
}
