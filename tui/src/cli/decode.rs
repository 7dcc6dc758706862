//! `spytui decode`: files or stdin to text, streaming, in bounded memory.

use std::{
    ffi::OsStr,
    io::{self, Write},
};

use spytui_engine::{
    export::{
        Escape,
        stats::{self, SourceStats},
    },
    io::{
        link::{LinkKind, LinkOptions, LinkSpec},
        log::LogOptions,
    },
    open::Decoder,
    present::sanitise::sanitise_coloured,
    trace::stream::{Filtered, Sink as _, Targets, drive_targets},
};

use super::{
    args::{DecodeArgs, RowFormat, StatsForm},
    decoders,
    failure::{self, Failure, Stop},
    filter::{self, nothing_passed},
    formats,
    links::{LinkedTarget, MEMORY, WINDOW, refused_names},
    output::{self, RowStyle},
    settings::Settings,
};

/// Runs the command. Damaged input is not an error.
/// Errors: usage (2), input (3), decoder (4).
pub fn run(args: &DecodeArgs, settings: &Settings) -> Result<u8, Failure> {
    let inputs = args.files.iter().map(|text| input(text)).collect::<Result<Vec<_>, _>>()?;
    let named = settings.decoder(&args.decoder, None, &inputs)?;
    let registry = formats::registry(&named, settings)?;
    let mut style = RowStyle::of_stdout(args.format, args.csv_safe);
    let mut opener = decoders::opener(&registry, settings, &named, args.format);
    if let Some(colours) = args.color {
        if args.format != RowFormat::Reference {
            return Err(Failure::usage("--color needs --format reference: it has the colours of the reference host"));
        }
        opener.reference_form = Some(colours);
        style.escape = style.escape.map(|_| sanitise_coloured as Escape);
    }
    let named = opener.named().map_err(Failure::usage)?;
    let log = LogOptions { memory: MEMORY, spool: None };
    let (input, undo) = (args.text, args.undo);
    let link_options = LinkOptions { once: true, input, undo, log, throttle: Some(WINDOW), ..LinkOptions::default() };
    let target = LinkedTarget::open(inputs.clone(), &link_options)?;
    // Never set: a signal ends the program.
    let stop = Stop::default();
    let chosen = decoders::known(&opener, named, std::slice::from_ref(&target), &stop, || Ok(()))?;
    let Some((decoder, options)) = chosen else { return Ok(stop.code()) };
    let files = if args.text.is_some() { &[][..] } else { &inputs };
    let filter = filter::of_files(args.filter.as_deref(), (&registry, settings), (&decoder, &options), files)?;
    let columns = decoder.formatting.field_names();
    let mut sink = Filtered::new(output::sink(style, output::Stdout::open()?, inputs.len() > 1, columns), filter);
    sink.measures = args.stats.is_some();
    let mut flows = Targets::default();
    flows.add(target.start(&decoder, &options, true)?);
    let says = |flows: &mut Targets| {
        flows.take_notes().iter().for_each(failure::say);
        Ok(())
    };
    let output = drive_targets(&mut flows, &mut sink, &stop.flag, None, says, || Ok(()));
    // If nobody reads the output any more, the links' verdicts don't matter.
    let is_closed = output.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
    let trouble = if is_closed { Ok(()) } else { target.verdict(false) };
    output::ended(sink.header())?;
    let nothing_passed = nothing_passed(sink.filter(), &decoder, flows.iter());
    let written = output.and_then(|_| sink.flush());
    if trouble.is_ok() {
        output::ended(written)?;
    }
    let damage = flows.iter().flat_map(|flow| target.damage(&registry, (&decoder, &options), flow)).collect::<Vec<_>>();
    let remarks = refused_names(flows.iter()).into_iter().chain(nothing_passed).chain(damage);
    report(args.stats, &decoder, &flows.iter().flat_map(|flow| target.stats(flow)).collect::<Vec<_>>(), remarks);
    trouble?;
    stop.outcome(&decoder, flows.fault())
}

fn report(form: Option<StatsForm>, decoder: &Decoder, sources: &[SourceStats], remarks: impl Iterator<Item = String>) {
    if form == Some(StatsForm::Json) {
        // For programs: one object and nothing else.
        let _ = io::stderr().write_all(&stats::json(&decoder.info, sources));
        return;
    }
    remarks.chain(decoder.formatting.take_failures()).for_each(|text| failure::say(&text));
    if form == Some(StatsForm::Text) {
        failure::say_words(&stats::words(&decoder.info, sources));
    }
}

/// A file or stdin, with the core it belongs to.
fn input(text: &OsStr) -> Result<LinkSpec, Failure> {
    let spec = LinkSpec::parse(text).map_err(Failure::usage)?;
    match spec.kind {
        LinkKind::Path(_) | LinkKind::Stdin => Ok(spec),
        _ => {
            let text = text.display();
            Err(Failure::usage(format!(
                "{text}: decode reads files and stdin; spytui --headless {text} follows a link"
            )))
        }
    }
}
