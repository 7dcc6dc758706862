//! `spytui formats new`: a first version of a format file, from the records of a capture.

use std::ffi::OsString;

use spytui_engine::{
    export::StartingLines,
    io::{
        link::{LinkKind, LinkOptions, LinkSpec},
        log::LogOptions,
    },
    trace::stream::{Targets, drive_targets},
};

use super::{
    args::{DecoderArgs, Format},
    auto, decode, decoders,
    failure::{Failure, Stop},
    links::Target,
    output,
    settings::Settings,
};

/// Prints a line for each kind of application record.
/// Errors: usage (2), input (3), decoder (4).
pub fn print_lines_for(from: &OsString, args: &DecoderArgs, settings: &Settings) -> Result<u8, Failure> {
    let spec = LinkSpec::parse(from).map_err(Failure::usage)?;
    if !matches!(spec.kind, LinkKind::Path(_) | LinkKind::Stdin) {
        return Err(Failure::usage(format!("--from {}: a file, or - for stdin", from.display())));
    }
    let inputs = [spec];
    let named = settings.decoder(args, None, &inputs)?;
    // Texts from other files would hide the content of records.
    let registry = decoders::registry(&named.plugins.plugins, settings)?;
    let opener = auto::opener(&registry, settings, &named, Format::Native);
    let named = opener.named().map_err(Failure::usage)?;
    let log = LogOptions { memory: decode::MEMORY, spool: None };
    let options = LinkOptions { once: true, log, throttle: Some(decode::WINDOW), ..LinkOptions::default() };
    let target = Target::open(inputs.to_vec(), &options)?;
    let stop = Stop::default();
    let chosen = auto::known(&opener, named, std::slice::from_ref(&target), &stop, || Ok(()))?;
    let Some((decoder, options)) = chosen else { return Ok(stop.code()) };
    let mut lines = StartingLines::new(&decoder.info.id);
    let mut flows = Targets::default();
    flows.add(target.start(&decoder, &options, true)?);
    let read = drive_targets(&mut flows, &mut lines, &stop.flag, None, |_| Ok(()), || Ok(()));
    target.verdict(false)?;
    output::ended(read)?;
    output::print(&lines.text(&from.to_string_lossy()))?;
    stop.outcome(&decoder, flows.fault())
}
