//! `spytui decode`: files or stdin to text, streaming, in bounded memory.

use std::{
    ffi::OsStr,
    io::{self, Write},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use spytui_engine::{
    decode::core_of,
    decode::{LearnedOptions, learn_from_beginning},
    export::stats::{self, SourceStats},
    is_a_folder,
    link::{LinkKind, LinkOptions, LinkSpec, TextForm, TextReader},
    log::open_recorded,
    plugin::{Decoder, Options, guess::with_suggestion},
    stream::{Pipeline, Sink, drive_logs, drive_reader},
    unreadable,
};
use spytui_plugin_api::{Fault, Source};

use super::{
    args::{DecodeArgs, StatsForm},
    auto::{self, Choice, Chosen, ReadAhead},
    decoders,
    failure::{self, Failure},
    filter::{self, nothing_passed},
    links::{Target, say_refused_names, source_stats},
    output::{self, RowOutput, RowStyle},
    settings::Settings,
    stop::Stop,
};

/// Runs the command. Damaged input is not an error.
///
/// # Errors
/// Usage (2), input (3), decoder (4).
pub fn run(args: &DecodeArgs, settings: &Settings) -> Result<u8, Failure> {
    let registry = decoders::registry(&args.decoder.plugins.plugins, settings)?;
    let inputs = args.files.iter().map(|text| input(text)).collect::<Result<Vec<_>, _>>()?;
    let text = args.text.map(TextForm::from);
    let named = settings.decoder(&args.decoder, None, &inputs)?;
    let choice = Choice { registry: &registry, settings, args: &named, format: args.format };
    let (opened, (decoder, options)) = match choice.named()? {
        Some(chosen) => (Opened::Nothing, chosen),
        None => Opened::to_choose(&choice, &inputs, text)?,
    };
    // What stands in a text file is no sample.
    let options = if text.is_some() { options } else { complete(&inputs, &decoder, options) };
    let files = if text.is_some() { &[][..] } else { &inputs };
    let filter = filter::of_files(args.filter.as_deref(), settings, &decoder, &options, files)?;
    let mut stdout = output::stdout()?;
    let mut sink =
        RowOutput::new(RowStyle::of_stdout(args.format, args.csv_safe), &mut stdout, filter, inputs.len() > 1);
    let done = match inputs.as_slice() {
        [one] => alone((one, text), opened, &decoder, &options, &mut sink)?,
        _ => several((inputs, text), opened, &decoder, &options, &mut sink)?,
    };
    if let RowOutput::Csv(csv) = &mut sink {
        output::ended(csv.header())?;
    }
    output::ended(done.output.and_then(|()| stdout.flush()))?;
    done.nothing_passed.iter().for_each(failure::say);
    match args.stats {
        Some(StatsForm::Json) => report(&stats::json(&decoder.info, &done.sources)),
        Some(StatsForm::Text) => report(stats::words(&decoder.info, &done.sources).as_bytes()),
        None => {}
    }
    match done.fault {
        Some(fault) => Err(Failure::fault(&decoder, &fault)),
        None => Ok(0),
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
        if let Some((name, sample)) = auto::of_files(inputs, text) {
            return Ok((Opened::Nothing, choice.of_sample(&name, &sample)?));
        }
        if let [one] = inputs {
            let ahead = ReadAhead::of(reader(&one.kind, text)?).map_err(|e| failed(name_of(&one.kind), &e))?;
            let chosen = choice.of_sample(&name_of(&one.kind).to_string_lossy(), &ahead.head)?;
            return Ok((Opened::One(ahead), chosen));
        }
        let targets = [Target::open(inputs.to_vec(), &link_options(text))?];
        let stop = Stop::install().map_err(Failure::input)?;
        let chosen = choice.of_targets(&targets, &stop, || ())?;
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

/// Guesses field sizes that are not set from the first file that allows it, and reports it.
fn complete(inputs: &[LinkSpec], decoder: &Decoder, options: Options) -> Options {
    for input in inputs {
        let LinkKind::Path(path) = &input.kind else { continue };
        let log = path.is_file().then(|| open_recorded(path).ok()).flatten();
        if let Some((options, suggestion)) = log.and_then(|opened| with_suggestion(decoder, &options, &opened.log)) {
            failure::say(&suggestion);
            return options;
        }
    }
    options
}

/// Finds options that the target reports late, so that they apply to the first records too, and reports it.
fn late_options(input: &LinkKind, text: Option<TextForm>, decoder: &Decoder, options: &Options) -> LearnedOptions {
    let (LinkKind::Path(path), None) = (input, text) else { return LearnedOptions::default() };
    let log = path.is_file().then(|| open_recorded(path).ok()).flatten();
    let learned = log.map(|opened| learn_from_beginning(decoder, options, &opened.log)).unwrap_or_default();
    for mark in learned.iter() {
        let options = String::from_utf8_lossy(&mark.text).trim_end().replace('\n', " ");
        failure::say(&format!("the target told {options}: taken for all of its epoch, from @{:#x}", mark.pos));
    }
    learned
}

/// The result.
struct Done {
    output: io::Result<()>,
    sources: Vec<SourceStats>,
    fault: Option<Fault>,
    /// What to say if nothing passed the filter.
    nothing_passed: Option<String>,
}

fn alone<W: Write>(
    (spec, text): (&LinkSpec, Option<TextForm>),
    opened: Opened,
    decoder: &Arc<Decoder>,
    options: &Options,
    sink: &mut RowOutput<W>,
) -> Result<Done, Failure> {
    let source = Source { core: core_of(&decoder.info, spec.core, 0), ..Source::default() };
    let mut pipeline = Pipeline::open(decoder, options, &[source]).map_err(Failure::usage)?;
    pipeline.set_learned(&[late_options(&spec.kind, text, decoder, options)]);
    let output = match opened {
        Opened::One(ahead) => drive_once(Box::new(ahead), &spec.kind, &mut pipeline, sink)?,
        Opened::Nothing | Opened::All(_) => drive(&spec.kind, text, &mut pipeline, sink)?,
    };
    let sources = vec![source_stats(&pipeline, 0, &spec.to_string())];
    say_refused_names([&pipeline]);
    let nothing_passed = nothing_passed(sink.filter(), &decoder.info, [&pipeline]);
    Ok(Done { output, sources, fault: pipeline.fault().cloned(), nothing_passed })
}

/// Reads several inputs in step, each as far as their order requires.
fn several<W: Write>(
    (inputs, text): (Vec<LinkSpec>, Option<TextForm>),
    opened: Opened,
    decoder: &Arc<Decoder>,
    options: &Options,
    sink: &mut RowOutput<W>,
) -> Result<Done, Failure> {
    let learned: Vec<LearnedOptions> =
        inputs.iter().map(|input| late_options(&input.kind, text, decoder, options)).collect();
    let target = match opened {
        Opened::All(target) => target,
        Opened::Nothing | Opened::One(_) => Target::open(inputs, &link_options(text))?,
    };
    let mut pipeline = target.pipeline(decoder, options, &learned)?;
    let output = drive_logs(&target.logs, &mut pipeline, sink, &AtomicBool::new(false), None, || Ok(())).map(drop);
    if output.is_ok() {
        target.verdict(false)?;
    }
    say_refused_names([&pipeline]);
    let nothing_passed = nothing_passed(sink.filter(), &decoder.info, [&pipeline]);
    Ok(Done { output, sources: target.stats(&pipeline), fault: pipeline.fault().cloned(), nothing_passed })
}

fn report(text: &[u8]) {
    // A stderr that is closed is the caller's wish.
    let _ = io::stderr().write_all(text);
}

/// Decodes an input to its end. The outer error is an input error, the inner one an output error.
fn drive<W: Write>(
    input: &LinkKind,
    text: Option<TextForm>,
    pipeline: &mut Pipeline,
    sink: &mut RowOutput<W>,
) -> Result<io::Result<()>, Failure> {
    if let (LinkKind::Path(path), None) = (input, text)
        && path.is_file()
    {
        let recorded = open_recorded(path).map_err(|e| failed(path, &e))?;
        recorded.log.end(0);
        let output = drive_logs(&[recorded.log], pipeline, sink, &AtomicBool::new(false), None, || Ok(()));
        return Ok(output.map(drop));
    }
    // Pipes and devices are read once.
    drive_once(reader(input, text)?, input, pipeline, sink)
}

fn drive_once<W: Write>(
    bytes: Box<dyn io::Read>,
    kind: &LinkKind,
    pipeline: &mut Pipeline,
    sink: &mut RowOutput<W>,
) -> Result<io::Result<()>, Failure> {
    let mut input = Input { inner: bytes, error: None };
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
