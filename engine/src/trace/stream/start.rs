//! Opens the decoder of a target when the start of its streams was looked at for sizes that nobody set.

use std::{io, sync::Arc, time::Instant};

use spytui_plugin_api::{Fault, Source};

use super::{pipeline::Pipeline, prepass::Prepass};
use crate::{
    decode::{LearnedOptions, Looks, is_known_at_start, learn_from_beginning},
    io::log::RawLog,
    open::{
        Decoder, Options,
        guess::{self, SAMPLE, Suggestion},
    },
    present::clock::grouped,
};

/// A target whose decoder is opened when the start of its streams was looked at.
#[derive(Debug)]
pub struct TargetStart {
    decoder: Arc<Decoder>,
    options: Options,
    /// Name of the first source.
    name: String,
    sources: Vec<Source>,
    logs: Vec<Arc<RawLog>>,
    live: bool,
    prepass: bool,
    looks: Looks,
    /// Length of all logs when the target was last looked for its own configuration.
    searched: u64,
    /// The wait was reported.
    waits: bool,
    /// Options that were guessed.
    guessed: Vec<(String, String)>,
}

impl TargetStart {
    /// A target with these sources and their logs, and the name of the first.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn new(
        decoder: &Arc<Decoder>,
        options: &Options,
        name: &str,
        sources: &[Source],
        logs: &[Arc<RawLog>],
    ) -> Result<TargetStart, Fault> {
        for source in sources {
            decoder.open(options, source)?;
        }
        Ok(TargetStart {
            decoder: decoder.clone(),
            options: options.clone(),
            name: name.to_owned(),
            sources: sources.to_vec(),
            logs: logs.to_vec(),
            live: false,
            prepass: false,
            looks: Looks::default(),
            searched: 0,
            waits: false,
            guessed: Vec::new(),
        })
    }

    /// The streams are live: they are looked at before all of the sample is there.
    pub fn live(self, live: bool) -> TargetStart {
        TargetStart { live, ..self }
    }

    /// With a first pass over files, which finds what they report late.
    pub fn with_prepass(self, prepass: bool) -> TargetStart {
        TargetStart { prepass, ..self }
    }

    /// Name of the first source.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn logs(&self) -> &[Arc<RawLog>] {
        &self.logs
    }

    /// Opens the decoder if the start of the streams can be judged now; messages for the user go to `notes`.
    ///
    /// # Errors
    /// If a log can't be read.
    pub(super) fn open(&mut self, now: Instant, notes: &mut Vec<String>) -> io::Result<Option<Pipeline>> {
        let waits = guess::is_useful(&self.decoder, &self.options);
        if self.looks.due(&self.logs, self.live, now) || !waits || self.is_known() {
            return self.open_now(notes).map(Some);
        }
        if !self.waits && self.looks.waited(now) {
            self.waits = true;
            notes.push(format!("waiting for sizes: {} of {} B", grouped(self.len()), grouped(SAMPLE as u64)));
        }
        Ok(None)
    }

    /// Opens the decoder with what is there.
    ///
    /// # Errors
    /// If a log can't be read.
    pub fn open_now(&mut self, notes: &mut Vec<String>) -> io::Result<Pipeline> {
        let found = guess::of_target(&self.decoder, &self.options, &self.logs);
        let options = match found {
            Some((options, suggestion)) => {
                notes.push(suggestion.to_string());
                self.guessed = suggestion.options;
                options
            }
            None => self.options.clone(),
        };
        let learned: Vec<LearnedOptions> =
            self.logs.iter().map(|log| learn_from_beginning(&self.decoder, &options, log)).collect();
        for mark in learned.iter().flat_map(|learned| learned.iter()) {
            let reported = String::from_utf8_lossy(&mark.text).trim_end().replace('\n', " ");
            notes.push(format!("the target reported {reported}: taken for all of its epoch, from @{:#x}", mark.pos));
        }
        self.pipeline(&options, &learned)
    }

    fn pipeline(&self, options: &Options, learned: &[LearnedOptions]) -> io::Result<Pipeline> {
        let mut pipeline = Pipeline::open(&self.decoder, options, &self.sources).map_err(io::Error::other)?;
        pipeline.set_learned(learned);
        let complete = self.logs.iter().all(|log| log.file_path().is_some() && log.ended());
        if self.prepass && complete && self.sources.len() > 1 {
            let prepass = Prepass::of(&self.decoder, options, &self.sources, &self.logs, learned)?;
            pipeline.set_prepass(&prepass);
        }
        Ok(pipeline)
    }

    /// Looks at the start again, if it is time: options that hold from now on, as `k=v` lines, if the guess changed.
    pub(super) fn look_again(&mut self, now: Instant, notes: &mut Vec<String>) -> Option<String> {
        if self.looks.is_complete() || !self.looks.due(&self.logs, self.live, now) {
            return None;
        }
        let found = guess::of_target(&self.decoder, &self.options, &self.logs).map(|(_, suggestion)| suggestion);
        let options = found.as_ref().map(|found| found.options.clone()).unwrap_or_default();
        if options == self.guessed || found.as_ref().is_some_and(|found| found.options.is_empty()) {
            return None;
        }
        notes.push(match &found {
            Some(suggestion) => format!("{suggestion}; from here on"),
            None => "the usual sizes fit better than those guessed before: taken from here on".to_owned(),
        });
        let text = self.changed(found.as_ref());
        self.guessed = options;
        Some(text)
    }

    /// The options of a guess, and the defaults of those that it no longer names.
    fn changed(&self, found: Option<&Suggestion>) -> String {
        let now = found.map_or(&[][..], |found| &found.options);
        let gone = self.guessed.iter().filter(|(key, _)| now.iter().all(|(named, _)| named != key));
        let default = |key: &str| self.decoder.info.option(key).map(|spec| spec.default.to_string());
        let back = gone.filter_map(|(key, _)| Some((key.clone(), default(key)?)));
        now.iter().cloned().chain(back).map(|(key, value)| format!("{key}={value}\n")).collect()
    }

    fn len(&self) -> u64 {
        self.logs.iter().map(|log| log.len()).sum()
    }

    /// Whether each stream begins with the target's own configuration, so that nothing is left to be guessed.
    fn is_known(&mut self) -> bool {
        let len = self.len();
        // Looked for at every news first, then ever more rarely.
        if len < self.searched + self.searched / 4 + 1 {
            return false;
        }
        self.searched = len;
        self.logs.iter().all(|log| is_known_at_start(&self.decoder, &self.options, log))
            && guess::of_target(&self.decoder, &self.options, &self.logs).is_none()
    }
}
