//! What is wrong when nothing useful comes, in a sentence with a next step.

use spytui_engine::{link::LinkState, present::clock::grouped};

use super::{source::Feed, state::App};

/// Bytes looked at for what they are like.
const SAMPLE: u64 = 4096;

impl App {
    /// The sentence to show beside the rows, if there is one.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let source = self.source();
        let state = self.decoded.read();
        if let Some(fault) = &state.fault {
            let id = &self.decoded.decoder.info.id;
            return Some(format!(
                "{id} failed: {fault}. Receiving and recording go on; :plugin reload starts it again."
            ));
        }
        let (fed, records, other) = (state.counters.fed, state.counters.records, state.counters.other_bytes);
        drop(state);
        let text = source.hint().or_else(|| source.state().text().map(str::to_owned));
        if fed == 0 {
            return Some(text.unwrap_or_else(|| self.nothing_yet()));
        }
        if matches!(source.state(), LinkState::NoLink { .. } | LinkState::Failed(_)) {
            return text;
        }
        if !self.list.filter.is_everything() && records > 0 && self.list.entries.is_empty() {
            return Some(format!("The filter hides all {} rows: a shows them.", grouped(self.decoded.len())));
        }
        self.no_valid_frame(fed, other)
    }

    fn nothing_yet(&self) -> String {
        match self.source().state() {
            LinkState::Ended => format!("{} is empty.", self.source().name()),
            _ => "Nothing received yet.".to_owned(),
        }
    }

    /// `No valid frame in 4 096 B at 115200 (61 % of the bytes are 0x00 or ≥0x80; 212 framing errors). Wrong rate? …`
    fn no_valid_frame(&self, fed: u64, other: u64) -> Option<String> {
        let source = self.source();
        let bytes = source.harvest.barren(fed)?;
        if let Some(sentence) = source.guessing.sentence() {
            return Some(sentence.to_owned());
        }
        let id = self.decoded.decoder.info.id.to_uppercase();
        if other * 10 > fed * 9 {
            let name = source.name();
            return Some(format!(
                "{name} is text, not a trace: no {id} frame in {} B. :proto auto asks all.",
                grouped(fed)
            ));
        }
        let strange = self.strange(fed);
        let link = source.link_counters();
        let errors = match link.line_errors + link.breaks {
            0 => String::new(),
            n => format!("; {} framing errors", grouped(n)),
        };
        let bytes = grouped(bytes);
        let shares = format!("({strange} % of the bytes are 0x00 or ≥0x80{errors})");
        Some(match (&source.feed, source.facts().baud) {
            (Feed::Link(_), Some(baud)) => {
                format!("No valid frame in {bytes} B at {baud} {shares}. Wrong rate? :baud auto tries the others.")
            }
            _ => format!("No valid frame in {bytes} B {shares}. Is this {id}? :proto auto finds out."),
        })
    }

    /// Percent of the newest bytes that no text and few frames have.
    fn strange(&self, fed: u64) -> usize {
        let mut sample = Vec::new();
        let from = fed.saturating_sub(SAMPLE);
        // Bytes that the log no longer has are not looked at.
        let _ = self.source().log().read_into(from, SAMPLE as usize, &mut sample);
        let strange = sample.iter().filter(|&&b| b == 0 || b >= 0x80).count();
        strange * 100 / sample.len().max(1)
    }
}
