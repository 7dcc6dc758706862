//! `spytui` without a terminal on stdout: prints lines in the requested format as they arrive, for all targets named by
//! the arguments and for senders that join them.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::Arc,
    time::Duration,
};

use crossbeam_channel::bounded;
use spytui_engine::{
    decode::{Chosen, core_of},
    export::stats::SourceStats,
    io::{
        link::{Link, LinkKind, LinkSource, LinkSpec},
        log::host_now,
    },
    open::{Decoder, Options, Registry},
    present::clock::grouped,
    trace::{
        order::PATIENCE,
        stream::{Filtered, Sink as _, TargetFlow, Targets, drive_targets},
    },
};
use spytui_plugin_api::Source;

use super::{
    args::Args,
    decoders,
    exec::{Conductor, ExecPlan, Side},
    failure::{self, Failure, Stop},
    filter::{self, nothing_passed},
    formats::{self, FormatWatch},
    links::{self, LinkedTarget, Watched, source_stats},
    output::{self, PatientOutput, RowStyle},
    play,
    record::{self, Recordings},
    settings::Settings,
};
use crate::{
    demo,
    recording::{self, RecordedSource, RecordingPlan, SourceName},
    sys,
    trigger::TriggerAction,
    watching::{TriggerPlace, TriggerWatch},
};

/// Runs until the input ends or a signal arrives. Errors: usage (2), link (3), decoder (4).
pub fn run(args: &Args, settings: &Settings) -> Result<u8, Failure> {
    let (registry, format_files) = formats::read(&args.decoder, settings)?;
    formats::faults(&registry.formats).iter().for_each(failure::say);
    let watch = FormatWatch::start(format_files, bounded(1).0);
    let plan = ExecPlan::of_args(args, settings)?;
    let opener = decoders::opener(&registry, settings, &args.decoder, args.format);
    let filter_for =
        |(decoder, _): &Chosen| filter::read(args.filter.as_deref(), filter::vocabulary(decoder, &registry), settings);
    let specs = links::specs(&args.link)?;
    let named = match args.play {
        Some(_) => play::decoder_of(&opener, &specs)?,
        None => opener.named().map_err(Failure::usage)?,
    };
    let filter = named.as_ref().map(filter_for).transpose()?;
    let mut link_options = settings.link_options(&args.link);
    link_options.frames = Some(decoders::frame_test(&registry, named.as_ref()));
    let targets = match (&args.demo.proto, &args.play, specs.as_slice()) {
        (Some(proto), ..) => {
            let link = demo::open(proto, args.demo.faults.as_deref(), &registry, link_options);
            vec![LinkedTarget::of_link(link.map_err(Failure::usage)?)]
        }
        (None, Some(plan), [spec]) => {
            let (link, remark) = play::open(spec, plan, named.clone(), link_options)?;
            remark.iter().for_each(failure::say);
            play::step_by_lines(plan);
            vec![LinkedTarget::of_link(link)]
        }
        _ => LinkedTarget::open_each(specs, &link_options)?,
    };
    let stop = Stop::install().map_err(Failure::input)?;
    let head = |spec: &LinkSpec| recording::head(spec.to_string(), registry.formats.text(), named.as_ref());
    let subjects = targets.iter().flat_map(|target| record::subjects(target, head)).collect();
    let mut recorded = settings.recording(args).map(|plan| Recordings::start(plan, subjects)).transpose()?;
    let report_all = || targets.iter().flat_map(|target| &target.links).for_each(links::say_notes);
    let waiting = || {
        report_all();
        plan.as_ref().map_or(Ok(()), |plan| plan.look_for_link(targets.first()))
    };
    let Some(chosen) = decoders::known(&opener, named, &targets, &stop, waiting)? else { return Ok(stop.code()) };
    let filter = filter.map_or_else(|| filter_for(&chosen), Ok)?;
    if let Some(recorded) = &mut recorded {
        recorded.read_with(&chosen);
    }
    let sides = targets.iter().filter(|_| plan.is_some() || args.front_end.is_some());
    let sides = sides.map(|target| Side::open(target, &chosen, settings)).collect::<Result<Vec<Side>, Failure>>()?;
    let served = args.front_end.zip(sides.first()).map(|(address, side)| side.serve(address)).transpose()?;
    let logs: Vec<_> = targets.iter().flat_map(|target| &target.logs).collect();
    let sources = targets.iter().flat_map(|target| target.links.iter().map(Link::spec).zip(&target.logs));
    let mut written = record::start_written(&args.write, &sources.collect::<Vec<_>>(), &chosen)?;
    let conductor = match plan {
        Some(plan) => {
            let vocabulary = filter::vocabulary(&chosen.0, &registry);
            Some(Conductor::start(plan, sides, vocabulary, filter.clone(), settings, &stop)?)
        }
        None => None,
    };
    let mut triggers = HeadlessTriggers::start(args, settings, &registry, &chosen, &targets)?;
    let is_ended_by_front_end = || served.as_ref().is_some_and(|served| served.server.status().ends_host);
    let (decoder, options) = chosen.clone();
    let (mut peers, mut flows) = Peers::new(&targets, &decoder, &options, recorded, true)?;
    let style = RowStyle::of_stdout(args.format, args.csv_safe);
    let columns = decoder.formatting.field_names();
    let output = output::sink(style, PatientOutput::stdout(&stop.flag)?, peers.several(), columns);
    let mut sink = Filtered::new(output, filter);
    sink.next = conductor.as_ref().map(Conductor::filters);
    let idle = || {
        report_all();
        decoder.formatting.take_failures().iter().for_each(failure::say);
        Ok(())
    };
    // At every turn, as a busy stream is never idle.
    let grow = |flows: &mut Targets| {
        if let Some(set) = watch.as_ref().and_then(FormatWatch::changed) {
            let set = registry.checked(set);
            formats::faults(&set).iter().for_each(failure::say);
            registry.use_formats(&set);
        }
        peers.look();
        if let (Some(served), Some(log)) = (&served, logs.first()) {
            let switched = written.switch(&served.server.take_files(), log, &chosen, Source::default());
            switched.iter().for_each(failure::say);
        }
        written.take_failures().iter().for_each(failure::say);
        triggers.look();
        if conductor.as_ref().is_some_and(Conductor::is_over) || is_ended_by_front_end() {
            end(&targets);
        }
        peers.grow(flows)
    };
    let result = drive_targets(&mut flows, &mut sink, &stop.flag, Some(PATIENCE), grow, idle);
    let result = result.and_then(|left| sink.header().and_then(|()| sink.flush()).map(|()| left));
    let is_ended = conductor.as_ref().is_some_and(Conductor::is_over) || is_ended_by_front_end();
    let is_given_up = result.is_err() || flows.fault().is_some();
    let script = conductor.map_or(Ok(()), |conductor| conductor.finish(is_given_up));
    let code = if triggers.finish() { 3 } else { stop.code() };
    let code = record::finish_written(&mut written, peers.finish(code), &stop);
    flows.take_notes().iter().for_each(failure::say);
    decoder.formatting.take_failures().iter().for_each(failure::say);
    // A truncated file can't be read to its end either.
    targets.iter().try_for_each(|target| target.verdict(stop.code() != 0 || is_ended))?;
    ended(result, &stop)?;
    if stop.code() == 0 {
        links::refused_names(flows.iter()).iter().for_each(failure::say);
        links::say_damage(&targets, &registry, (&decoder, &options), &flows);
        script?;
        nothing_passed(sink.only_filter(), &decoder, flows.iter()).iter().for_each(failure::say);
    }
    stop.outcome(&decoder, flows.fault()).map(|_| code)
}

/// Triggers without a screen.
struct HeadlessTriggers {
    /// With the number of rows that came while they were busy.
    watches: Vec<(TriggerWatch, u64)>,
    /// What was to be recorded or run was not.
    has_failed: bool,
}

impl HeadlessTriggers {
    /// Errors: one needs a screen, or can't be read (2).
    fn start(
        args: &Args,
        settings: &Settings,
        registry: &Registry,
        chosen: &Chosen,
        targets: &[LinkedTarget],
    ) -> Result<HeadlessTriggers, Failure> {
        if let Some(rule) = args.on.iter().find(|rule| rule.needs_screen()) {
            return Err(Failure::usage(format!("--on '{rule}': without a screen there is nothing to {}", rule.action)));
        }
        let rules = settings.triggers(args).into_iter().filter(|rule| !rule.needs_screen()).collect();
        let rules = filter::of_triggers(rules, &filter::vocabulary(&chosen.0, registry))?;
        let head = |spec: &LinkSpec| recording::head(spec.to_string(), registry.formats.text(), Some(chosen));
        let destination = RecordingPlan::new(&settings.config, None).destination;
        let mut watches = Vec::new();
        for (rule, expr) in &rules {
            for target in targets {
                let subjects = record::subjects(target, head).into_iter();
                for (subject, source) in subjects.zip(target.sources(&chosen.0.info)) {
                    let (chosen, destination) = (chosen.clone(), destination.clone());
                    let place = TriggerPlace { subject, chosen, source, from: 0, destination, shows_output: true };
                    let watch = TriggerWatch::start(rule, expr.clone(), place, bounded(1).0);
                    watches.push((watch.map_err(Failure::usage)?, 0));
                }
            }
        }
        Ok(HeadlessTriggers { watches, has_failed: false })
    }

    fn look(&mut self) {
        for (watch, skipped) in &mut self.watches {
            let news = watch.take_news();
            *skipped += news.skipped;
            if watch.rule.action == TriggerAction::Bell && news.hits > 0 && io::stderr().is_terminal() {
                let _ = io::stderr().write_all(b"\x07");
            }
            self.has_failed |= news.said.iter().any(|(failed, _)| *failed);
            news.said.iter().for_each(|(_, text)| failure::say(text));
        }
    }

    /// Judges the last rows; returns whether an action failed.
    fn finish(&mut self) -> bool {
        self.watches.iter_mut().for_each(|(watch, _)| watch.finish());
        self.look();
        for (watch, skipped) in self.watches.iter().filter(|(_, skipped)| *skipped > 0) {
            failure::say(&format!("--on '{}': {} rows came while it was busy", watch.rule, grouped(*skipped)));
        }
        self.has_failed
    }
}

/// Ends all logs, so that everything received is printed and nothing follows.
fn end(targets: &[LinkedTarget]) {
    let sources = targets.iter().flat_map(|target| &target.links).flat_map(Link::sources);
    sources.for_each(|source| source.log.end(host_now()));
}

/// The end of the output. Reports what a signal left undecoded or unwritten; after that, standard error may be blocked,
/// too.
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
    if sys::takes_bytes(&io::stderr(), Duration::ZERO) {
        failure::say(&text);
    }
    Ok(())
}

/// Opens and records senders that connect later.
#[derive(Debug)]
pub struct Peers<'a> {
    decoder: &'a Arc<Decoder>,
    options: &'a Options,
    /// Links with their number of known streams.
    links: Vec<(&'a Link, usize)>,
    /// Names of all sources, by number.
    names: Vec<String>,
    recordings: Option<Recordings>,
    watched: Vec<Watched>,
}

impl<'a> Peers<'a> {
    /// All targets, ready to be decoded; senders that join are recorded if the others are. Without `ordered`, there is
    /// no first pass over files. Errors: the options conflict (2), or a file can't be read or created (3).
    pub fn new(
        targets: &'a [LinkedTarget],
        decoder: &'a Arc<Decoder>,
        options: &'a Options,
        recordings: Option<Recordings>,
        ordered: bool,
    ) -> Result<(Peers<'a>, Targets), Failure> {
        let links: Vec<(&Link, usize)> = targets.iter().flat_map(|t| &t.links).map(|link| (link, 1)).collect();
        let names = targets.iter().flat_map(|t| t.names.iter().cloned()).collect();
        let peers = Peers { decoder, options, links, names, recordings, watched: Vec::new() };
        let mut flows = Targets::default();
        for target in targets {
            flows.add(target.start(decoder, options, ordered)?);
        }
        Ok((peers, flows))
    }

    /// `true` if there are or may be several sources.
    pub fn several(&self) -> bool {
        self.links.len() > 1 || self.links.iter().any(|(link, _)| matches!(link.spec().kind, LinkKind::Udp(_)))
    }

    /// Adds senders that have connected, and reports news. Errors: the decoder can't be opened.
    pub fn grow(&mut self, flows: &mut Targets) -> io::Result<()> {
        for at in 0..self.links.len() {
            let Some((link, known)) = self.links.get_mut(at) else { break };
            let joined: Vec<LinkSource> = link.sources().into_iter().skip(*known).collect();
            *known += joined.len();
            let spec = link.spec().to_string();
            for peer in &joined {
                self.record(peer, &spec);
                self.add(peer, flows)?;
            }
        }
        flows.take_notes().iter().for_each(failure::say);
        self.look_for_frames(flows);
        Ok(())
    }

    /// Reports links on which no frame is valid.
    fn look_for_frames(&mut self, flows: &Targets) {
        self.watched.resize_with(self.names.len(), Watched::default);
        let (links, id) = (&self.links, self.decoder.info.id.as_str());
        for (at, (watched, (log, counters))) in self.watched.iter_mut().zip(flows.sources()).enumerate() {
            let (link, name) = (links.get(at).map(|(link, _)| *link), self.names.get(at));
            let (Some(counters), Some(name), true) = (counters, name, link.is_none_or(Link::is_live)) else { continue };
            watched.look(counters, || links::line(link, log, name, Some(id)));
        }
    }

    /// Reports recordings that failed since the last call.
    pub fn look(&mut self) {
        if let Some(recordings) = &mut self.recordings {
            recordings.look();
        }
    }

    /// Completes all recordings, including those of senders that have just joined; returns the exit code of the run.
    pub fn finish(mut self, code: u8) -> u8 {
        for at in 0..self.links.len() {
            let Some((link, known)) = self.links.get(at) else { break };
            let spec = link.spec().to_string();
            for peer in &link.sources().split_off(*known) {
                self.record(peer, &spec);
                self.names.push(peer.name.clone());
            }
        }
        let Some(mut recordings) = self.recordings else { return code };
        recordings.finish();
        recordings.code(code)
    }

    fn add(&mut self, peer: &LinkSource, flows: &mut Targets) -> io::Result<()> {
        let index = self.names.len() as u16;
        let core = core_of(&self.decoder.info, peer.core, index);
        let source = Source { index, core };
        let logs = std::slice::from_ref(&peer.log);
        let target = TargetFlow::new(self.decoder, self.options, &peer.name, &[source], logs, true);
        flows.add(target.map_err(io::Error::other)?);
        self.names.push(peer.name.clone());
        Ok(())
    }

    /// Records a sender that joined, under the number of the source to be added.
    fn record(&mut self, peer: &LinkSource, spec: &str) {
        let Some(recordings) = &mut self.recordings else { return };
        let head = recording::head(
            spec.to_owned(),
            self.decoder.formatting.lines.text(),
            Some(&(self.decoder.clone(), self.options.clone())),
        );
        let subject = RecordedSource { name: SourceName::of_word(&peer.name), log: peer.log.clone(), head };
        recordings.join(self.names.len() as u16, subject);
    }

    pub fn stats(&self, flows: &Targets) -> Vec<SourceStats> {
        let sources = flows.iter().flat_map(|pipeline| (0..pipeline.sources()).map(move |source| (pipeline, source)));
        sources.zip(&self.names).map(|((pipeline, source), name)| source_stats(pipeline, source, name)).collect()
    }
}
