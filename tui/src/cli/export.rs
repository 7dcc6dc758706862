//! `spytui export`: captures in the formats of other tools.

use std::{
    fs::{File, Metadata},
    io::{self, BufWriter},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use spytui_engine::{
    analysis::lifelines::ChosenLifelines,
    decode::guess,
    export::{
        capture::{ExportError, Exported, Inputs, is_device},
        ctf,
        perfetto::{export, export_file},
        sequence::{self, DiagramForm, DiagramRequest},
        service::{self, Offer},
        vcd,
    },
    identity,
    io::link::{LinkKind, LinkOptions, LinkSpec},
    open::{Decoder, Options, Registry},
    present::clock::grouped,
    unreadable,
};
use spytui_plugin_api::Source;

use super::{
    args::{DecoderArgs, ExportArgs, PerfettoArgs, RowFormat, SequenceArgs},
    decoders,
    failure::{self, Failure, Stop},
    filter, formats,
    links::LinkedTarget,
    output,
    settings::Settings,
};
use crate::sys;

/// Refuses to replace an existing file without `force`. Errors: it exists (2).
pub(super) fn is_free(path: &Path, force: bool) -> Result<(), Failure> {
    if !force && !is_device(path) && path.symlink_metadata().is_ok() { Err(exists(path)) } else { Ok(()) }
}

/// Refuses to replace one of the inputs, under any name; `what` is exported. Errors: it is one (2).
pub(super) fn is_no_input(path: &Path, inputs: &[LinkSpec], what: &str) -> Result<(), Failure> {
    let Ok(out) = path.metadata() else { return Ok(()) };
    let is_it = |found: io::Result<Metadata>| found.is_ok_and(|found| identity(&found) == identity(&out));
    let is_out = |input: &&LinkSpec| match &input.kind {
        LinkKind::Path(path) => is_it(path.metadata()),
        LinkKind::Stdin => is_it(sys::stdin_metadata()),
        _ => false,
    };
    inputs.iter().find(is_out).map_or(Ok(()), |input| {
        let out = path.display();
        Err(Failure::usage(format!("{out} is the input {input}: the {what} would replace it; choose another name")))
    })
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("{} exists already; --force replaces it", path.display()))
}

pub(super) fn failure(error: &ExportError) -> Failure {
    match error {
        ExportError::Exists(path) => exists(path),
        other => Failure::input(other),
    }
}

/// Polling interval of waits that can be stopped.
const LOOK: Duration = Duration::from_millis(20);

pub(super) struct Capture {
    pub(super) registry: Registry,
    pub(super) specs: Vec<LinkSpec>,
    pub(super) decoder: Arc<Decoder>,
    pub(super) options: Options,
    pub(super) target: LinkedTarget,
    pub(super) sources: Vec<Source>,
}

impl Capture {
    /// Reads all inputs to their end; `None` if a signal came first. `check` examines the inputs before the work
    /// begins. Errors: those of `check`; usage (2), input (3), decoder (4).
    pub(super) fn read(
        args: &ExportArgs,
        decoder_args: &DecoderArgs,
        settings: &Settings,
        stop: &Stop,
        check: impl FnOnce(&[LinkSpec]) -> Result<(), Failure>,
    ) -> Result<Option<Capture>, Failure> {
        let specs = args.inputs.iter().map(LinkSpec::parse).collect::<Result<Vec<_>, _>>();
        let specs = specs.map_err(Failure::usage)?;
        let named = settings.decoder(decoder_args, None, &specs)?;
        let registry = formats::registry(&named, settings)?;
        let opener = decoders::opener(&registry, settings, &named, RowFormat::Native);
        let named = opener.named().map_err(Failure::usage)?;
        check(&specs)?;
        let Some(target) = taken(specs.clone(), args, stop)? else { return Ok(None) };
        let known = decoders::known(&opener, named, std::slice::from_ref(&target), stop, || Ok(()))?;
        let Some((decoder, options)) = known else { return Ok(None) };
        drop(opener);
        let guessed = guess::of_target(&decoder, &options, &target.logs);
        guessed.iter().for_each(|(_, suggestion)| failure::say(suggestion));
        let options = guessed.map_or(options, |(options, _)| options);
        let sources = target.sources(&decoder.info);
        Ok(Some(Capture { registry, specs, decoder, options, target, sources }))
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        Inputs { decoder: &self.decoder, options: &self.options, sources: &self.sources, logs: &self.target.logs }
    }

    /// The exit code after an export.
    /// Errors: the decoder failed before the end (4).
    fn ended(&self, fault: Option<String>, what: &str, stop: &Stop) -> Result<u8, Failure> {
        match fault {
            Some(fault) => {
                Err(Failure::decoder(format!("{} failed: {fault}; the {what} ends there", self.decoder.called())))
            }
            None => stop.outcome(&self.decoder, None),
        }
    }
}

/// Separates uses of `-o`: options of the decoder contain `=`, the output file does not. Errors: several files (2).
pub(super) fn split(args: &ExportArgs) -> Result<(DecoderArgs, Option<PathBuf>), Failure> {
    let mut decoder = args.decoder.clone();
    let mut outs: Vec<PathBuf> = args.out.iter().cloned().collect();
    outs.extend(decoder.options.extract_if(.., |o| !o.contains('=')).map(PathBuf::from));
    match outs.as_slice() {
        [] => Ok((decoder, None)),
        [one] => Ok((decoder, Some(one.clone()))),
        [first, second, ..] => Err(Failure::usage(format!(
            "one file at a time: {} or {}? Options of the decoder are KEY=VALUE",
            first.display(),
            second.display()
        ))),
    }
}

/// Reads all inputs to their end; `None` if a signal came first.
fn taken(specs: Vec<LinkSpec>, args: &ExportArgs, stop: &Stop) -> Result<Option<LinkedTarget>, Failure> {
    // Nothing decodes yet, so nothing is throttled.
    let options =
        LinkOptions { once: true, throttle: None, input: args.text, undo: args.undo, ..LinkOptions::default() };
    let target = LinkedTarget::open(specs, &options)?;
    while !target.logs.iter().all(|log| log.ended()) {
        if stop.flag.load(Ordering::Relaxed) {
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
    target.verdict(false)?;
    Ok(Some(target))
}

/// Writes a trace for the Perfetto viewer, and offers it to its web page.
/// Errors: usage (2), input, output or a busy port (3), decoder (4).
pub fn perfetto(args: &PerfettoArgs, settings: &Settings) -> Result<u8, Failure> {
    let (decoder_args, out) = split(&args.export)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let (mut offered, mut prepared) = (None, None);
    let capture = Capture::read(&args.export, &decoder_args, settings, &stop, |specs| {
        // If it can't be served or written, don't start the work.
        offered = (args.serve || args.open).then(|| Offer::open(service::PORT)).transpose().map_err(Failure::input)?;
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
        result => result.map_err(|error| failure(&error))?,
    };
    match &place {
        Place::Named(path) => report(&exported, path, ["tracks", "events"])?,
        Place::Passing(_) => exported.notes.iter().for_each(failure::say),
    }
    capture.decoder.formatting.take_failures().iter().for_each(failure::say);
    if let Some(offer) = offered {
        serve(&offer, place, args, &stop)?;
    }
    capture.ended(exported.fault, "trace", &stop)
}

enum Place {
    Named(PathBuf),
    /// For the web page only: private and unlinked, so it vanishes with the program.
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
fn report(exported: &Exported, path: &Path, counted: [&str; 2]) -> Result<(), Failure> {
    exported.notes.iter().for_each(failure::say);
    let ([tracks, events], [of, what]) = ([exported.tracks, exported.events].map(grouped), counted);
    output::print(&format!("{tracks} {of}, {events} {what} in {}\n", path.display()))
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

/// Writes value changes for viewers of waveforms.
/// Errors: usage (2), input or output (3), decoder (4).
pub fn vcd(args: &ExportArgs, settings: &Settings) -> Result<u8, Failure> {
    viewer(args, settings, "OUT.vcd", ["variables", "changes"], vcd::export_file)
}

/// Writes a trace in the Common Trace Format into a new folder.
/// Errors: usage (2), input or output (3), decoder (4).
pub fn ctf(args: &ExportArgs, settings: &Settings) -> Result<u8, Failure> {
    // A folder may hold more than a trace, so none is replaced.
    match split(args)?.1.filter(|out| out.symlink_metadata().is_ok()) {
        Some(out) => Err(Failure::usage(ExportError::Exists(out))),
        None => viewer(args, settings, "DIR", ["streams", "events"], ctf::export_folder),
    }
}

type Write = fn(&Inputs<'_>, &Path, bool, &AtomicBool) -> Result<Exported, ExportError>;

/// Writes a trace for other viewers with `write`; `counted` = what the tracks and events are called there.
fn viewer(args: &ExportArgs, settings: &Settings, to: &str, counted: [&str; 2], write: Write) -> Result<u8, Failure> {
    let (decoder_args, out) = split(args)?;
    let Some(out) = out else { return Err(Failure::usage(format!("missing -o {to}"))) };
    let stop = Stop::install().map_err(Failure::input)?;
    let capture = Capture::read(args, &decoder_args, settings, &stop, |specs| {
        is_free(&out, args.force)?;
        is_no_input(&out, specs, "trace")
    })?;
    let Some(capture) = capture else { return Ok(stop.code()) };
    let exported = match write(&capture.inputs(), &out, args.force, &stop.flag) {
        Err(ExportError::Stopped) => return Ok(stop.code()),
        result => result.map_err(|error| failure(&error))?,
    };
    report(&exported, &out, counted)?;
    capture.ended(exported.fault, "trace", &stop)
}

/// Writes a sequence diagram.
/// Errors: usage (2), input or output (3), decoder (4).
pub fn sequence(args: &SequenceArgs, settings: &Settings) -> Result<u8, Failure> {
    let (decoder_args, out) = split(&args.export)?;
    let Some(out) = out else { return Err(Failure::usage("missing -o OUT.mmd or OUT.puml")) };
    let form = DiagramForm::of_file(&out).map_err(Failure::usage)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let capture = Capture::read(&args.export, &decoder_args, settings, &stop, |specs| {
        is_free(&out, args.export.force)?;
        is_no_input(&out, specs, "diagram")
    })?;
    let Some(capture) = capture else { return Ok(stop.code()) };
    let (decoder, options) = (&capture.decoder, &capture.options);
    let expr = args.filter.as_deref();
    let filter = filter::of_files(expr, (&capture.registry, settings), (decoder, options), &capture.specs)?;
    let lifelines = args.lifelines.as_deref().and_then(ChosenLifelines::parse);
    let wanted = DiagramRequest { form, lifelines, filter, taken: args.taken };
    let exported = match sequence::export_file(&capture.inputs(), &wanted, (&out, args.export.force), &stop.flag) {
        Err(ExportError::Stopped) => return Ok(stop.code()),
        result => result.map_err(|error| failure(&error))?,
    };
    exported.notes.iter().for_each(failure::say);
    output::print(&format!("{} in {}\n", exported.counts(), out.display()))?;
    capture.ended(exported.fault, "diagram", &stop)
}
