//! `spytui stats`: decode links to their end (or until a signal) and print the counters.

use std::{
    io::{self, Write},
    time::Duration,
};

use spytui_engine::{
    export::stats,
    stream::{Merged, Nowhere, drive_logs},
};

use super::{
    args::{Format, StatsArgs},
    decoders,
    failure::Failure,
    links::{self, Target},
    output,
    settings::Settings,
    stop::Stop,
};

/// Runs the command.
///
/// # Errors
/// Usage (2), link (3), decoder (4).
pub fn run(args: &StatsArgs, settings: &Settings) -> Result<u8, Failure> {
    let registry = decoders::registry(&args.decoder.plugins.plugins, settings)?;
    let (decoder, options) = decoders::chosen(&registry, &settings.decoder(&args.decoder, None), Format::Native)?;
    let target = Target::open(links::specs(&args.link)?, &links::options(&args.link))?;
    let mut merged = Merged::open(&decoder, &options, &target.sources(&decoder.info)).map_err(Failure::usage)?;
    let stop = Stop::install().map_err(Failure::input)?;
    // Counters need no order, and nobody waits for a source that is silent.
    let patience = Some(Duration::ZERO);
    output::ended(drive_logs(&target.logs, &mut merged, &mut Nowhere, &stop.flag, patience, || Ok(())))?;
    target.verdict(stop.code() != 0)?;
    let sources = target.stats(&merged);
    let text = if args.json {
        stats::json(&decoder.info, &sources)
    } else {
        stats::words(&decoder.info, &sources).into_bytes()
    };
    output::ended(io::stdout().write_all(&text))?;
    match merged.fault() {
        Some(fault) => Err(Failure::decoder(format!("{} failed: {fault}", decoder.info.id))),
        None => Ok(stop.code()),
    }
}
