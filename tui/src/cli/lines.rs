//! `spytui` without a terminal on stdout: lines in the format asked for, flushed as they come.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use spytui_engine::{
    link::{Link, LinkEvent, LinkSpec, LinkState},
    order::PATIENCE,
    plugin::{Decoder, Options},
    present::clock::grouped,
    query::Expr,
    stream::{Pipeline, Sink, Targets, drive_logs, drive_targets},
};

use super::{
    args::Args,
    auto::{Choice, Chosen},
    decoders,
    failure::{self, Failure},
    filter::{self, nothing_passed},
    formats,
    links::{self, Target},
    output::{self, RowOutput, RowStyle},
    patient_output::PatientOutput,
    peers::Peers,
    recordings::{self, Recordings, Subject},
    settings::Settings,
    stop::Stop,
};
use crate::{
    demo::Demo,
    recording::{self, Plan, SourceName},
    sys,
};

/// Runs until the input ends or a signal comes.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub fn run(args: &Args, settings: &Settings) -> Result<u8, Failure> {
    let (registry, mut formats) = formats::watched(&args.decoder, settings)?;
    let choice = Choice { registry: &registry, settings, args: &args.decoder, format: args.format };
    let filter_for = |(decoder, _): &Chosen| filter::filter(args.filter.as_deref(), decoder, &registry, settings);
    let named = choice.named()?;
    let filter = named.as_ref().map(filter_for).transpose()?;
    if let (Some(proto), Some((decoder, options)), Some(filter)) = (&args.demo, &named, &filter) {
        let demo = Demo::start(proto, &registry).map_err(Failure::usage)?;
        return of_demo(args, settings.recording(args), &demo, decoder, options, filter.clone());
    }
    let mut link_options = settings.link_options(&args.link);
    link_options.frames = Some(decoders::frame_test(&registry, named.as_ref()));
    let targets = Target::open_each(links::specs(&args.link)?, &link_options)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let head = |spec: &LinkSpec| recording::head(spec.to_string(), named.as_ref());
    let subjects = targets.iter().flat_map(|target| recordings::subjects(target, head)).collect();
    let mut recorded = settings.recording(args).map(|plan| Recordings::start(plan, subjects)).transpose()?;
    let report_all = || targets.iter().flat_map(|target| &target.links).for_each(report);
    let Some(chosen) = choice.known(named, &targets, &stop, report_all)? else { return Ok(stop.code()) };
    let filter = filter.map_or_else(|| filter_for(&chosen), Ok)?;
    if let Some(recorded) = &mut recorded {
        recorded.read_with(&chosen);
    }
    let (decoder, options) = chosen;
    let (mut peers, mut flows) = Peers::new(&targets, &decoder, &options, recorded, true)?;
    let stdout = Mutex::new(PatientOutput::stdout(&stop.flag)?);
    let mut sink =
        RowOutput::new(RowStyle::of_stdout(args.format, args.csv_safe), Shared(&stdout), filter, peers.several());
    let idle = || {
        report_all();
        decoder.formatting.take_failures().iter().for_each(failure::say);
        flush(&stdout)
    };
    // At every turn: a busy stream has no time to be idle.
    let grow = |flows: &mut Targets| {
        formats.look(&registry);
        peers.look();
        peers.grow(flows)
    };
    let result = drive_targets(&mut flows, &mut sink, &stop.flag, Some(PATIENCE), grow, idle);
    let code = peers.finish(stop.code());
    flows.take_notes().iter().for_each(failure::say);
    decoder.formatting.take_failures().iter().for_each(failure::say);
    // A file that was cut can't be read to its end either.
    targets.iter().try_for_each(|target| target.verdict(stop.code() != 0))?;
    ended(result, &stop)?;
    if stop.code() == 0 {
        links::refused_names(flows.iter()).iter().for_each(failure::say);
        nothing_passed(sink.filter(), &decoder.info, flows.iter()).iter().for_each(failure::say);
    }
    stop.outcome(&decoder, flows.fault()).map(|_| code)
}

/// Runs with a demo instead of links.
fn of_demo(
    args: &Args,
    record: Option<Plan>,
    demo: &Demo,
    decoder: &Arc<Decoder>,
    options: &Options,
    filter: Expr,
) -> Result<u8, Failure> {
    let stop = Stop::install().map_err(Failure::input)?;
    let head = recording::head("demo".to_owned(), Some(&(decoder.clone(), options.clone())));
    let subject = Subject { name: SourceName::of_word("demo"), log: demo.log().clone(), head };
    let mut recordings = record.map(|plan| Recordings::start(plan, vec![subject])).transpose()?;
    let mut pipeline = Pipeline::single(decoder, options).map_err(Failure::options)?;
    let stdout = Mutex::new(PatientOutput::stdout(&stop.flag)?);
    let mut sink = RowOutput::new(RowStyle::of_stdout(args.format, args.csv_safe), Shared(&stdout), filter, false);
    let logs = [demo.log().clone()];
    let idle = || {
        recordings.iter_mut().for_each(Recordings::look);
        decoder.formatting.take_failures().iter().for_each(failure::say);
        flush(&stdout)
    };
    let result = drive_logs(&logs, &mut pipeline, &mut sink, &stop.flag, Some(PATIENCE), idle);
    let code = recordings.as_mut().map_or(stop.code(), |recordings| {
        recordings.finish();
        recordings.code(stop.code())
    });
    ended(result, &stop)?;
    stop.outcome(decoder, pipeline.fault()).map(|_| code)
}

/// The end of the output. Says what a signal left undecoded or unwritten; after that, standard error may be blocked, too.
fn ended(result: io::Result<u64>, stop: &Stop) -> Result<(), Failure> {
    let text = match result {
        Err(error) if error.kind() == io::ErrorKind::TimedOut && stop.code() != 0 => {
            format!("{error}: its last rows were not written")
        }
        result => match output::ended(result)? {
            0 => return Ok(()),
            left => format!("{} bytes were received but not decoded before the end", grouped(left)),
        },
    };
    if sys::stderr_takes_bytes() {
        failure::say(&text);
    }
    Ok(())
}

fn flush(stdout: &Mutex<impl Write>) -> io::Result<()> {
    stdout.lock().unwrap_or_else(PoisonError::into_inner).flush()
}

/// Output shared by the sink and the flush between rows.
struct Shared<'a, W: Write>(&'a Mutex<W>);

impl<W: Write> Write for Shared<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

fn report(link: &Link) {
    for event in link.events().try_iter() {
        let state = link.state();
        let text = match &event {
            LinkEvent::Note(text) => Some(text.as_str()),
            // What is wrong comes as a note too, and a failure at the end.
            LinkEvent::State(LinkState::Waiting(text)) => Some(text.as_str()),
            _ => None,
        };
        if let Some(text) = text.filter(|&text| state.text() != Some(text) || !state.is_over()) {
            failure::say(text);
        }
    }
}
