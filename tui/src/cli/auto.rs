//! `--proto auto`, or none: waits until the bytes of the links show their decoder.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    decode::{pattern, quality::is_noise},
    io::{link::Link, log::RawLog, text::text_hint},
    open::{Chosen, Opener, Registry, guess::SAMPLE},
};

use super::{
    args::{DecoderArgs, Format},
    failure::{self, Failure, Stop},
    links::{self, Target},
    settings::Settings,
};

/// Interval for checking what was received.
const LOOK: Duration = Duration::from_millis(20);

/// Chooses decoders as the arguments say.
pub fn opener<'a>(registry: &'a Registry, settings: &'a Settings, args: &'a DecoderArgs, format: Format) -> Opener<'a> {
    Opener {
        registry,
        proto: args.proto.as_deref(),
        given: &args.options,
        recorded: &args.recorded,
        configured: Box::new(|proto| settings.config.options_of(proto)),
        is_reference: format == Format::Reference,
        say: |text| failure::say(text),
        pattern,
    }
}

/// The named decoder, or the one that the bytes of a link show; `None` if a signal arrived before that. `idle` is
/// called while waiting. Errors: no decoder is certain (2), a link failed (3), or that of `idle`.
pub fn known(
    opener: &Opener<'_>,
    named: Option<Chosen>,
    targets: &[Target],
    stop: &Stop,
    mut idle: impl FnMut() -> Result<(), Failure>,
) -> Result<Option<Chosen>, Failure> {
    if named.is_some() {
        let paths = targets.iter().flat_map(|target| &target.logs).filter_map(|log| log.file_path());
        paths.filter_map(text_hint).for_each(|hint| failure::say(&hint));
        return Ok(named);
    }
    let all: Vec<(&String, &Arc<RawLog>)> =
        targets.iter().flat_map(|target| target.names.iter().zip(&target.logs)).collect();
    // Bytes are examined again when their number has doubled. Noise is reported once.
    let mut looks = vec![(1, false); all.len()];
    let links: Vec<&Link> = targets.iter().flat_map(|target| &target.links).collect();
    while !stop.flag.load(Ordering::Relaxed) {
        idle()?;
        let over = all.iter().all(|(_, log)| log.ended() || log.len() >= SAMPLE as u64);
        for (((next, said), (name, log)), link) in looks.iter_mut().zip(&all).zip(&links) {
            if log.len() < *next {
                continue;
            }
            *next = log.len() * 2;
            if let Some(found) = opener.sure(log) {
                return opener.of_all(&found, name, &all).map(Some).map_err(Failure::usage);
            }
            if !*said && link.is_live() && is_noise(opener.registry.decoders(), log) {
                links::say(&links::line(Some(*link), log, name, None).no_frame(log.len()));
                *said = true;
            }
        }
        if over {
            targets.iter().try_for_each(|target| target.verdict(false))?;
            return opener.at_last(&all).map_err(Failure::usage);
        }
        std::thread::sleep(LOOK);
    }
    Ok(None)
}
