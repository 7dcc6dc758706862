//! `spytui stats`: decode a link to its end (or until a signal) and print the counters.

use std::io::{self, Write};

use spytui_engine::{
    export::stats,
    link::Link,
    stream::{Nowhere, Pipeline, drive_log},
};

use super::{
    args::{Format, StatsArgs},
    decoders,
    failure::Failure,
    links, output,
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
    let mut pipeline = Pipeline::open(decoder.clone(), &options).map_err(Failure::usage)?;
    let link = Link::open(links::one(&args.link)?, links::options(&args.link)).map_err(Failure::input)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let log = link.sources().remove(0).log;
    output::ended(drive_log(&log, &mut pipeline, &mut Nowhere, &stop.flag, || Ok(())))?;
    links::verdict(&link, stop.code() != 0)?;
    let text = if args.json {
        stats::json(&decoder.info, pipeline.counters(), &pipeline.spreads())
    } else {
        stats::text(&decoder.info, pipeline.counters(), &pipeline.spreads()).into_bytes()
    };
    output::ended(io::stdout().write_all(&text))?;
    match pipeline.fault() {
        Some(fault) => Err(Failure::decoder(format!("{} failed: {fault}", decoder.info.id))),
        None => Ok(stop.code()),
    }
}
