//! `spytui stats`: decodes links to their end (or until a signal) and prints the counters, the objects, rates, times
//! and levels, or findings.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use spytui_engine::{
    analysis::{findings::Findings, objects::Wording, statistics::StatisticsTables},
    export::{
        objects::NamedObjects,
        replay_sink::{FindingsSink, IncidentSink, ObjectsSink, StatisticsSink, in_words},
        statistics::{NamedStatistics, StatisticsRequest},
        stats,
        table::Report,
    },
    open::{Decoder, Options, Registry},
    present::clock::grouped,
    trace::stream::{NullSink, Sink, Targets, drive_targets},
};

use super::{
    args::{DecoderArgs, LinkArgs, RowFormat, StatsArgs, StatsForm},
    decoders,
    failure::{self, Failure, Stop},
    formats,
    lines::Peers,
    links::{self, LinkedTarget},
    output,
    settings::Settings,
};

/// Runs the command.
/// Errors: usage (2), link (3), decoder (4).
pub fn run(args: &StatsArgs, settings: &Settings) -> Result<u8, Failure> {
    let by_column = args.by.is_some() || !args.measure.is_empty();
    if args.format == StatsForm::Csv && !args.objects && !args.findings && !args.incident && !by_column {
        return Err(Failure::usage(
            "--format csv: counters are no table; --objects, --findings, --incident, --by and --measure print some",
        ));
    }
    if args.sort.is_some() && !by_column {
        return Err(Failure::usage("--sort is for the tables of --by and --measure"));
    }
    let stop = Stop::install().map_err(Failure::input)?;
    let reading = Reading::open((&args.link, &args.decoder), settings, &stop)?;
    let Some(reading) = reading else { return Ok(stop.code()) };
    let input = Input { args, reading: &reading };
    match args {
        StatsArgs { objects: true, .. } => input.objects(),
        StatsArgs { findings: true, .. } => input.findings(),
        StatsArgs { incident: true, .. } => input.incident(settings.config.look_back()),
        _ if by_column => input.by_column(),
        _ => input.counters(),
    }
}

/// Links read to their end, or until a signal.
pub(super) struct Reading<'a> {
    pub(super) registry: Registry,
    pub(super) targets: Vec<LinkedTarget>,
    pub(super) decoder: Arc<Decoder>,
    options: Options,
    stop: &'a Stop,
}

struct Input<'a> {
    args: &'a StatsArgs,
    reading: &'a Reading<'a>,
}

impl<'a> Reading<'a> {
    /// Opens all links; `None` if a signal came before the decoder was known.
    /// Errors: usage (2), link (3), decoder (4).
    pub(super) fn open(
        (link, decoder): (&LinkArgs, &DecoderArgs),
        settings: &Settings,
        stop: &'a Stop,
    ) -> Result<Option<Reading<'a>>, Failure> {
        let specs = links::specs(link)?;
        let named = settings.decoder(decoder, None, &specs)?;
        let registry = formats::registry(&named, settings)?;
        let opener = decoders::opener(&registry, settings, &named, RowFormat::Native);
        let named = opener.named().map_err(Failure::usage)?;
        let targets = LinkedTarget::open_each(specs, &links::options(link))?;
        let chosen = decoders::known(&opener, named, &targets, stop, || Ok(()))?;
        drop(opener);
        Ok(chosen.map(|(decoder, options)| Reading { registry, targets, decoder, options, stop }))
    }

    /// Reads one target into a sink; `what` = the option that needs a single target.
    pub(super) fn read_one(&self, what: &str, sink: &mut impl Sink) -> Result<Targets, Failure> {
        let one = || {
            let cores = "one link, or the cores of one target as FILE@0 FILE@1";
            Failure::usage(format!("{what} about one target: {cores}"))
        };
        let [_] = self.targets.as_slice() else { return Err(one()) };
        let (_, flows) = self.read(sink, None, true)?;
        if flows.iter().count() > 1 { Err(one()) } else { Ok(flows) }
    }

    /// Reads all targets into a sink, and prints remarks; see [`drive_targets`] and [`Peers::new`].
    fn read(
        &self,
        sink: &mut impl Sink,
        patience: Option<Duration>,
        ordered: bool,
    ) -> Result<(Peers<'_>, Targets), Failure> {
        let (mut peers, mut flows) = Peers::new(&self.targets, &self.decoder, &self.options, None, ordered)?;
        let grow = |flows: &mut Targets| peers.grow(flows);
        let read = drive_targets(&mut flows, sink, &self.stop.flag, patience, grow, || Ok(()));
        flows.take_notes().iter().for_each(failure::say);
        let is_stopped = self.stop.flag.load(Ordering::Relaxed);
        self.targets.iter().try_for_each(|target| target.verdict(is_stopped))?;
        output::ended(read)?;
        links::refused_names(flows.iter()).iter().for_each(failure::say);
        links::say_damage(&self.targets, &self.registry, (&self.decoder, &self.options), &flows);
        Ok((peers, flows))
    }
}

impl Input<'_> {
    fn counters(&self) -> Result<u8, Failure> {
        let Reading { decoder, stop, .. } = self.reading;
        // Counters need no order, so silent sources are not waited for.
        let (peers, flows) = self.reading.read(&mut NullSink, Some(Duration::ZERO), false)?;
        let sources = peers.stats(&flows);
        if self.args.json || self.args.format == StatsForm::Json {
            output::print_as_is(&stats::json(&decoder.info, &sources))?;
        } else {
            output::print(&stats::words(&decoder.info, &sources))?;
        }
        stop.outcome(decoder, flows.fault())
    }

    /// Prints a report of the target read.
    fn print<R: Report>(
        &self,
        flows: &Targets,
        report: impl FnOnce(&Wording<'_>) -> Result<R, Failure>,
    ) -> Result<u8, Failure> {
        let Reading { decoder, stop, .. } = self.reading;
        let Some(pipeline) = flows.iter().next() else { return Ok(stop.code()) };
        let (report, several) = (in_words(decoder, pipeline.dictionary(), report)?, pipeline.sources() > 1);
        match self.args.format {
            _ if self.args.json => output::print_as_is(&report.json(several))?,
            StatsForm::Json => output::print_as_is(&report.json(several))?,
            StatsForm::Csv => output::print_as_is(report.csv(several).as_bytes())?,
            StatsForm::Text => output::print(&report.text(several))?,
        }
        stop.outcome(decoder, flows.fault())
    }

    fn findings(&self) -> Result<u8, Failure> {
        let mut sink = FindingsSink::new(&self.reading.decoder.info);
        let flows = self.reading.read_one("--findings is", &mut sink)?;
        self.print(&flows, |wording| Ok(Findings::new(&sink.replay, wording)))
    }

    fn objects(&self) -> Result<u8, Failure> {
        let mut sink = ObjectsSink::until(&self.reading.decoder.info, self.args.at);
        let flows = self.reading.read_one("--objects is", &mut sink)?;
        self.print(&flows, |wording| {
            let table = sink.reached().ok_or_else(|| no_record(sink.records()))?;
            Ok(NamedObjects::new(table, wording))
        })
    }

    fn incident(&self, look_back: u64) -> Result<u8, Failure> {
        let mut sink = IncidentSink::new(&self.reading.decoder.info, self.args.at, look_back);
        let flows = self.reading.read_one("--incident is", &mut sink)?;
        self.print(&flows, |wording| match (sink.incident(wording), self.args.at) {
            (Some(incident), _) => Ok(incident),
            (None, Some(_)) => Err(no_record(sink.records())),
            (None, None) => {
                Err(Failure::usage("no assertion, error or reset; --at '#744' shows what there was at a record"))
            }
        })
    }

    fn by_column(&self) -> Result<u8, Failure> {
        let mut sink = StatisticsSink::new(&self.reading.decoder.info);
        let flows = self.reading.read_one("--by and --measure are", &mut sink)?;
        self.print(&flows, |wording| {
            let all = StatisticsTables { statistics: &sink.replay, wording: *wording, clock: sink.clock() };
            Ok(NamedStatistics::new(&all, &wanted(self.args)))
        })
    }
}

fn no_record(records: u64) -> Failure {
    Failure::usage(format!("--at: there is no such record; there are {} records", grouped(records)))
}

fn wanted(args: &StatsArgs) -> StatisticsRequest {
    let measures = args.measure.iter().copied().collect::<Option<_>>().unwrap_or_default();
    StatisticsRequest { measures, by: args.by, sort: args.sort.clone(), reverse: args.reverse }
}
