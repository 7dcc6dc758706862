//! `--proto auto`, or none: the decoder that the bytes are for.

use std::{
    io::{self, Read},
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    link::{LinkKind, LinkSpec, TextForm, TextReader},
    log::{RawLog, open_recorded},
    plugin::{
        Decoder, Options, Registry,
        guess::{Likely, SAMPLE, certain, likely},
    },
};

use super::{
    args::{DecoderArgs, Format},
    decoders,
    failure::{self, Failure},
    links::Target,
    settings::Settings,
    stop::Stop,
};

/// Interval of looking at what was received.
const LOOK: Duration = Duration::from_millis(20);

/// The question which decoder to use.
pub struct Choice<'a> {
    /// All decoders.
    pub registry: &'a Registry,
    /// Options configured for each.
    pub settings: &'a Settings,
    /// What the arguments say.
    pub args: &'a DecoderArgs,
    /// What is written.
    pub format: Format,
}

/// A decoder and its options.
pub type Chosen = (Arc<Decoder>, Options);

impl Choice<'_> {
    /// The decoder that is named, or the only one; `None` if the bytes decide.
    ///
    /// # Errors
    /// Unknown protocol, option or value (2).
    pub fn named(&self) -> Result<Option<Chosen>, Failure> {
        if self.args.proto.is_none() && self.registry.decoders().len() > 1 {
            return Ok(None);
        }
        decoders::chosen(self.registry, self.args, self.format).map(Some)
    }

    /// The decoder of a sample of `name`. Says which, and why.
    ///
    /// # Errors
    /// No decoder is certain, or the options are not for it (2).
    fn of_sample(&self, name: &str, sample: &[u8]) -> Result<Chosen, Failure> {
        let found = certain(self.registry.decoders(), sample, name).map_err(Failure::usage)?;
        failure::say(&found);
        self.of_found(&found)
    }

    /// Whether no other input is certain to be for another decoder: the rows of one output are of one protocol.
    fn is_of_all(
        &self,
        decoder: &Decoder,
        name: &str,
        others: impl Iterator<Item = (String, Vec<u8>)>,
    ) -> Result<(), Failure> {
        let id = &decoder.info.id;
        for (other, sample) in others {
            let found = likely(self.registry.decoders(), &sample).filter(|found| found.sure);
            if let Some(found) = found.filter(|found| found.decoder.info.id != *id) {
                let of_other = &found.decoder.info.id;
                return Err(Failure::usage(format!(
                    "{name} is {id}, {other} is {of_other}: the rows of one output are of one protocol. Read each by \
                     itself, or open all on the screen, where each has its own decoder; --proto NAME forces one."
                )));
            }
        }
        Ok(())
    }

    /// A decoder that was found, with the options given and configured for it.
    ///
    /// # Errors
    /// The options are not for it (2).
    pub fn of_found(&self, found: &Likely) -> Result<Chosen, Failure> {
        let args = DecoderArgs { proto: Some(found.decoder.info.id.to_string()), ..self.args.clone() };
        decoders::chosen(self.registry, &self.settings.configured(args), self.format)
    }

    /// The decoder of what a log begins with, if one is certain and takes the options.
    pub fn of_log(&self, log: &RawLog) -> Option<Chosen> {
        let found = likely(self.registry.decoders(), &of_log(log)).filter(|found| found.sure)?;
        self.of_found(&found).ok()
    }

    /// The decoder that is named, else the one that the bytes of a link are for; `None` if a signal came before that.
    ///
    /// # Errors
    /// As for [`Choice::of_targets`].
    pub fn known(
        &self,
        named: Option<Chosen>,
        targets: &[Target],
        stop: &Stop,
        idle: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Option<Chosen>, Failure> {
        match named {
            Some(chosen) => Ok(Some(chosen)),
            None => self.of_targets(targets, stop, idle),
        }
    }

    /// Waits until the bytes of a link tell the decoder; `None` if a signal came first. `idle` is called while waiting.
    ///
    /// # Errors
    /// No decoder is certain (2), a link failed (3), or that of `idle`.
    pub fn of_targets(
        &self,
        targets: &[Target],
        stop: &Stop,
        mut idle: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Option<Chosen>, Failure> {
        let logs: Vec<&Arc<RawLog>> = targets.iter().flat_map(|target| &target.logs).collect();
        let names: Vec<&String> = targets.iter().flat_map(|target| &target.names).collect();
        // What was looked at is looked at again when there is twice as much.
        let mut next = vec![1; logs.len()];
        while !stop.flag.load(Ordering::Relaxed) {
            idle()?;
            let over = logs.iter().all(|log| log.ended() || log.len() >= SAMPLE as u64);
            for (at, log) in logs.iter().enumerate().filter(|(_, log)| !log.is_empty()) {
                if log.len() < next[at] {
                    continue;
                }
                next[at] = log.len() * 2;
                if let Some(found) = likely(self.registry.decoders(), &of_log(log)).filter(|found| found.sure) {
                    failure::say(&found);
                    let chosen = self.of_found(&found)?;
                    let all = names.iter().map(|name| (*name).clone()).zip(logs.iter().map(|log| of_log(log)));
                    self.is_of_all(&chosen.0, names[at], all)?;
                    return Ok(Some(chosen));
                }
            }
            if over {
                targets.iter().try_for_each(|target| target.verdict(false))?;
                let longest = (0..logs.len()).max_by_key(|&at| logs[at].len()).unwrap_or(0);
                return self.of_sample(names[longest], &of_log(logs[longest])).map(Some);
            }
            std::thread::sleep(LOOK);
        }
        Ok(None)
    }
}

/// Name and beginning of the first input that is a file.
pub fn of_files(inputs: &[LinkSpec], text: Option<TextForm>) -> Option<(String, Vec<u8>)> {
    inputs.iter().find_map(|input| {
        let LinkKind::Path(path) = &input.kind else { return None };
        let sample = path.is_file().then(|| beginning(path, text).ok()).flatten()?;
        Some((path.display().to_string(), sample))
    })
}

fn beginning(path: &Path, text: Option<TextForm>) -> io::Result<Vec<u8>> {
    let mut sample = Vec::new();
    match text {
        Some(form) => {
            TextReader::new(std::fs::File::open(path)?, form).take(SAMPLE as u64).read_to_end(&mut sample)?;
        }
        None => sample = of_log(&open_recorded(path)?.log),
    }
    Ok(sample)
}

fn of_log(log: &RawLog) -> Vec<u8> {
    let mut sample = Vec::new();
    // What cannot be read looks like nothing.
    let _ = log.read_into(log.first(), SAMPLE, &mut sample);
    sample
}
