//! Chooses a decoder and its options: from the user, from a recording, or by the bytes.

use std::{path::Path, sync::Arc, time::Duration};

use super::guess::{Likely, SAMPLE, certain, likely, sample_of};
use crate::{
    io::{
        link::{Link, LinkOptions, LinkSpec, LinkState},
        log::{MetaHead, RawLog},
    },
    open::{Decoder, Options, Registry},
};

pub type Chosen = (Arc<Decoder>, Options);

/// The options configured for a decoder, as `key=value`.
pub type Configured<'a> = Box<dyn Fn(&str) -> Vec<String> + 'a>;

pub struct Opener<'a> {
    pub registry: &'a Registry,
    /// The decoder named by the user; `None` = the bytes decide, if there are several.
    pub proto: Option<&'a str>,
    /// Options as `key=value`.
    pub given: &'a [String],
    /// Options from a recording; given options take precedence.
    pub recorded: &'a [(String, String)],
    pub configured: Configured<'a>,
    /// Rows are written like the reference tool does, in this form of its output.
    pub reference_form: Option<&'static str>,
    pub say: fn(&str),
}

impl Opener<'_> {
    /// The named decoder, or the only one; `None` if the bytes decide.
    pub fn named(&self) -> Result<Option<Chosen>, String> {
        match (self.proto, self.registry.decoders.as_slice()) {
            (Some(name), _) => self.with(name, &[]).map(Some),
            (None, [only]) => self.with(&only.info.id, &[]).map(Some),
            (None, []) => Err("which decoder? --proto NAME, one of: ".to_owned()),
            (None, _) => Ok(None),
        }
    }

    /// A detected decoder with its given and configured options.
    pub fn of_found(&self, found: &Likely) -> Result<Chosen, String> {
        let id = &found.decoder.info.id;
        self.with(id, &(self.configured)(id))
    }

    /// A decoder with its options.
    fn with(&self, name: &str, configured: &[String]) -> Result<Chosen, String> {
        let decoder = self.registry.find(name)?;
        let mut options = self.options_of(&decoder, self.recorded);
        let mut texts = configured.iter().chain(self.given);
        texts.try_for_each(|text| options.set_text(&decoder.info, text)).map_err(|error| error.to_string())?;
        match self.reference_form {
            Some(form) => Ok((decoder.clone(), options.in_reference_form(&decoder.info, form)?)),
            None => Ok((decoder, options)),
        }
    }

    /// Decoder and options of a recording; `None` if it names none, or an unknown one.
    pub fn of_recording(&self, head: &MetaHead) -> Option<Chosen> {
        let decoder = self.registry.find(&head.decoder).ok().filter(|_| !head.decoder.is_empty())?;
        let options = self.options_of(&decoder, &head.options);
        Some((decoder, options))
    }

    /// Options of a recording. An option refused here, such as a missing file, is skipped with a remark.
    fn options_of(&self, decoder: &Decoder, recorded: &[(String, String)]) -> Options {
        let mut options = Options::default();
        for (key, value) in recorded {
            if let Err(error) = options.set(&decoder.info, key, value) {
                (self.say)(&format!("recorded option left out: {error}"));
            }
        }
        options
    }

    /// The decoder for the start of a log, if one is certain.
    pub fn sure(&self, log: &RawLog) -> Option<Likely> {
        likely(&self.registry.decoders, &sample_of(log).unwrap_or_default()).filter(|found| found.sure)
    }

    /// The decoder for the longest of some logs, when no more bytes will decide; `None` without logs.
    pub fn at_last(&self, all: &[(&String, &Arc<RawLog>)]) -> Result<Option<Chosen>, String> {
        let Some((name, log)) = all.iter().max_by_key(|(_, log)| log.len()) else { return Ok(None) };
        let found = certain(&self.registry.decoders, &sample_of(log).unwrap_or_default(), name, false)?;
        found.map(|found| self.of_all(&found, name, all)).transpose()
    }

    /// The decoder detected for one of several inputs, which is reported. No other input may certainly need another
    /// one, as one output has rows of one protocol.
    pub fn of_all(&self, found: &Likely, name: &str, all: &[(&String, &Arc<RawLog>)]) -> Result<Chosen, String> {
        (self.say)(&found.to_string());
        let chosen = self.of_found(found)?;
        let id = &chosen.0.info.id;
        for (other, log) in all {
            if let Some(found) = self.sure(log).filter(|found| found.decoder.info.id != *id) {
                let of_other = &found.decoder.info.id;
                return Err(format!(
                    "{name} is {id}, {other} is {of_other}: the rows of one output are of one protocol. Read each by \
                     itself, or open all on the screen, where each has its own decoder; --proto NAME forces one."
                ));
            }
        }
        Ok(chosen)
    }

    /// The decoder for the first file; `None` without files, or if it is unknown and opened `beside` others.
    pub fn of_file(&self, inputs: &[LinkSpec], options: &LinkOptions, beside: bool) -> Result<Option<Likely>, String> {
        let mut files = inputs.iter().filter_map(LinkSpec::file);
        let file = files.find_map(|path| Some((path, start_of_file(path, options)?)));
        let Some((path, sample)) = file else { return Ok(None) };
        certain(&self.registry.decoders, &sample, &path.display().to_string(), beside)
    }
}

/// How often to check whether enough of a file was read.
const LOOK: Duration = Duration::from_millis(10);

/// The start of a file, as a link reads it: unpacked, and converted as the options say.
fn start_of_file(path: &Path, options: &LinkOptions) -> Option<Vec<u8>> {
    let throttle = Some(SAMPLE as u64);
    let options = LinkOptions { follow: false, watch: false, throttle, ..options.clone() };
    let is_converted = options.is_converted();
    let mut link = Link::open(LinkSpec::path(path), options).ok()?;
    let log = link.sources().pop()?.log;
    let progress = log.subscribe();
    while !log.ended() && log.len() < SAMPLE as u64 {
        // Progress in between is seen at the next check.
        let _ = progress.recv_timeout(LOOK);
    }
    link.stop();
    let is_whole = log.len() >= SAMPLE as u64 || !matches!(link.state(), LinkState::Failed(_));
    // A gzip file that is damaged further on still shows its decoder.
    sample_of(&log).filter(|_| is_whole || !is_converted)
}
