//! Share of records in the bytes of a source, and the message for a source without records.

use std::sync::Arc;

use super::guess::{likely, sample_of};
use crate::{
    io::{
        link::{LinkCounters, LinkFacts},
        log::RawLog,
    },
    open::Decoder,
    present::clock::grouped,
    store::Counters,
};

const SAMPLE: u64 = 4096;
/// Percentage below which records are chance hits: noise occasionally passes an 8-bit checksum.
const ACCIDENTS: u64 = 5;

/// Facts about a source without valid frames.
#[derive(Debug)]
pub struct SourceFacts<'a> {
    pub name: &'a str,
    /// `None` if not known yet.
    pub decoder: Option<&'a str>,
    pub log: &'a RawLog,
    pub facts: LinkFacts,
    pub link: LinkCounters,
}

/// The probable cause if no frame is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspect {
    Rate,
    Decoder,
}

/// A sentence about bytes without a valid frame. The advice depends on the user interface and is added there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoFrame {
    pub text: String,
    pub suspect: Suspect,
}

impl SourceFacts<'_> {
    /// `No valid frame in 4 096 B at 115200 (61 % of the bytes are 0x00 or ≥0x80; 212 framing errors). Wrong rate?`
    pub fn no_frame(&self, bytes: u64) -> NoFrame {
        let errors = match self.link.line_errors + self.link.breaks {
            0 => String::new(),
            n => format!("; {} framing errors", grouped(n)),
        };
        let shares = format!("({} % of the bytes are 0x00 or ≥0x80{errors})", self.strange());
        let (rate, question, suspect) = match (self.facts.baud, self.decoder) {
            (Some(baud), _) => (format!(" at {baud}"), "Wrong rate?".to_owned(), Suspect::Rate),
            (None, id) => (String::new(), format!("Is this {}?", upper(id)), Suspect::Decoder),
        };
        NoFrame { text: format!("No valid frame in {} B{rate} {shares}. {question}", grouped(bytes)), suspect }
    }

    fn text_only(&self, fed: u64) -> NoFrame {
        let (name, id, fed) = (self.name, upper(self.decoder), grouped(fed));
        let text = format!("{name} is text, not a trace: no {id} frame in {fed} B.");
        NoFrame { text, suspect: Suspect::Decoder }
    }

    /// Percentage of the newest bytes that are rare in text and frames.
    fn strange(&self) -> usize {
        let mut sample = Vec::new();
        let from = self.log.len().saturating_sub(SAMPLE);
        // Ignores bytes no longer in the log.
        let _ = self.log.read_into(from, SAMPLE as usize, &mut sample);
        let strange = sample.iter().filter(|&&b| b == 0 || b >= 0x80).count();
        strange * 100 / sample.len().max(1)
    }
}

/// Whether no decoder finds more than chance hits at the start of a log.
pub fn is_noise(decoders: &[Arc<Decoder>], log: &RawLog) -> bool {
    let sample = sample_of(log).filter(|sample| sample.len() as u64 >= SAMPLE);
    let explains = |sample: &Vec<u8>| likely(decoders, sample).map_or(0, |found| u64::from(found.percent));
    sample.as_ref().map(explains).is_some_and(|percent| percent < ACCIDENTS)
}

fn upper(decoder: Option<&str>) -> String {
    decoder.map_or_else(|| "a trace".to_owned(), str::to_uppercase)
}

#[derive(Debug, Default)]
pub struct Quality {
    /// Bytes fed, and bytes of records among them, at the start of the present sample.
    from: (u64, u64),
    /// Bytes fed when the records stopped.
    no_record_since: Option<u64>,
}

impl Quality {
    pub fn sample(&mut self, counters: &Counters) {
        let (fed, record_bytes) = (counters.fed, counters.rows.record_bytes);
        if fed < self.from.0 {
            // Another decoding.
            *self = Quality::default();
        }
        let (bytes, records) = (fed - self.from.0, record_bytes.saturating_sub(self.from.1));
        if bytes < SAMPLE {
            return;
        }
        let noise = records * 100 < bytes * ACCIDENTS;
        self.no_record_since = noise.then(|| self.no_record_since.unwrap_or(self.from.0));
        self.from = (fed, record_bytes);
    }

    pub fn begin_anew(&mut self, counters: &Counters) {
        *self = Quality { from: (counters.fed, counters.rows.record_bytes), no_record_since: None };
    }

    /// Bytes since the last record, ignoring chance hits; `None` while records arrive or too little was received.
    pub fn bytes_without_record(&self, fed: u64) -> Option<u64> {
        self.no_record_since.map(|since| fed.saturating_sub(since))
    }

    pub fn no_frame(&self, counters: &Counters, line: &SourceFacts<'_>) -> Option<NoFrame> {
        let bytes = self.bytes_without_record(counters.fed)?;
        let is_text = counters.rows.other_bytes * 10 > counters.fed * 9;
        Some(if is_text { line.text_only(counters.fed) } else { line.no_frame(bytes) })
    }
}
