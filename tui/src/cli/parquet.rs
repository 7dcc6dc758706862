//! `spytui export parquet`: recordings as tables for databases, each recording by itself.

use std::{
    fs::File,
    io::{self, IsTerminal},
    num::NonZero,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use serde::Serialize;
use spytui_engine::{
    decode::Chosen,
    export::tables::{RecordingFacts, TableCounts, TablesSink, content_hash},
    io::{
        link::{LinkKind, LinkOptions, LinkSpec},
        log::{LogOptions, recorded_head},
    },
    present::clock::grouped,
    trace::stream::{Targets, drive_targets},
    unreadable, unwritable,
};

use super::{
    args::{ParquetArgs, ParquetReport, RowFormat},
    decoders,
    failure::{self, Failure, Stop},
    formats,
    links::{LinkedTarget, MEMORY, WINDOW},
    output,
    settings::Settings,
};

/// Runs the command. Errors of one file are its own; of several, each is reported, and the command continues.
/// Errors: usage (2), input or output (3), decoder (4).
pub(super) fn run(args: &ParquetArgs, settings: &Settings) -> Result<u8, Failure> {
    let stop = Stop::install().map_err(Failure::input)?;
    let export = Export { args, settings, stop: &stop, next: AtomicUsize::new(0), done: Mutex::new(Done::new(args)) };
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..jobs.min(args.inputs.len()) {
            scope.spawn(|| export.work());
        }
    });
    let done = export.done.into_inner();
    done.progress.finish_and_clear();
    match (stop.code(), args.inputs.len(), done.failed.into_iter().next()) {
        (0, 1, Some(failure)) => Err(failure),
        (0, _, failure) => {
            if args.report == ParquetReport::Text && args.inputs.len() > 1 {
                let [written, there] = [done.written, done.there].map(grouped);
                output::print(&format!("{written} written, {there} there already, {} failed\n", done.failures))?;
            }
            Ok(if failure.is_some() { 3 } else { 0 })
        }
        (code, ..) => Ok(code),
    }
}

struct Export<'a> {
    args: &'a ParquetArgs,
    settings: &'a Settings,
    stop: &'a Stop,
    /// Index of the next file.
    next: AtomicUsize,
    done: Mutex<Done>,
}

struct Done {
    progress: ProgressBar,
    is_one_of_many: bool,
    report: ParquetReport,
    written: u64,
    there: u64,
    failures: u64,
    /// The first one.
    failed: Option<Failure>,
}

/// What became of a file; a line of `--report json`.
#[derive(Serialize)]
struct FileReport<'a> {
    file: &'a str,
    /// `written`, `there` or `failed`.
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    losses: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A recording whose tables are complete; without counts, they were there already.
struct Exported {
    recording: String,
    counts: Option<TableCounts>,
}

impl Done {
    fn new(args: &ParquetArgs) -> Done {
        let is_one_of_many = args.inputs.len() > 1;
        let is_seen = is_one_of_many && io::stderr().is_terminal();
        let progress = if is_seen { ProgressBar::new(args.inputs.len() as u64) } else { ProgressBar::hidden() };
        // The template is right, so there is no other style to fall back to.
        let style = ProgressStyle::with_template("{pos} of {len} files {wide_bar} {eta}");
        let progress = style.map_or(progress.clone(), |style| progress.with_style(style));
        Done { progress, is_one_of_many, report: args.report, written: 0, there: 0, failures: 0, failed: None }
    }

    fn add(&mut self, file: &Path, result: Result<Exported, Failure>) {
        let file = file.display().to_string();
        let (result, error) = result.map_or_else(|failure| (None, Some(failure)), |exported| (Some(exported), None));
        let counts = result.as_ref().and_then(|exported| exported.counts);
        let word = match (&result, counts) {
            (None, _) => "failed",
            (_, None) => "there",
            _ => "written",
        };
        let line = match (self.report, &result) {
            (ParquetReport::Json, _) => {
                let report = FileReport {
                    file: &file,
                    result: word,
                    recording: result.as_ref().map(|exported| exported.recording.as_str()),
                    records: counts.map(|counts| counts.records),
                    losses: counts.map(|counts| counts.losses),
                    error: error.as_ref().map(|failure| failure.text.clone()),
                };
                serde_json::to_string(&report).unwrap_or_default()
            }
            (ParquetReport::Text, Some(Exported { recording, .. })) => match counts {
                Some(TableCounts { records, losses }) => {
                    format!("{file}: {} records, {} losses as {recording}", grouped(records), grouped(losses))
                }
                None => format!("{file}: there already as {recording}"),
            },
            (ParquetReport::Text, None) => String::new(),
        };
        // That of a single file is the command's own.
        let failure = error.as_ref().filter(|_| self.is_one_of_many);
        self.progress.suspend(|| {
            if let Some(Failure { text, .. }) = failure {
                failure::say(&if text.starts_with(&file) { text.clone() } else { format!("{file}: {text}") });
            }
            if !line.is_empty() {
                // Nobody may read it any more; the tables are what counts.
                let _ = output::print_as_is((failure::safe(&line) + "\n").as_bytes());
            }
        });
        self.progress.inc(1);
        self.written += u64::from(word == "written");
        self.there += u64::from(word == "there");
        self.failures += u64::from(word == "failed");
        self.failed = self.failed.take().or(error);
    }
}

impl Export<'_> {
    fn work(&self) {
        while let Some(input) = self.args.inputs.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if self.stop.flag.load(Ordering::Relaxed) {
                return;
            }
            if let Some(result) = self.file(input).transpose() {
                self.done.lock().add(input, result);
            }
        }
    }

    /// Exports a file; `None` if a signal came before its end.
    fn file(&self, path: &Path) -> Result<Option<Exported>, Failure> {
        let Export { args, settings, stop, .. } = self;
        let spec = LinkSpec::parse(path.as_os_str()).map_err(Failure::usage)?;
        // A pipe gives its bytes once, but the name of the tables is made of all of them.
        let is_pipe = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_pipe || !matches!(spec.kind, LinkKind::Path(_)) || spec.core.is_some() {
            return Err(Failure::usage(format!(
                "{}: tables are made of files; spytui record writes one",
                path.display()
            )));
        }
        let named = settings.decoder(&args.decoder, None, std::slice::from_ref(&spec))?;
        let registry = formats::registry(&named, settings)?;
        let mut opener = decoders::opener(&registry, settings, &named, RowFormat::Native);
        if args.inputs.len() > 1 {
            // What was guessed for each stands in the table of recordings.
            opener.say = |_| {};
        }
        let named = opener.named().map_err(Failure::usage)?;
        let log = LogOptions { memory: MEMORY, spool: None };
        let link = LinkOptions { once: true, log, throttle: Some(WINDOW), ..LinkOptions::default() };
        let target = LinkedTarget::open(vec![spec], &link)?;
        let chosen = decoders::known(&opener, named, std::slice::from_ref(&target), stop, || Ok(()));
        // That it is no trace is said of the file, whether it is the only one or not.
        let chosen = chosen.map_err(|failure| Failure { code: failure.code.max(3), ..failure })?;
        let Some((decoder, options)) = chosen else { return Ok(None) };
        let facts = self.facts(path, &(decoder.clone(), options.clone()))?;
        let recording = facts.recording();
        if !args.force && facts.is_exported(&args.out) {
            return Ok(Some(Exported { recording, counts: None }));
        }
        let failed = |error: io::Error| Failure::input(unwritable(&args.out, &error));
        let mut sink = TablesSink::create(&args.out, facts, &decoder).map_err(failed)?;
        let mut flows = Targets::default();
        flows.add(target.start(&decoder, &options, true)?);
        let says = |flows: &mut Targets| {
            flows.take_notes().iter().for_each(|note| failure::say(&format!("{}: {note}", path.display())));
            Ok(())
        };
        drive_targets(&mut flows, &mut sink, &stop.flag, None, says, || Ok(())).map_err(failed)?;
        if stop.flag.load(Ordering::Relaxed) {
            return Ok(None);
        }
        target.verdict(false)?;
        stop.outcome(&decoder, flows.fault())?;
        let counts = match flows.iter().next() {
            Some(pipeline) => {
                let counters = pipeline.counters(0).cloned().unwrap_or_default();
                sink.finish(pipeline.dictionary(), &counters).map_err(failed)?
            }
            None => return Ok(None),
        };
        Ok(Some(Exported { recording, counts: Some(counts) }))
    }

    fn facts(&self, path: &Path, (decoder, options): &Chosen) -> Result<RecordingFacts, Failure> {
        let failed = |error: &io::Error| Failure::input(unreadable(path, error));
        let whole = std::path::absolute(path).map_err(|error| failed(&error))?;
        let folder = whole.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let options = options.to_keep(&decoder.info);
        let head = recorded_head(path).unwrap_or_default();
        let named = Some(head.name).filter(|name| !name.is_empty());
        let hash = content_hash(File::open(path).map_err(|error| failed(&error))?, &decoder.info.id, &options);
        Ok(RecordingFacts {
            target: self.args.target.clone().or(named).or(folder).unwrap_or_else(|| "unknown".to_owned()),
            name: path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            hash: hash.map_err(|error| failed(&error))?,
            path: path.display().to_string(),
            protocol: decoder.info.id.to_string(),
            options,
            build: self.args.build.clone(),
            start_ns: Some(head.start_ns).filter(|ns| *ns > 0),
        })
    }
}
