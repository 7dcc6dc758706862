//! `spytui stats`: decode links to their end (or until a signal) and print the counters.

use std::time::Duration;

use spytui_engine::{
    export::stats,
    trace::stream::{NullSink, Targets, drive_targets},
};

use super::{
    args::{Format, StatsArgs, StatsForm},
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
    let specs = links::specs(&args.link)?;
    let named = settings.decoder(&args.decoder, None, &specs)?;
    let registry = formats::registry(&named, settings)?;
    let opener = auto::opener(&registry, settings, &named, Format::Native);
    let named = opener.named().map_err(Failure::usage)?;
    let targets = Target::open_each(specs, &links::options(&args.link))?;
    let stop = Stop::install().map_err(Failure::input)?;
    let chosen = auto::known(&opener, named, &targets, &stop, || Ok(()))?;
    let Some((decoder, options)) = chosen else { return Ok(stop.code()) };
    let (mut peers, mut flows) = Peers::new(&targets, &decoder, &options, None, false)?;
    // Counters need no order, and nobody waits for a source that is silent.
    let patience = Some(Duration::ZERO);
    let grow = |flows: &mut Targets| peers.grow(flows);
    let read = drive_targets(&mut flows, &mut NullSink, &stop.flag, patience, grow, || Ok(()));
    flows.take_notes().iter().for_each(failure::say);
    targets.iter().try_for_each(|target| target.verdict(stop.code() != 0))?;
    output::ended(read)?;
    links::refused_names(flows.iter()).iter().for_each(failure::say);
    let sources = peers.stats(&flows);
    if args.json || args.format == StatsForm::Json {
        output::print_as_is(&stats::json(&decoder.info, &sources))?;
    } else {
        output::print(&stats::words(&decoder.info, &sources))?;
    }
    stop.outcome(&decoder, flows.fault())
}
