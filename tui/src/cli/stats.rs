//! `spytui stats`: decodes links to their end (or until a signal) and prints the counters, the objects, rates, times
//! and levels, or findings.

use std::{io, sync::Arc, time::Duration};

use spytui_engine::{
    analysis::{findings::Findings, objects::Wording, statistics::StatisticsTables},
    export::{
        objects::NamedObjects,
        replay_sink::{FindingsSink, IncidentSink, ObjectsSink, StatisticsSink, in_words},
        statistics::{NamedStatistics, StatisticsRequest},
        stats,
        table::Report,
    },
    open::{Decoder, Options},
    present::clock::grouped,
    trace::stream::{NullSink, Sink, Targets, drive_targets},
};

use super::{
    args::{RowFormat, StatsArgs, StatsForm},
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
    let specs = links::specs(&args.link)?;
    let named = settings.decoder(&args.decoder, None, &specs)?;
    let registry = formats::registry(&named, settings)?;
    let opener = decoders::opener(&registry, settings, &named, RowFormat::Native);
    let named = opener.named().map_err(Failure::usage)?;
    let targets = LinkedTarget::open_each(specs, &links::options(&args.link))?;
    let stop = Stop::install().map_err(Failure::input)?;
    let chosen = decoders::known(&opener, named, &targets, &stop, || Ok(()))?;
    let Some((decoder, options)) = chosen else { return Ok(stop.code()) };
    let input = Input { args, targets: &targets, decoder: &decoder, options: &options, stop: &stop };
    match args {
        StatsArgs { objects: true, .. } => input.objects(),
        StatsArgs { findings: true, .. } => input.findings(),
        StatsArgs { incident: true, .. } => input.incident(settings.config.look_back()),
        _ if by_column => input.by_column(),
        _ => input.counters(),
    }
}

struct Input<'a> {
    args: &'a StatsArgs,
    targets: &'a [LinkedTarget],
    decoder: &'a Arc<Decoder>,
    options: &'a Options,
    stop: &'a Stop,
}

impl Input<'_> {
    fn counters(&self) -> Result<u8, Failure> {
        let (mut peers, mut flows) = Peers::new(self.targets, self.decoder, self.options, None, false)?;
        // Counters need no order, so silent sources are not waited for.
        let patience = Some(Duration::ZERO);
        let grow = |flows: &mut Targets| peers.grow(flows);
        let read = drive_targets(&mut flows, &mut NullSink, &self.stop.flag, patience, grow, || Ok(()));
        self.ended(&mut flows, read)?;
        let sources = peers.stats(&flows);
        if self.args.json || self.args.format == StatsForm::Json {
            output::print_as_is(&stats::json(&self.decoder.info, &sources))?;
        } else {
            output::print(&stats::words(&self.decoder.info, &sources))?;
        }
        self.stop.outcome(self.decoder, flows.fault())
    }

    /// Reads one target into a sink; `what` = the option that needs a single target.
    fn read_one(&self, what: &str, sink: &mut impl Sink) -> Result<Targets, Failure> {
        let one = || {
            let cores = "one link, or the cores of one target as FILE@0 FILE@1";
            Failure::usage(format!("{what} about one target: {cores}"))
        };
        let [_] = self.targets else { return Err(one()) };
        let (mut peers, mut flows) = Peers::new(self.targets, self.decoder, self.options, None, true)?;
        let grow = |flows: &mut Targets| peers.grow(flows);
        let read = drive_targets(&mut flows, sink, &self.stop.flag, None, grow, || Ok(()));
        self.ended(&mut flows, read)?;
        if flows.iter().count() > 1 { Err(one()) } else { Ok(flows) }
    }

    /// Prints a report of the target read.
    fn print<R: Report>(
        &self,
        flows: &Targets,
        report: impl FnOnce(&Wording<'_>) -> Result<R, Failure>,
    ) -> Result<u8, Failure> {
        let Some(pipeline) = flows.iter().next() else { return Ok(self.stop.code()) };
        let (report, several) = (in_words(self.decoder, pipeline.dictionary(), report)?, pipeline.sources() > 1);
        match self.args.format {
            _ if self.args.json => output::print_as_is(&report.json(several))?,
            StatsForm::Json => output::print_as_is(&report.json(several))?,
            StatsForm::Csv => output::print_as_is(report.csv(several).as_bytes())?,
            StatsForm::Text => output::print(&report.text(several))?,
        }
        self.stop.outcome(self.decoder, flows.fault())
    }

    fn findings(&self) -> Result<u8, Failure> {
        let mut sink = FindingsSink::new(&self.decoder.info);
        let flows = self.read_one("--findings is", &mut sink)?;
        self.print(&flows, |wording| Ok(Findings::new(&sink.replay, wording)))
    }

    fn objects(&self) -> Result<u8, Failure> {
        let mut sink = ObjectsSink::until(&self.decoder.info, self.args.at);
        let flows = self.read_one("--objects is", &mut sink)?;
        self.print(&flows, |wording| {
            let table = sink.reached().ok_or_else(|| no_record(sink.records()))?;
            Ok(NamedObjects::new(table, wording))
        })
    }

    fn incident(&self, look_back: u64) -> Result<u8, Failure> {
        let mut sink = IncidentSink::new(&self.decoder.info, self.args.at, look_back);
        let flows = self.read_one("--incident is", &mut sink)?;
        self.print(&flows, |wording| match (sink.incident(wording), self.args.at) {
            (Some(incident), _) => Ok(incident),
            (None, Some(_)) => Err(no_record(sink.records())),
            (None, None) => {
                Err(Failure::usage("no assertion, error or reset; --at '#744' shows what there was at a record"))
            }
        })
    }

    fn by_column(&self) -> Result<u8, Failure> {
        let mut sink = StatisticsSink::new(&self.decoder.info);
        let flows = self.read_one("--by and --measure are", &mut sink)?;
        self.print(&flows, |wording| {
            let all = StatisticsTables { statistics: &sink.replay, wording: *wording, clock: sink.clock() };
            Ok(NamedStatistics::new(&all, &wanted(self.args)))
        })
    }

    /// Prints remarks on what was read.
    fn ended(&self, flows: &mut Targets, read: io::Result<u64>) -> Result<(), Failure> {
        flows.take_notes().iter().for_each(failure::say);
        self.targets.iter().try_for_each(|target| target.verdict(self.stop.code() != 0))?;
        output::ended(read)?;
        links::refused_names(flows.iter()).iter().for_each(failure::say);
        links::say_damage(self.targets, (self.decoder, self.options), flows);
        Ok(())
    }
}

fn no_record(records: u64) -> Failure {
    Failure::usage(format!("--at: there is no such record; there are {} records", grouped(records)))
}

fn wanted(args: &StatsArgs) -> StatisticsRequest {
    let measures = args.measure.iter().copied().collect::<Option<_>>().unwrap_or_default();
    StatisticsRequest { measures, by: args.by, sort: args.sort.clone(), reverse: args.reverse }
}
