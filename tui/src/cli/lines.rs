//! `spytui` without a terminal on stdout: lines in the format asked for, flushed as they come.

use std::{
    io::Write,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use spytui_engine::{
    link::{Link, LinkEvent, LinkState},
    log::{MetaHead, RawLog, Recorder},
    plugin::{Decoder, Options, Registry},
    stream::{Merged, drive::PATIENCE, drive_logs},
};
use spytui_plugin_api::Source;

use super::{
    args::Args,
    decoders,
    failure::Failure,
    links::{self, Target, recordings},
    output::{self, Output},
    settings::Settings,
    stop::Stop,
};

/// Runs until the input ends or a signal comes.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub fn run(args: &Args, settings: &Settings) -> Result<u8, Failure> {
    let registry = decoders::registry(&args.decoder.plugins.plugins, settings)?;
    let (decoder, options) = decoders::chosen(&registry, &args.decoder, args.format)?;
    let filter = output::filter(args.filter.as_deref(), &decoder.info)?;
    let feed = Feed::open(args, &registry, settings)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let recorders = record(args, &feed, &decoder)?;
    let mut merged = feed.merged(&decoder, &options)?;
    let stdout = Mutex::new(output::stdout()?);
    let logs = feed.logs();
    let mut sink = Output::new(args.format, Shared(&stdout), filter, logs.len() > 1);
    let idle = || {
        feed.tell();
        stdout.lock().unwrap_or_else(PoisonError::into_inner).flush()
    };
    let result = drive_logs(&logs, &mut merged, &mut sink, &stop.flag, Some(PATIENCE), idle);
    drop(recorders);
    output::ended(result)?;
    if let Feed::Links(target) = &feed {
        target.verdict(stop.code() != 0)?;
    }
    match merged.fault() {
        Some(fault) => Err(Failure::decoder(format!("{} failed: {fault}", decoder.info.id))),
        None => Ok(stop.code()),
    }
}

/// One output for the sink and the flush between rows.
struct Shared<'a, W: Write>(&'a Mutex<W>);

impl<W: Write> Write for Shared<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

/// A recording of each source, where one is asked for.
fn record(args: &Args, feed: &Feed, decoder: &Decoder) -> Result<Vec<Recorder>, Failure> {
    let Some(path) = &args.record else { return Ok(Vec::new()) };
    let start = |(log, path): (Arc<RawLog>, PathBuf)| {
        let head = MetaHead { decoder: decoder.info.id.to_string(), ..MetaHead::default() };
        Recorder::start(log, &path, head).map_err(Failure::input)
    };
    feed.logs().into_iter().zip(recordings(path, &feed.cores())).map(start).collect()
}

/// The links, or the demo in their place.
enum Feed {
    Links(Target),
    Demo(crate::demo::Demo),
}

impl Feed {
    fn open(args: &Args, registry: &Registry, settings: &Settings) -> Result<Feed, Failure> {
        match &args.demo {
            Some(proto) => crate::demo::Demo::start(proto, registry).map(Feed::Demo).map_err(Failure::usage),
            None => Target::open(links::specs(&args.link)?, &settings.link_options(&args.link)).map(Feed::Links),
        }
    }

    fn merged(&self, decoder: &Arc<Decoder>, options: &Options) -> Result<Merged, Failure> {
        match self {
            Feed::Links(target) => target.merged(decoder, options, &[]),
            Feed::Demo(_) => Merged::open(decoder, options, &[Source::default()]).map_err(Failure::usage),
        }
    }

    fn logs(&self) -> Vec<Arc<RawLog>> {
        match self {
            Feed::Links(target) => target.logs.clone(),
            Feed::Demo(demo) => vec![demo.log().clone()],
        }
    }

    fn cores(&self) -> Vec<Option<u16>> {
        match self {
            Feed::Links(target) => target.links.iter().map(|link| link.spec().core).collect(),
            Feed::Demo(_) => vec![None],
        }
    }

    /// News of the links, to stderr.
    fn tell(&self) {
        let Feed::Links(target) = self else { return };
        target.links.iter().for_each(tell);
    }
}

fn tell(link: &Link) {
    let state = link.state();
    for event in link.events().try_iter() {
        let text = match &event {
            LinkEvent::Note(text) => Some(text.as_str()),
            // What is wrong comes as a note too, and a failure at the end.
            LinkEvent::State(LinkState::Waiting(text)) => Some(text.as_str()),
            _ => None,
        };
        if let Some(text) = text.filter(|&text| state.text() != Some(text) || !state.is_over()) {
            let _ = writeln!(std::io::stderr(), "spytui: {text}");
        }
    }
}
