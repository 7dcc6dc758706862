//! Which decoder, with which options: what the user named, what a recording says, what the bytes show.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use super::{
    Decoder, Options, Registry,
    guess::{FindPattern, Likely, SAMPLE, certain, likely, sample_of},
};
use crate::io::{
    link::{LinkKind, LinkSpec, Restorer, Undo},
    log::{MetaHead, RawLog, open_recorded},
    packed::{Packing, Unpacked},
    text::{TextForm, beginning},
};

pub type Chosen = (Arc<Decoder>, Options);

/// The options configured for a decoder, as `key=value`.
pub type Configured<'a> = Box<dyn Fn(&str) -> Vec<String> + 'a>;

/// Chooses decoders and their options.
pub struct Opener<'a> {
    /// All decoders.
    pub registry: &'a Registry,
    /// The decoder that the user named; `None`: the bytes decide, if there are several.
    pub proto: Option<&'a str>,
    /// Options that were given, as `key=value`.
    pub given: &'a [String],
    /// Options that a recording was made with, under those given.
    pub recorded: &'a [(String, String)],
    /// Options configured for a decoder that was not named.
    pub configured: Configured<'a>,
    /// The rows are written as the reference tool does it.
    pub is_reference: bool,
    /// Takes remarks for the user.
    pub say: fn(&str),
    /// Finds the pattern of damage.
    pub pattern: FindPattern,
}

impl Opener<'_> {
    /// The decoder that is named, or the only one; `None` if the bytes decide.
    ///
    /// # Errors
    /// Unknown protocol, option or value.
    pub fn named(&self) -> Result<Option<Chosen>, String> {
        match (self.proto, self.registry.decoders()) {
            (Some(name), _) => self.with(name, &[]).map(Some),
            (None, [only]) => self.with(&only.info.id, &[]).map(Some),
            (None, []) => Err("which decoder? --proto NAME, one of: ".to_owned()),
            (None, _) => Ok(None),
        }
    }

    /// A decoder that was found, with the options given and configured for it.
    ///
    /// # Errors
    /// The options are not for it.
    pub fn of_found(&self, found: &Likely) -> Result<Chosen, String> {
        let id = &found.decoder.info.id;
        self.with(id, &(self.configured)(id))
    }

    /// A decoder with its options. A reference style that is not given is the decoder's first.
    fn with(&self, name: &str, configured: &[String]) -> Result<Chosen, String> {
        let decoder = self.registry.find(name).map_err(|error| error.to_string())?;
        let mut options = self.options_of(&decoder, self.recorded);
        let mut texts = configured.iter().chain(self.given);
        texts.try_for_each(|text| options.set_text(&decoder.info, text)).map_err(|error| error.to_string())?;
        if self.is_reference && options.get("reference").is_none() {
            let option = decoder.info.option("reference");
            let style = option.and_then(|option| option.choices.first()).map(ToString::to_string);
            let style = style.ok_or_else(|| format!("--format reference: {name} has no reference style"))?;
            options.set(&decoder.info, "reference", &style).map_err(|error| error.to_string())?;
        }
        Ok((decoder, options))
    }

    /// Decoder and options that a recording was made with; `None` if it names none, or one that is not here.
    pub fn of_recording(&self, head: &MetaHead) -> Option<Chosen> {
        let decoder = self.registry.find(&head.decoder).ok().filter(|_| !head.decoder.is_empty())?;
        let options = self.options_of(&decoder, &head.options);
        Some((decoder, options))
    }

    /// Options of a recording. One that is refused here, such as a file that is gone, is left out and said.
    fn options_of(&self, decoder: &Decoder, recorded: &[(String, String)]) -> Options {
        let mut options = Options::default();
        for (key, value) in recorded {
            if let Err(error) = options.set(&decoder.info, key, value) {
                (self.say)(&format!("left out, as recorded: {error}"));
            }
        }
        options
    }

    /// The decoder of what a log begins with, if one is certain.
    pub fn sure(&self, log: &RawLog) -> Option<Likely> {
        likely(self.registry.decoders(), &start_of(log)).filter(|found| found.sure)
    }

    /// The decoder of the longest of some logs, of which none shows more; `None` if there is no log.
    ///
    /// # Errors
    /// It is not certain, in words.
    pub fn at_last(&self, all: &[(&String, &Arc<RawLog>)]) -> Result<Option<Chosen>, String> {
        let Some((name, log)) = all.iter().max_by_key(|(_, log)| log.len()) else { return Ok(None) };
        let found = certain(self.registry.decoders(), &start_of(log), name, false, self.pattern)?;
        found.map(|found| self.of_all(&found, name, all)).transpose()
    }

    /// The decoder that was found for one of some inputs. Says which; no other input may be certain to be for another one,
    /// as the rows of one output are of one protocol.
    ///
    /// # Errors
    /// One is for another decoder, or the options are not for it.
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

    /// The decoder of the first file among some links; `None` if there is none, or it can't be found by the bytes and the
    /// file is opened `beside` others.
    ///
    /// # Errors
    /// No decoder is certain, in words.
    pub fn of_file(
        &self,
        inputs: &[LinkSpec],
        text: Option<TextForm>,
        undo: Option<Undo>,
        beside: bool,
    ) -> Result<Option<Likely>, String> {
        let file = inputs.iter().find_map(|input| match &input.kind {
            LinkKind::Path(path) if path.is_file() => Some((path, restored(start_of_file(path, text).ok()?, undo)?)),
            _ => None,
        });
        let Some((path, sample)) = file else { return Ok(None) };
        certain(self.registry.decoders(), &sample, &path.display().to_string(), beside, self.pattern)
    }
}

/// A sample as it was before what was done to it; `None` if that was something else.
fn restored(sample: Vec<u8>, undo: Option<Undo>) -> Option<Vec<u8>> {
    let Some(undo) = undo else { return Some(sample) };
    let mut restored = Vec::new();
    Restorer::new(undo).feed(&sample, &mut restored).ok()?;
    Some(restored)
}

fn start_of_file(path: &Path, text: Option<TextForm>) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if Packing::of_file(&file)? == Some(Packing::Gzip) {
        let mut unpacked = Unpacked::new(file)?;
        return match text {
            Some(form) => beginning(unpacked, form, SAMPLE),
            None => Ok(start_of_unpacked(&mut unpacked)),
        };
    }
    match text {
        Some(form) => beginning(file, form, SAMPLE),
        None => Ok(start_of(&open_recorded(path)?.log)),
    }
}

/// What a packed file begins with, as far as it can be unpacked.
fn start_of_unpacked(unpacked: &mut Unpacked) -> Vec<u8> {
    let mut start = Vec::new();
    // What is wrong is said when the file is read.
    let _ = unpacked.take(SAMPLE as u64).read_to_end(&mut start);
    start
}

/// What a log begins with. What cannot be read looks like nothing.
fn start_of(log: &RawLog) -> Vec<u8> {
    sample_of(log).unwrap_or_default()
}
