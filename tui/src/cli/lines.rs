//! `spytui` without a terminal on stdout: lines in the format asked for, flushed as they come.

use std::io;

use crossbeam_channel::bounded;
use spytui_engine::{
    io::link::{Link, LinkSpec},
    io::log::host_now,
    open::Chosen,
    present::clock::grouped,
    trace::order::PATIENCE,
    trace::stream::{Filtered, Sink as _, Targets, drive_targets},
};

use super::{
    args::Args,
    auto, decoders,
    exec::{Around, Conductor, Plan},
    failure::{self, Failure},
    filter::{self, nothing_passed},
    formats::{self, FormatWatch},
    links::{self, Target},
    output::{self, RowStyle},
    patient_output::PatientOutput,
    peers::Peers,
    recordings::{self, Recordings},
    settings::Settings,
    stop::Stop,
};
use crate::{demo, recording, sys};

/// Runs until the input ends or a signal comes.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub fn run(args: &Args, settings: &Settings) -> Result<u8, Failure> {
    let (registry, format_files) = formats::read(&args.decoder, settings)?;
    formats::say_faults(registry.formats());
    let watch = FormatWatch::start(format_files, bounded(1).0);
    let plan = Plan::of_args(args, settings)?;
    let opener = auto::opener(&registry, settings, &args.decoder, args.format);
    let filter_for = |(decoder, _): &Chosen| filter::filter(args.filter.as_deref(), decoder, &registry, settings);
    let named = opener.named().map_err(Failure::usage)?;
    let filter = named.as_ref().map(filter_for).transpose()?;
    let mut link_options = settings.link_options(&args.link);
    link_options.frames = Some(decoders::frame_test(&registry, named.as_ref()));
    let targets = match &args.demo.proto {
        Some(proto) => {
            let link = demo::open(proto, args.demo.faults.as_deref(), &registry, link_options);
            vec![Target::of_link(link.map_err(Failure::usage)?)]
        }
        None => Target::open_each(links::specs(&args.link)?, &link_options)?,
    };
    let stop = Stop::install().map_err(Failure::input)?;
    let head = |spec: &LinkSpec| recording::head(spec.to_string(), registry.formats().text(), named.as_ref());
    let subjects = targets.iter().flat_map(|target| recordings::subjects(target, head)).collect();
    let mut recorded = settings.recording(args).map(|plan| Recordings::start(plan, subjects)).transpose()?;
    let report_all = || targets.iter().flat_map(|target| &target.links).for_each(links::say_notes);
    let waiting = || {
        report_all();
        plan.as_ref().map_or(Ok(()), |plan| plan.look_for_link(targets.first()))
    };
    let Some(chosen) = auto::known(&opener, named, &targets, &stop, waiting)? else { return Ok(stop.code()) };
    let filter = filter.map_or_else(|| filter_for(&chosen), Ok)?;
    if let Some(recorded) = &mut recorded {
        recorded.read_with(&chosen);
    }
    let conductor = match plan {
        Some(plan) => {
            let vocabulary = filter::vocabulary(&chosen.0, &registry);
            let (chosen, filter, stop, targets) = (&chosen, &filter, &stop, targets.as_slice());
            Some(Conductor::start(plan, &Around { targets, chosen, vocabulary, filter, settings, stop })?)
        }
        None => None,
    };
    let (decoder, options) = chosen;
    let (mut peers, mut flows) = Peers::new(&targets, &decoder, &options, recorded, true)?;
    let style = RowStyle::of_stdout(args.format, args.csv_safe);
    let columns = decoder.formatting.field_names();
    let output = output::sink(style, PatientOutput::stdout(&stop.flag)?, peers.several(), columns);
    let mut sink = Filtered::new(output, filter).with_next(conductor.as_ref().map(Conductor::filters));
    let idle = || {
        report_all();
        decoder.formatting.take_failures().iter().for_each(failure::say);
        Ok(())
    };
    // At every turn: a busy stream has no time to be idle.
    let grow = |flows: &mut Targets| {
        if let Some(set) = watch.as_ref().and_then(FormatWatch::changed) {
            let set = registry.checked(set);
            formats::say_faults(&set);
            registry.use_formats(&set);
        }
        peers.look();
        if conductor.as_ref().is_some_and(Conductor::is_over) {
            end(&targets);
        }
        peers.grow(flows)
    };
    let result = drive_targets(&mut flows, &mut sink, &stop.flag, Some(PATIENCE), grow, idle);
    let result = result.and_then(|left| sink.header().and_then(|()| sink.flush()).map(|()| left));
    let is_ended = conductor.as_ref().is_some_and(Conductor::is_over);
    let is_given_up = result.is_err() || flows.fault().is_some();
    let script = conductor.map_or(Ok(()), |conductor| conductor.finish(is_given_up));
    let code = peers.finish(stop.code());
    flows.take_notes().iter().for_each(failure::say);
    decoder.formatting.take_failures().iter().for_each(failure::say);
    // A file that was cut can't be read to its end either.
    targets.iter().try_for_each(|target| target.verdict(stop.code() != 0 || is_ended))?;
    ended(result, &stop)?;
    if stop.code() == 0 {
        links::refused_names(flows.iter()).iter().for_each(failure::say);
        links::say_damage(&targets, (&decoder, &options), &flows);
        script?;
        nothing_passed(sink.only_filter(), &decoder, flows.iter()).iter().for_each(failure::say);
    }
    stop.outcome(&decoder, flows.fault()).map(|_| code)
}

/// Ends all logs, so that what was received is printed to its end and nothing follows.
fn end(targets: &[Target]) {
    let sources = targets.iter().flat_map(|target| &target.links).flat_map(Link::sources);
    sources.for_each(|source| source.log.end(host_now()));
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
