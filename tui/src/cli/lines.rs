//! `spytui` without a terminal on stdout: lines in the format asked for, flushed as they come.

use std::{
    io::Write,
    sync::{Mutex, PoisonError},
};

use spytui_engine::{
    link::{Link, LinkEvent, LinkState},
    log::{MetaHead, Recorder},
    plugin::Registry,
    stream::{Pipeline, drive_log},
};

use super::{
    args::Args,
    decoders,
    failure::Failure,
    links,
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
    let source = Source::open(args, &registry, settings)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let recorder = args.record.as_ref().map(|path| {
        let head = MetaHead { decoder: decoder.info.id.to_string(), ..MetaHead::default() };
        Recorder::start(source.log(), path, head).map_err(Failure::input)
    });
    let recorder = recorder.transpose()?;
    let mut pipeline = Pipeline::open(decoder.clone(), &options).map_err(Failure::usage)?;
    let stdout = Mutex::new(output::stdout()?);
    let mut sink = Output::new(args.format, Shared(&stdout), filter);
    let idle = || {
        source.tell();
        stdout.lock().unwrap_or_else(PoisonError::into_inner).flush()
    };
    let result = drive_log(&source.log(), &mut pipeline, &mut sink, &stop.flag, idle);
    drop(recorder);
    output::ended(result)?;
    if let Source::Link(link) = &source {
        links::verdict(link, stop.code() != 0)?;
    }
    match pipeline.fault() {
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

/// The link, or the demo in its place.
pub enum Source {
    /// A link.
    Link(Box<Link>),
    /// The demo.
    Demo(crate::demo::Demo),
}

impl Source {
    /// Opens what the arguments name.
    ///
    /// # Errors
    /// Usage (2) or link (3).
    pub fn open(args: &Args, registry: &Registry, settings: &Settings) -> Result<Source, Failure> {
        match &args.demo {
            Some(proto) => crate::demo::Demo::start(proto, registry).map(Source::Demo).map_err(Failure::usage),
            None => {
                let spec = links::one(&args.link)?;
                let link = Link::open(spec, settings.link_options(&args.link)).map_err(Failure::input)?;
                Ok(Source::Link(Box::new(link)))
            }
        }
    }

    fn log(&self) -> std::sync::Arc<spytui_engine::log::RawLog> {
        match self {
            Source::Link(link) => link.sources().remove(0).log,
            Source::Demo(demo) => demo.log().clone(),
        }
    }

    /// News of the link, to stderr.
    fn tell(&self) {
        let Source::Link(link) = self else { return };
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
}
