//! `spytui decode`: files or stdin to text, streaming, in bounded memory.

use std::{
    ffi::OsStr,
    io::{self, Write},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use spytui_engine::{
    decode::core_of,
    export::stats::{self, SourceStats},
    is_a_folder,
    link::{LinkKind, LinkOptions, LinkSpec, OpenedFile, TextForm, TextReader},
    log::{RawLog, open_recorded},
    plugin::{Decoder, Options, guess},
    stream::{Measuring, Pipeline, Sink, TargetStart, Targets, drive_logs, drive_reader, drive_targets},
    unreadable,
};
use spytui_plugin_api::{Fault, Source};

use super::{
    args::{DecodeArgs, StatsForm},
    auto::{Choice, Chosen},
    failure::{self, Failure},
    filter::{self, nothing_passed},
    formats,
    links::{Target, refused_names, same, source_stats},
    output::{self, RowOutput, RowStyle},
    sample::{self, ReadAhead},
    settings::Settings,
    stop::Stop,
};

/// Runs the command. Damaged input is not an error.
///
/// # Errors
/// Usage (2), input (3), decoder (4).
pub fn run(args: &DecodeArgs, settings: &Settings) -> Result<u8, Failure> {
    let inputs = args.files.iter().map(|text| input(text)).collect::<Result<Vec<_>, _>>()?;
    let text = args.text.map(TextForm::from);
    let named = settings.decoder(&args.decoder, None, &inputs)?;
    let registry = formats::registry(&named, settings)?;
    let choice = Choice { registry: &registry, settings, args: &named, format: args.format };
    let (opened, (decoder, options)) = match choice.named()? {
        Some(chosen) => (Opened::Nothing, chosen),
        None => Opened::to_choose(&choice, &inputs, text)?,
    };
    let files = if text.is_some() { &[][..] } else { &inputs };
    let filter = filter::of_files(args.filter.as_deref(), &choice, (&decoder, &options), files)?;
    let mut stdout = output::stdout()?;
    let style = RowStyle::of_stdout(args.format, args.csv_safe);
    let sink = RowOutput::new(style, &mut stdout, filter, inputs.len() > 1);
    let mut sink = Measuring { sink, measures: args.stats.is_some() };
    let done = match inputs.as_slice() {
        [one] => alone((one, text), opened, &decoder, &options, &mut sink)?,
        _ => several((inputs, text), opened, &decoder, &options, &mut sink)?,
    };
    output::ended(sink.sink.header())?;
    let written = done.output.and_then(|()| stdout.flush());
    if done.trouble.is_none() {
        output::ended(written)?;
    }
    if args.stats == Some(StatsForm::Json) {
        // A program reads it: one object and nothing else.
        let _ = io::stderr().write_all(&stats::json(&decoder.info, &done.sources));
    } else {
        done.remarks.iter().for_each(failure::say);
    }
    if args.stats == Some(StatsForm::Text) {
        failure::say_words(&stats::words(&decoder.info, &done.sources));
    }
    match (done.trouble, done.fault) {
        (Some(failure), _) => Err(failure),
        (None, Some(fault)) => Err(Failure::fault(&decoder, &fault)),
        (None, None) => Ok(0),
    }
}

/// What had to be opened to find the decoder: pipes can be read only once.
enum Opened {
    /// Nothing: it is named, or a file told.
    Nothing,
    /// The only input.
    One(ReadAhead),
    /// All of several inputs.
    All(Target),
}

impl Opened {
    fn to_choose(
        choice: &Choice<'_>,
        inputs: &[LinkSpec],
        text: Option<TextForm>,
    ) -> Result<(Opened, Chosen), Failure> {
        if let Some(chosen) = choice.of_files(inputs, text)? {
            return Ok((Opened::Nothing, chosen));
        }
        if let [one] = inputs {
            let ahead = ReadAhead::of(reader(&one.kind, text)?, |head| choice.is_told(head));
            let chosen = choice.of_sample(&name_of(&one.kind).to_string_lossy(), &ahead.head)?;
            return Ok((Opened::One(ahead), chosen));
        }
        let targets = [Target::open(inputs.to_vec(), &link_options(text))?];
        let stop = Stop::install().map_err(Failure::input)?;
        let chosen = choice.of_targets(&targets, &stop, || Ok(()))?;
        let stopped = || Failure { code: stop.code(), text: "stopped before the decoder was known".to_owned() };
        let [target] = targets;
        Ok((Opened::All(target), chosen.ok_or_else(stopped)?))
    }
}

fn link_options(text: Option<TextForm>) -> LinkOptions {
    LinkOptions { once: true, input: text, ..LinkOptions::default() }
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

/// The result.
struct Done {
    output: io::Result<()>,
    sources: Vec<SourceStats>,
    fault: Option<Fault>,
    /// An input failed, or changed while it was read.
    trouble: Option<Failure>,
    /// Names that found no room, a filter that nothing passed.
    remarks: Vec<String>,
}

fn alone<W: Write>(
    (spec, text): (&LinkSpec, Option<TextForm>),
    opened: Opened,
    decoder: &Arc<Decoder>,
    options: &Options,
    sink: &mut Measuring<RowOutput<W>>,
) -> Result<Done, Failure> {
    let source = Source { core: core_of(&decoder.info, spec.core, 0), ..Source::default() };
    // Options that do not fit together are told before anything is read.
    let open = |log: &Arc<RawLog>| TargetStart::new(decoder, options, &[source], std::slice::from_ref(log));
    let mut trouble = None;
    let (pipeline, output) = match (&spec.kind, opened) {
        (LinkKind::Path(path), Opened::Nothing) if text.is_none() && path.is_file() => {
            let log = open_recorded(path).map_err(|e| failed(path, &e))?.log;
            log.end(0);
            let file = OpenedFile::of(&log);
            let mut pipeline = started(open(&log))?;
            let output = drive_logs(&[log], &mut pipeline, sink, &AtomicBool::new(false), None, || Ok(())).map(drop);
            trouble = file.iter().find_map(|file| same(file).err());
            (pipeline, output)
        }
        (kind, opened) => {
            let ahead = match opened {
                Opened::One(ahead) => ahead,
                _ if guess::is_useful(decoder, options) => {
                    ReadAhead::of(reader(kind, text)?, |head| sample::is_told(decoder, options, head))
                }
                _ => ReadAhead::nothing(reader(kind, text)?),
            };
            let mut pipeline = started(open(&ahead.log()))?;
            let output = drive_once(ahead, kind, &mut pipeline, sink)?;
            (pipeline, output)
        }
    };
    let sources = vec![source_stats(&pipeline, 0, &spec.to_string())];
    let nothing_passed = nothing_passed(sink.filter(), &decoder.info, [&pipeline]);
    let remarks = refused_names([&pipeline]).into_iter().chain(nothing_passed);
    let remarks = remarks.chain(decoder.formatting.take_failures()).collect();
    Ok(Done { output, sources, fault: pipeline.fault().cloned(), trouble, remarks })
}

/// The pipeline of a target whose start is there; says what was guessed.
fn started(start: Result<TargetStart, Fault>) -> Result<Pipeline, Failure> {
    let mut notes = Vec::new();
    let pipeline = start.map_err(Failure::options)?.open_now(&mut notes).map_err(Failure::input)?;
    notes.iter().for_each(failure::say);
    Ok(pipeline)
}

/// Reads several inputs in step, each as far as their order requires.
fn several<W: Write>(
    (inputs, text): (Vec<LinkSpec>, Option<TextForm>),
    opened: Opened,
    decoder: &Arc<Decoder>,
    options: &Options,
    sink: &mut Measuring<RowOutput<W>>,
) -> Result<Done, Failure> {
    let target = match opened {
        Opened::All(target) => target,
        Opened::Nothing | Opened::One(_) => Target::open(inputs, &link_options(text))?,
    };
    let mut flows = Targets::default();
    flows.add(target.start(decoder, options, true)?);
    let says = |flows: &mut Targets| {
        flows.take_notes().iter().for_each(failure::say);
        Ok(())
    };
    let output = drive_targets(&mut flows, sink, &AtomicBool::new(false), None, says, || Ok(())).map(drop);
    // Of links that nobody reads any more nothing is asked.
    let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    let trouble = if output.as_ref().is_err_and(is_closed) { None } else { target.verdict(false).err() };
    let nothing_passed = nothing_passed(sink.filter(), &decoder.info, flows.iter());
    let remarks = refused_names(flows.iter()).into_iter().chain(nothing_passed);
    let remarks = remarks.chain(decoder.formatting.take_failures()).collect();
    let sources = flows.iter().flat_map(|pipeline| target.stats(pipeline)).collect();
    Ok(Done { output, sources, fault: flows.fault().cloned(), trouble, remarks })
}

/// Decodes what is read once. The outer error is an input error, the inner one an output error.
fn drive_once<W: Write>(
    ahead: ReadAhead,
    kind: &LinkKind,
    pipeline: &mut Pipeline,
    sink: &mut Measuring<RowOutput<W>>,
) -> Result<io::Result<()>, Failure> {
    let mut input = Input { inner: ahead, error: None };
    let result = drive_reader(&mut input, pipeline, sink);
    input.error.map_or(Ok(result), |error| Err(failed(name_of(kind), &error)))
}

/// The bytes of an input.
fn reader(input: &LinkKind, text: Option<TextForm>) -> Result<Box<dyn io::Read>, Failure> {
    let bytes: Box<dyn io::Read> = match input {
        LinkKind::Path(path) if path.is_dir() => return Err(Failure::input(is_a_folder(path))),
        LinkKind::Path(path) => Box::new(std::fs::File::open(path).map_err(|e| failed(path, &e))?),
        _ => Box::new(io::stdin().lock()),
    };
    Ok(match text {
        Some(form) => Box::new(TextReader::new(bytes, form)),
        None => bytes,
    })
}

fn name_of(input: &LinkKind) -> &Path {
    match input {
        LinkKind::Path(path) => path,
        _ => Path::new("stdin"),
    }
}

/// Separates input errors from output errors.
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

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::input(unreadable(path, error))
}
