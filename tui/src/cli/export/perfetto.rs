//! `spytui export perfetto`.

use std::{
    fs::File,
    io::BufWriter,
    path::PathBuf,
    process::{Command, Stdio},
};

use super::{
    super::{
        args::PerfettoArgs,
        failure::{self, Failure},
        output,
        settings::Settings,
        stop::Stop,
    },
    capture::{Capture, split},
    place::{self, is_free, is_no_input},
};
use spytui_engine::{
    export::{
        capture::{ExportError, Inputs},
        perfetto::{Exported, export, export_file},
        service::{Offer, offer},
    },
    present::clock::grouped,
    unreadable,
};

/// Writes a trace for the Perfetto viewer, and offers it to its web page.
///
/// # Errors
/// Usage (2), input, output or a busy port (3), decoder (4).
pub fn perfetto(args: &PerfettoArgs, settings: &Settings) -> Result<u8, Failure> {
    let (decoder_args, out) = split(&args.export)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let (mut offered, mut prepared) = (None, None);
    let capture = Capture::read(&args.export, &decoder_args, settings, &stop, |specs| {
        // What can't be offered or written is not worked for.
        offered = (args.serve || args.open).then(|| Offer::open(offer::PORT)).transpose().map_err(Failure::input)?;
        if let Some(path) = &out {
            is_free(path, args.export.force)?;
            is_no_input(path, specs, "trace")?;
        }
        prepared = Some(Place::new(out.clone(), offered.is_some())?);
        Ok(())
    })?;
    let (Some(capture), Some(place)) = (capture, prepared) else { return Ok(stop.code()) };
    let exported = match place.export(&capture.inputs(), args.export.force, &stop) {
        Err(ExportError::Stopped) => return Ok(stop.code()),
        result => result.map_err(|error| place::failure(&error))?,
    };
    report(&exported, &place)?;
    capture.decoder.formatting.take_failures().iter().for_each(failure::say);
    if let Some(offer) = offered {
        serve(&offer, place, args, &stop)?;
    }
    capture.ended(exported.fault, "trace", &stop)
}

/// Destination of the trace.
enum Place {
    Named(PathBuf),
    /// For the web page only: private, and gone with the program, as it has no name.
    Passing(File),
}

impl Place {
    fn new(out: Option<PathBuf>, offered: bool) -> Result<Place, Failure> {
        match out {
            Some(path) => Ok(Place::Named(path)),
            None if offered => tempfile::tempfile().map(Place::Passing).map_err(Failure::input),
            None => Err(Failure::usage("missing -o OUT.pftrace, or --serve or --open for the web page")),
        }
    }

    fn export(&self, inputs: &Inputs<'_>, replace: bool, stop: &Stop) -> Result<Exported, ExportError> {
        match self {
            Place::Named(path) => export_file(inputs, path, replace, &stop.flag),
            Place::Passing(file) => export(inputs, BufWriter::new(file), &stop.flag).map_err(|error| match error {
                ExportError::Write { source, .. } => ExportError::Write { path: std::env::temp_dir(), source },
                other => other,
            }),
        }
    }

    fn open(self) -> Result<File, Failure> {
        match self {
            Place::Named(path) => File::open(&path).map_err(|error| Failure::input(unreadable(&path, &error))),
            Place::Passing(file) => Ok(file),
        }
    }
}

/// Prints the result to stdout, and notes about the trace to stderr.
fn report(exported: &Exported, place: &Place) -> Result<(), Failure> {
    exported.notes.iter().for_each(failure::say);
    if let Place::Named(path) = place {
        let text =
            format!("{} tracks, {} events in {}\n", grouped(exported.tracks), grouped(exported.events), path.display());
        output::print(&text)?;
    }
    Ok(())
}

fn serve(offer: &Offer, place: Place, args: &PerfettoArgs, stop: &Stop) -> Result<(), Failure> {
    let trace = place.open()?;
    output::print(&format!("{}\n", offer.link()))?;
    if args.open && !browse(&offer.link()) {
        failure::say("no browser was found; open this link in one on this machine");
    }
    let once = args.open && !args.serve;
    offer.serve(trace, once, &stop.flag).map_err(Failure::input)
}

/// Opens a link in a browser, if there is one.
fn browse(link: &str) -> bool {
    let own = std::env::var("BROWSER").ok().filter(|b| !b.is_empty());
    let usual = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    [own.as_deref(), Some(usual)].into_iter().flatten().any(|program| {
        let mut command = Command::new(program);
        command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}
