//! `spytui stats`: decode links to their end (or until a signal) and print the counters, what every object was
//! doing, rates, times and levels, or what an expert would spot.

use std::{io, sync::Arc, time::Duration};

use spytui_engine::{
    export::{
        findings::NamedFindings,
        objects::NamedObjects,
        replay_sink::{FindingsSink, ObjectsSink, StatisticsSink},
        statistics::{NamedStatistics, Wanted, text},
        stats,
    },
    open::{Decoder, Options},
    present::clock::grouped,
    trace::stream::{NullSink, Sink, Targets, drive_targets},
};

use super::{
    args::{Format, Measured, StatsArgs, StatsForm},
    auto,
    failure::{self, Failure},
    formats,
    links::{self, Target},
    output,
    peers::Peers,
    settings::Settings,
    stop::Stop,
};

/// Runs the command.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub fn run(args: &StatsArgs, settings: &Settings) -> Result<u8, Failure> {
    let by_column = args.by.is_some() || !args.measure.is_empty();
    if args.format == StatsForm::Csv && !args.objects && !args.findings && !by_column {
        return Err(Failure::usage(
            "--format csv: counters are no table; --objects, --findings, --by and --measure print some",
        ));
    }
    if args.sort.is_some() && !by_column {
        return Err(Failure::usage("--sort is for the tables of --by and --measure"));
    }
    let specs = links::specs(&args.link)?;
    let named = settings.decoder(&args.decoder, None, &specs)?;
    let registry = formats::registry(&named, settings)?;
    let opener = auto::opener(&registry, settings, &named, Format::Native);
    let named = opener.named().map_err(Failure::usage)?;
    let targets = Target::open_each(specs, &links::options(&args.link))?;
    let stop = Stop::install().map_err(Failure::input)?;
    let chosen = auto::known(&opener, named, &targets, &stop, || Ok(()))?;
    let Some((decoder, options)) = chosen else { return Ok(stop.code()) };
    let input = Input { targets: &targets, decoder: &decoder, options: &options, stop: &stop };
    match args {
        StatsArgs { objects: true, .. } => input.objects(args),
        StatsArgs { findings: true, .. } => input.findings(args),
        _ if by_column => input.by_column(args),
        _ => input.counters(args),
    }
}

/// What is read.
struct Input<'a> {
    targets: &'a [Target],
    decoder: &'a Arc<Decoder>,
    options: &'a Options,
    stop: &'a Stop,
}

impl Input<'_> {
    fn counters(&self, args: &StatsArgs) -> Result<u8, Failure> {
        let (mut peers, mut flows) = Peers::new(self.targets, self.decoder, self.options, None, false)?;
        // Counters need no order, and nobody waits for a source that is silent.
        let patience = Some(Duration::ZERO);
        let grow = |flows: &mut Targets| peers.grow(flows);
        let read = drive_targets(&mut flows, &mut NullSink, &self.stop.flag, patience, grow, || Ok(()));
        self.ended(&mut flows, read)?;
        let sources = peers.stats(&flows);
        if args.json || args.format == StatsForm::Json {
            output::print_as_is(&stats::json(&self.decoder.info, &sources))?;
        } else {
            output::print(&stats::words(&self.decoder.info, &sources))?;
        }
        self.stop.outcome(self.decoder, flows.fault())
    }

    /// Reads one target into a sink.
    fn read_one(&self, what: &str, sink: &mut impl Sink) -> Result<Targets, Failure> {
        let one = || {
            let cores = "one link, or the cores of one target as FILE@0 FILE@1";
            Failure::usage(format!("{what} is about one target: {cores}"))
        };
        let [_] = self.targets else { return Err(one()) };
        let (mut peers, mut flows) = Peers::new(self.targets, self.decoder, self.options, None, true)?;
        let grow = |flows: &mut Targets| peers.grow(flows);
        let read = drive_targets(&mut flows, sink, &self.stop.flag, None, grow, || Ok(()));
        self.ended(&mut flows, read)?;
        if flows.iter().count() > 1 { Err(one()) } else { Ok(flows) }
    }

    fn findings(&self, args: &StatsArgs) -> Result<u8, Failure> {
        let mut sink = FindingsSink::new(&self.decoder.info);
        let flows = self.read_one("--findings", &mut sink)?;
        let Some(pipeline) = flows.iter().next() else { return Ok(self.stop.code()) };
        let (names, several) = (pipeline.dictionary(), pipeline.sources() > 1);
        let findings = NamedFindings::new(sink.replay(), self.decoder, names, several);
        match args.format {
            _ if args.json => output::print_as_is(&findings.json())?,
            StatsForm::Json => output::print_as_is(&findings.json())?,
            StatsForm::Csv => output::print_as_is(findings.csv().as_bytes())?,
            StatsForm::Text => output::print(&findings.text())?,
        }
        self.stop.outcome(self.decoder, flows.fault())
    }

    fn objects(&self, args: &StatsArgs) -> Result<u8, Failure> {
        let mut sink = ObjectsSink::until(&self.decoder.info, args.at);
        let flows = self.read_one("--objects", &mut sink)?;
        let Some(pipeline) = flows.iter().next() else { return Ok(self.stop.code()) };
        let Some(table) = sink.reached() else {
            let last = grouped(sink.records());
            return Err(Failure::usage(format!("--at: there is no such record; {last} records have come")));
        };
        let (names, several) = (pipeline.dictionary(), pipeline.sources() > 1);
        let objects = NamedObjects { decoder: self.decoder, names, several, table };
        match args.format {
            _ if args.json => output::print_as_is(&objects.json())?,
            StatsForm::Json => output::print_as_is(&objects.json())?,
            StatsForm::Csv => output::print_as_is(objects.csv().as_bytes())?,
            StatsForm::Text => output::print(&objects.text())?,
        }
        self.stop.outcome(self.decoder, flows.fault())
    }

    fn by_column(&self, args: &StatsArgs) -> Result<u8, Failure> {
        let one = "--by and --measure are about one target: one link, or the cores of one target as FILE@0 FILE@1";
        let [target] = self.targets else { return Err(Failure::usage(one)) };
        let (mut peers, mut flows) = Peers::new(self.targets, self.decoder, self.options, None, true)?;
        let mut sink = StatisticsSink::new(&self.decoder.info);
        let grow = |flows: &mut Targets| peers.grow(flows);
        let read = drive_targets(&mut flows, &mut sink, &self.stop.flag, None, grow, || Ok(()));
        self.ended(&mut flows, read)?;
        let mut pipelines = flows.iter();
        let Some(pipeline) = pipelines.next() else { return Ok(self.stop.code()) };
        if pipelines.next().is_some() {
            return Err(Failure::usage(one));
        }
        let several = target.links.len() > 1;
        let (decoder, names) = (self.decoder, pipeline.dictionary());
        let named = NamedStatistics { decoder, names, several, statistics: sink.replay(), clock: sink.clock() };
        let tables = named.tables(&wanted(args));
        match args.format {
            _ if args.json => output::print_as_is(&named.json(&tables))?,
            StatsForm::Json => output::print_as_is(&named.json(&tables))?,
            StatsForm::Csv => output::print_as_is(named.csv(&tables).as_bytes())?,
            StatsForm::Text => output::print(&text(&tables, several))?,
        }
        self.stop.outcome(self.decoder, flows.fault())
    }

    /// Says what is to be known of what was read.
    fn ended(&self, flows: &mut Targets, read: io::Result<u64>) -> Result<(), Failure> {
        flows.take_notes().iter().for_each(failure::say);
        self.targets.iter().try_for_each(|target| target.verdict(self.stop.code() != 0))?;
        output::ended(read)?;
        links::refused_names(flows.iter()).iter().for_each(failure::say);
        links::say_damage(self.targets, (self.decoder, self.options), flows);
        Ok(())
    }
}

fn wanted(args: &StatsArgs) -> Wanted {
    let all = args.measure.contains(&Measured::All);
    let one = |measured: &Measured| match measured {
        Measured::One(measure) if !all => Some(*measure),
        _ => None,
    };
    let measures = args.measure.iter().filter_map(one).collect();
    Wanted { measures, by: args.by, sort: args.sort.clone(), reverse: args.reverse }
}
