//! `--proto auto`, or none: the decoder that the bytes are for.

use std::{
    io,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    io::link::{LinkKind, LinkSpec, TextForm, beginning as text_beginning},
    io::log::{RawLog, open_recorded},
    open::{
        Decoder, Options, Registry,
        guess::{Likely, SAMPLE, certain, likely, sample_of},
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

    /// The decoder that was found for one of some inputs. Says which; no other input may be certain to be for another one,
    /// as the rows of one output are of one protocol.
    fn of_all(&self, found: &Likely, name: &str, all: &[(&String, &Arc<RawLog>)]) -> Result<Chosen, Failure> {
        failure::say(found);
        let chosen = self.of_found(found)?;
        let id = &chosen.0.info.id;
        for (other, log) in all {
            if let Some(found) = self.sure(&of_log(log)).filter(|found| found.decoder.info.id != *id) {
                let of_other = &found.decoder.info.id;
                return Err(Failure::usage(format!(
                    "{name} is {id}, {other} is {of_other}: the rows of one output are of one protocol. Read each by \
                     itself, or open all on the screen, where each has its own decoder; --proto NAME forces one."
                )));
            }
        }
        Ok(chosen)
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
        self.of_found(&self.sure(&of_log(log))?).ok()
    }

    fn sure(&self, sample: &[u8]) -> Option<Likely> {
        likely(self.registry.decoders(), sample).filter(|found| found.sure)
    }

    /// The decoder that is named, else the one that the bytes of a link are for, once they show it; `None` if a signal came
    /// before that. `idle` is called while waiting.
    ///
    /// # Errors
    /// No decoder is certain (2), a link failed (3), or that of `idle`.
    pub fn known(
        &self,
        named: Option<Chosen>,
        targets: &[Target],
        stop: &Stop,
        mut idle: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Option<Chosen>, Failure> {
        if named.is_some() {
            return Ok(named);
        }
        let all: Vec<(&String, &Arc<RawLog>)> =
            targets.iter().flat_map(|target| target.names.iter().zip(&target.logs)).collect();
        // What was looked at is looked at again when there is twice as much.
        let mut next = vec![1; all.len()];
        while !stop.flag.load(Ordering::Relaxed) {
            idle()?;
            let over = all.iter().all(|(_, log)| log.ended() || log.len() >= SAMPLE as u64);
            for (next, (name, log)) in next.iter_mut().zip(&all).filter(|(next, (_, log))| log.len() >= **next) {
                *next = log.len() * 2;
                if let Some(found) = self.sure(&of_log(log)) {
                    return self.of_all(&found, name, &all).map(Some);
                }
            }
            if over {
                targets.iter().try_for_each(|target| target.verdict(false))?;
                let Some((name, log)) = all.iter().max_by_key(|(_, log)| log.len()) else { return Ok(None) };
                let found = certain(self.registry.decoders(), &of_log(log), name, false).map_err(Failure::usage)?;
                return found.map(|found| self.of_all(&found, name, &all)).transpose();
            }
            std::thread::sleep(LOOK);
        }
        Ok(None)
    }
}

/// The decoder of the first file among some links; `None` if there is none, or it can't be found by the bytes and the file is opened
/// `beside` others.
///
/// # Errors
/// No decoder is certain, in words.
pub fn of_file(
    registry: &Registry,
    inputs: &[LinkSpec],
    text: Option<TextForm>,
    beside: bool,
) -> Result<Option<Likely>, String> {
    let file = inputs.iter().find_map(|input| match &input.kind {
        LinkKind::Path(path) if path.is_file() => Some((path, beginning(path, text).ok()?)),
        _ => None,
    });
    let Some((path, sample)) = file else { return Ok(None) };
    certain(registry.decoders(), &sample, &path.display().to_string(), beside)
}

fn beginning(path: &Path, text: Option<TextForm>) -> io::Result<Vec<u8>> {
    let Some(form) = text else { return Ok(of_log(&open_recorded(path)?.log)) };
    text_beginning(std::fs::File::open(path)?, form, SAMPLE)
}

/// What a log begins with. What cannot be read looks like nothing.
fn of_log(log: &RawLog) -> Vec<u8> {
    sample_of(log).unwrap_or_default()
}
