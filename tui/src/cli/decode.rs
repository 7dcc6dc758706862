//! `spytui decode`: a file or stdin to text, streaming, in bounded memory.

use std::{
    io::{self, Write},
    path::Path,
    sync::atomic::AtomicBool,
};

use spytui_engine::{
    export::stats,
    log::open_recorded,
    plugin::{Decoder, Options, guess::with_suggestion},
    stream::{Pipeline, drive_log, drive_reader},
};

use super::{
    args::{DecodeArgs, StatsForm},
    decoders,
    failure::Failure,
    output::{self, Output},
    settings::Settings,
};

/// Runs the command. Damage is no error.
///
/// # Errors
/// Usage (2), input (3), decoder (4).
pub fn run(args: &DecodeArgs, settings: &Settings) -> Result<u8, Failure> {
    let registry = decoders::registry(&args.decoder.plugins.plugins, settings)?;
    let (decoder, options) = decoders::chosen(&registry, &settings.decoder(&args.decoder, None), args.format)?;
    let filter = output::filter(args.filter.as_deref(), &decoder.info)?;
    let options = complete(&args.file, &decoder, options);
    let mut pipeline = Pipeline::open(decoder.clone(), &options).map_err(Failure::usage)?;
    let mut stdout = output::stdout()?;
    let mut sink = Output::new(args.format, &mut stdout, filter);
    let result = drive(&args.file, &mut pipeline, &mut sink)?;
    if let Output::Csv(csv) = &mut sink {
        output::ended(csv.header())?;
    }
    output::ended(result.and_then(|()| stdout.flush()))?;
    match args.stats {
        Some(StatsForm::Json) => report(&stats::json(&decoder.info, pipeline.counters(), &pipeline.spreads())),
        Some(StatsForm::Text) => {
            report(stats::text(&decoder.info, pipeline.counters(), &pipeline.spreads()).as_bytes())
        }
        None => {}
    }
    match pipeline.fault() {
        Some(fault) => Err(Failure::decoder(format!("{} failed: {fault}", decoder.info.id))),
        None => Ok(0),
    }
}

/// Sizes that the file does not tell are guessed from its beginning, and that is said.
fn complete(file: &str, decoder: &Decoder, options: Options) -> Options {
    let path = Path::new(file);
    let log = (file != "-" && path.is_file()).then(|| open_recorded(path).ok()).flatten();
    match log.and_then(|opened| with_suggestion(decoder, &options, &opened.log)) {
        Some((options, suggestion)) => {
            report(format!("spytui: {suggestion}\n").as_bytes());
            options
        }
        None => options,
    }
}

fn report(text: &[u8]) {
    // A stderr that is closed is the caller's wish.
    let _ = io::stderr().write_all(text);
}

/// The outer error is of the input, the inner one of the output.
fn drive<W: Write>(file: &str, pipeline: &mut Pipeline, sink: &mut Output<W>) -> Result<io::Result<()>, Failure> {
    if file == "-" {
        let mut input = Input { inner: io::stdin().lock(), error: None };
        let result = drive_reader(&mut input, pipeline, sink);
        return match input.error {
            Some(error) => Err(Failure::input(format!("stdin: {error}"))),
            None => Ok(result),
        };
    }
    let path = Path::new(file);
    if !path.is_file() {
        return stream_of(path, pipeline, sink);
    }
    let recorded = open_recorded(path).map_err(|e| unreadable(path, &e))?;
    recorded.log.end(0);
    Ok(drive_log(&recorded.log, pipeline, sink, &AtomicBool::new(false), || Ok(())))
}

/// Pipes and devices are read once.
fn stream_of<W: Write>(path: &Path, pipeline: &mut Pipeline, sink: &mut Output<W>) -> Result<io::Result<()>, Failure> {
    if path.is_dir() {
        return Err(Failure::input(format!("{} is a folder; name a file in it.", path.display())));
    }
    let file = std::fs::File::open(path).map_err(|e| unreadable(path, &e))?;
    let mut input = Input { inner: file, error: None };
    let result = drive_reader(&mut input, pipeline, sink);
    match input.error {
        Some(error) => Err(unreadable(path, &error)),
        None => Ok(result),
    }
}

/// Keeps errors of the input apart from those of the output.
struct Input<R> {
    inner: R,
    error: Option<io::Error>,
}

impl<R: io::Read> io::Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.error = Some(error);
                Ok(0)
            }
            other => other,
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let name = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => Failure::input(format!("{name}: no such file.{}", neighbour(path))),
        io::ErrorKind::PermissionDenied => Failure::input(format!("{name}: permission denied; you may not read it")),
        _ => Failure::input(format!("{name}: {error}")),
    }
}

/// The nearest name in the same folder.
fn neighbour(path: &Path) -> String {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    let wanted = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    match spytui_engine::nearest::nearest(wanted, names.iter().map(String::as_str)) {
        Some(name) => format!(" Nearest here: {name}."),
        None => String::new(),
    }
}
