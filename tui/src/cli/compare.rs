//! `spytui compare`: two captures, and where they differ.

use spytui_engine::export::{capture::ExportError, compare::Compare};

use super::{
    args::{CompareArgs, CompareForm, ExportArgs},
    export::Capture,
    failure::{Failure, Stop},
    output,
    settings::Settings,
};

/// Exit code of captures that differ.
const DIFFERENT: u8 = 1;

/// Runs the command; 1 if the captures differ.
/// Errors: usage (2), input (3), decoder (4).
pub(super) fn run(args: &CompareArgs, settings: &Settings) -> Result<u8, Failure> {
    let stop = Stop::install().map_err(Failure::input)?;
    let read = |input: &std::ffi::OsString| {
        let (decoder, inputs) = (args.decoder.clone(), vec![input.clone()]);
        let one = ExportArgs { decoder, out: None, force: false, text: None, undo: None, inputs };
        Capture::read(&one, &args.decoder, settings, &stop, |_| Ok(()))
    };
    let (Some(a), Some(b)) = (read(&args.a)?, read(&args.b)?) else { return Ok(stop.code()) };
    let [of_a, of_b] = [&a, &b].map(|one| one.decoder.info.id.clone());
    if of_a != of_b {
        return Err(Failure::usage(format!("these are {of_a} and {of_b}: captures of one protocol can be compared")));
    }
    let names = [&args.a, &args.b].map(|name| name.to_string_lossy().into_owned());
    let compared = match Compare::of(names, [&a.inputs(), &b.inputs()], !args.no_times, &stop.flag) {
        Err(ExportError::Stopped) => return Ok(stop.code()),
        compared => compared.map_err(Failure::input)?,
    };
    match args.report {
        CompareForm::Text => output::print(&compared.text())?,
        CompareForm::Json => output::print_as_is(&compared.json())?,
    }
    let code = stop.outcome(&a.decoder, None)?;
    Ok(if code == 0 && !compared.is_same() { DIFFERENT } else { code })
}
