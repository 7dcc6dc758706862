//! `spytui export`: traces for other tools.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::Ordering,
    time::Duration,
};

use super::{
    args::{DecoderArgs, Format, PerfettoArgs},
    auto,
    failure::{self, Failure},
    formats,
    links::Target,
    output,
    settings::Settings,
    stop::Stop,
};
use crate::sys::FileId;
use spytui_engine::{
    export::perfetto::{ExportError, Exported, export, export_file, run::Inputs},
    export::service::{Offer, offer},
    io::link::{LinkKind, LinkOptions, LinkSpec, TextForm},
    open::guess,
    present::clock::grouped,
    unreadable,
};

/// Polling interval of waits that can be stopped.
const LOOK: Duration = Duration::from_millis(20);

/// Writes a trace for the Perfetto viewer, and offers it to its web page.
///
/// # Errors
/// Usage (2), input, output or a busy port (3), decoder (4).
pub fn perfetto(args: &PerfettoArgs, settings: &Settings) -> Result<u8, Failure> {
    let (decoder_args, out) = split(args)?;
    let specs = args.inputs.iter().map(LinkSpec::parse).collect::<Result<Vec<_>, _>>();
    let specs = specs.map_err(Failure::usage)?;
    let named = settings.decoder(&decoder_args, None, &specs)?;
    let registry = formats::registry(&named, settings)?;
    let opener = auto::opener(&registry, settings, &named, Format::Native);
    let named = opener.named().map_err(Failure::usage)?;
    // What can't be offered or written is not worked for.
    let offer = (args.serve || args.open).then(|| Offer::open(offer::PORT)).transpose().map_err(Failure::input)?;
    let place = Place::new(out, offer.is_some())?;
    place.is_free(args.force)?;
    place.is_no_input(&specs)?;
    let stop = Stop::install().map_err(Failure::input)?;
    let Some(target) = taken(specs, args, &stop)? else { return Ok(stop.code()) };
    let Some((decoder, options)) = auto::known(&opener, named, std::slice::from_ref(&target), &stop, || Ok(()))? else {
        return Ok(stop.code());
    };
    let guessed = guess::of_target(&decoder, &options, &target.logs);
    guessed.iter().for_each(|(_, suggestion)| failure::say(suggestion));
    let options = guessed.map_or(options, |(options, _)| options);
    let inputs =
        Inputs { decoder: &decoder, options: &options, sources: &target.sources(&decoder.info), logs: &target.logs };
    let exported = match place.export(&inputs, args.force, &stop) {
        Err(ExportError::Stopped) => return Ok(stop.code()),
        result => result.map_err(|error| failure(&error))?,
    };
    report(&exported, &place)?;
    decoder.formatting.take_failures().iter().for_each(failure::say);
    if let Some(offer) = offer {
        serve(&offer, place, args, &stop)?;
    }
    match exported.fault {
        Some(fault) => Err(Failure::decoder(format!("{} failed: {fault}; the trace ends there", decoder.info.id))),
        None => Ok(stop.code()),
    }
}

/// `-o` names options of the decoder here as everywhere, and the file to write: options have a `=`.
fn split(args: &PerfettoArgs) -> Result<(DecoderArgs, Option<PathBuf>), Failure> {
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
            None => Err(Failure::usage("where to? -o OUT.pftrace, or --serve or --open for the web page")),
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

    fn is_free(&self, force: bool) -> Result<(), Failure> {
        match self {
            Place::Named(path) if !force && path.symlink_metadata().is_ok() => Err(exists(path)),
            _ => Ok(()),
        }
    }

    /// Refuses to replace one of the inputs, under whatever name.
    fn is_no_input(&self, inputs: &[LinkSpec]) -> Result<(), Failure> {
        let Place::Named(path) = self else { return Ok(()) };
        let Some(out) = FileId::of(path) else { return Ok(()) };
        let is_out = |input: &&LinkSpec| match &input.kind {
            LinkKind::Path(path) => FileId::of(path) == Some(out),
            LinkKind::Stdin => FileId::of_stdin() == Some(out),
            _ => false,
        };
        inputs.iter().find(is_out).map_or(Ok(()), |input| {
            let out = path.display();
            Err(Failure::usage(format!("{out} is the input {input}: the trace would replace it; choose another name")))
        })
    }
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("{} exists already; --force replaces it", path.display()))
}

fn failure(error: &ExportError) -> Failure {
    match error {
        ExportError::Exists(path) => exists(path),
        other => Failure::input(other),
    }
}

/// Reads all inputs to their end; `None` if a signal came first.
fn taken(specs: Vec<LinkSpec>, args: &PerfettoArgs, stop: &Stop) -> Result<Option<Target>, Failure> {
    let input = args.text.map(TextForm::from);
    // Nothing decodes yet, so nothing is ahead of a decoder.
    let options = LinkOptions { once: true, throttle: None, input, ..LinkOptions::default() };
    let target = Target::open(specs, &options)?;
    while !target.logs.iter().all(|log| log.ended()) {
        if stop.flag.load(Ordering::Relaxed) {
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
    target.verdict(false)?;
    Ok(Some(target))
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
    let mut stdout = io::stdout();
    output::ended(writeln!(stdout, "{}", offer.link()).and_then(|()| stdout.flush()))?;
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
