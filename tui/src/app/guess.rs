//! What the bytes that came look like: sizes that nobody told, and which decoder they are for.

use spytui_engine::{
    log::RawLog,
    plugin::{
        Options,
        guess::{SAMPLE, likely, with_suggestion},
    },
};
use spytui_plugin_api::batch::count;

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
}

impl Guessing {
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

impl App {
    /// Where frames are damaged or don't fit, sizes are guessed from what came, and that is said; where nothing is a
    /// record, the other decoders are asked.
    pub(super) fn guess(&mut self) {
        self.guess_sizes();
        self.ask_others();
    }

    fn guess_sizes(&mut self) {
        let len = self.source().log().len();
        if len < self.source().guessing.next || !self.misfits() {
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
        let Some((options, suggestion)) = with_suggestion(&decoder, &options, self.source().log()) else { return };
        if suggestion.options == self.source().guessing.guessed {
            return;
        }
        if suggestion.options.is_empty() {
            return self.say(format!("{suggestion} · :set tells"));
        }
        match self.source().session.switch(decoder, options) {
            Ok(()) => self.say(format!("{suggestion} · :set changes")),
            Err(fault) => self.fail(fault.to_string()),
        }
        self.source_mut().guessing.guessed = suggestion.options;
    }

    /// Whether the sizes in force make little of what came.
    fn misfits(&self) -> bool {
        let state = self.decoded.read();
        let c = &state.counters;
        c.records + c.bad() >= FEWEST && (c.get(count::PAYLOAD) * DOUBT > c.records || c.bad() > c.records)
    }

    fn ask_others(&mut self) {
        let (log, fed) = (self.source().log().clone(), self.decoded.read().counters.fed);
        if self.source().harvest.barren(fed).is_none() {
            let guessing = &mut self.source_mut().guessing;
            (guessing.other, guessing.ask_others) = (None, 0);
            return;
        }
        if log.len() < self.source().guessing.ask_others {
            return;
        }
        self.source_mut().guessing.ask_others = log.len().saturating_mul(2);
        let id = self.decoded.decoder.info.id.to_string();
        let found = likely(&self.registry, &newest(&log)).filter(|l| l.sure && l.decoder.info.id != *id);
        self.source_mut().guessing.other = found.map(|l| {
            let other = l.decoder.info.id.to_string();
            let (upper, id) = (other.to_uppercase(), id.to_uppercase());
            let text = format!(
                "Bytes look like {upper} ({} %: {}), not {id}. F2 switches; nothing is lost.",
                l.percent, l.why
            );
            (other, text)
        });
    }

    /// Asks every decoder what the newest bytes look like, and takes the one that is sure.
    pub(super) fn guess_decoder(&mut self) {
        let sample = newest(&self.source().log().clone());
        if sample.is_empty() {
            return self.fail("nothing received yet that could be looked at");
        }
        let Some(found) = likely(&self.registry, &sample) else {
            return self.fail("no decoder recognises these bytes");
        };
        let (id, percent, why) = (found.decoder.info.id.to_string(), found.percent, &found.why);
        if !found.sure {
            return self.fail(format!("not sure: nearest is {id}, {percent} % of the bytes fit ({why})"));
        }
        match Options::parse(&found.decoder.info, &found.options) {
            Ok(options) => self.decode_with(found.decoder.clone(), options),
            Err(error) => return self.fail(error.to_string()),
        }
        self.say(format!("{id} {}, {percent} % of the bytes fit: {why}", found.options.join(" ")));
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
