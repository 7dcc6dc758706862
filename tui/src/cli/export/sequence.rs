//! `spytui export sequence`.

use super::{
    super::{
        args::SequenceArgs,
        failure::{self, Failure},
        filter, output,
        settings::Settings,
        stop::Stop,
    },
    capture::{Capture, split},
    place::{self, is_free, is_no_input},
};
use spytui_engine::{
    analysis::lifelines::Chosen,
    export::{
        capture::ExportError,
        sequence::{Form, Wanted, export_file},
    },
};

/// Writes a sequence diagram.
///
/// # Errors
/// Usage (2), input or output (3), decoder (4).
pub fn sequence(args: &SequenceArgs, settings: &Settings) -> Result<u8, Failure> {
    let (decoder_args, out) = split(&args.export)?;
    let Some(out) = out else { return Err(Failure::usage("missing -o OUT.mmd or OUT.puml")) };
    let form = Form::of_file(&out).map_err(Failure::usage)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let capture = Capture::read(&args.export, &decoder_args, settings, &stop, |specs| {
        is_free(&out, args.export.force)?;
        is_no_input(&out, specs, "diagram")
    })?;
    let Some(capture) = capture else { return Ok(stop.code()) };
    let (decoder, options) = (&capture.decoder, &capture.options);
    let expr = args.filter.as_deref();
    let filter = filter::of_files(expr, (&capture.registry, settings), (decoder, options), &capture.specs)?;
    let lifelines = args.lifelines.as_deref().and_then(Chosen::parse);
    let wanted = Wanted { form, lifelines, filter, taken: args.taken };
    let exported = match export_file(&capture.inputs(), &wanted, (&out, args.export.force), &stop.flag) {
        Err(ExportError::Stopped) => return Ok(stop.code()),
        result => result.map_err(|error| place::failure(&error))?,
    };
    exported.notes.iter().for_each(failure::say);
    output::print(&format!("{} in {}\n", exported.counts(), out.display()))?;
    capture.ended(exported.fault, "diagram", &stop)
}
