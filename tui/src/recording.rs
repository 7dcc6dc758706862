//! Recording of sources, with and without a screen.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Zoned;
use spytui_engine::{
    decode::Chosen,
    io::{
        link::{LinkKind, LinkSpec},
        log::{MetaHead, RawLog, RecordError, Recorder, Rotation, recording_paths},
    },
};

use crate::config::{Config, rotation};

/// Maximum size of format lines kept in a recording: more are a library, which the reader has as files.
const MOST_FORMATS: usize = 64 << 10;

/// The header of a recording, with the format lines in use, the decoder and its options if known.
pub fn head(link: String, formats: String, chosen: Option<&Chosen>) -> MetaHead {
    let formats = if formats.len() > MOST_FORMATS { String::new() } else { formats };
    let head = MetaHead { link, formats, ..MetaHead::default() };
    match chosen {
        Some((decoder, options)) => {
            MetaHead { decoder: decoder.info.id.to_string(), options: options.to_keep(&decoder.info), ..head }
        }
        None => head,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A path named by the user. With several sources, each adds a part to the name.
    Named(PathBuf),
    /// A folder; names are made from time and source, or from that of a target and time.
    Automatic(PathBuf, Option<String>),
}

#[derive(Debug)]
pub struct RecordedSource {
    pub name: SourceName,
    pub log: Arc<RawLog>,
    pub head: MetaHead,
}

/// A recorder and the requested path, or why it can't be started.
pub type StartedRecorder = Result<(Recorder, PathBuf), String>;

/// Parts of a recording's name that identify its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceName {
    pub word: String,
    pub core: Option<u16>,
}

impl SourceName {
    pub fn of_link(spec: &LinkSpec) -> SourceName {
        let file = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let word = match &spec.kind {
            LinkKind::Serial(serial) => serial.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            LinkKind::Path(path) => file(path),
            _ => spec.short(),
        };
        SourceName { core: spec.core, ..SourceName::of_word(&word) }
    }

    pub fn of_word(word: &str) -> SourceName {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
        let parts: Vec<&str> = word.split(|c| !part(c)).filter(|part| !part.is_empty()).collect();
        SourceName { word: parts.join("-").trim_start_matches('.').to_owned(), core: None }
    }
}

impl Destination {
    /// Free names for the initial sources. Errors: one named by the user is taken.
    pub fn paths(&self, sources: &[SourceName]) -> Result<Vec<PathBuf>, RecordError> {
        match self {
            Destination::Named(path) => {
                let cores: Vec<Option<u16>> = sources.iter().map(|source| source.core).collect();
                let paths = named(path, &cores);
                match paths.iter().find_map(|path| taken(path)) {
                    Some(taken) => Err(RecordError::Exists(taken)),
                    None => Ok(paths),
                }
            }
            Destination::Automatic(folder, target) => {
                let mut paths = Vec::new();
                for source in sources {
                    let core = source.core.filter(|_| sources.len() > 1);
                    let path = automatic(folder, target.as_deref(), &source.word, core, &paths);
                    paths.push(path);
                }
                Ok(paths)
            }
        }
    }

    /// A free name for a source that joined later, by its number.
    pub fn path_of_joined(&self, number: u16, source: &SourceName) -> PathBuf {
        match self {
            Destination::Named(path) => free(&of_number(path, number), &[]),
            Destination::Automatic(folder, target) => automatic(folder, target.as_deref(), &source.word, None, &[]),
        }
    }
}

/// Paths of the recordings. A single source is recorded to `path` itself. With several, core 1 goes to `NAME.c1.bin`; a
/// source without a core, or with a core that another source also has, goes to `NAME.s0.bin`, by its index.
fn named(path: &Path, cores: &[Option<u16>]) -> Vec<PathBuf> {
    if cores.len() == 1 {
        return vec![path.to_owned()];
    }
    let name = |(source, core): (u16, &Option<u16>)| match core {
        Some(own) if cores.iter().filter(|c| *c == core).count() == 1 => with_part(path, &format!(".c{own}")),
        _ => of_number(path, source),
    };
    (0..).zip(cores).map(name).collect()
}

/// `NAME.s1.bin`.
fn of_number(path: &Path, source: u16) -> PathBuf {
    with_part(path, &format!(".s{source}"))
}

/// `20261122-022343-ttyUSB0.bin`, or of a target `board7-20261122-022343-127.bin`, in local time.
fn automatic(folder: &Path, target: Option<&str>, word: &str, core: Option<u16>, others: &[PathBuf]) -> PathBuf {
    let core = core.map(|core| format!(".c{core}")).unwrap_or_default();
    let now = Zoned::now();
    let name = match target {
        // Not even a run that follows at once takes a name that was delivered.
        Some(target) => format!("{target}-{}{core}.bin", now.strftime("%Y%m%d-%H%M%S-%3f")),
        None => format!("{}-{word}{core}.bin", now.strftime("%Y%m%d-%H%M%S")),
    };
    free(&folder.join(name), others)
}

/// This name, or the next free one with a number: `NAME-2.bin`.
fn free(path: &Path, others: &[PathBuf]) -> PathBuf {
    let mut name = path.to_owned();
    let mut number = 1;
    while taken(&name).is_some() || others.contains(&name) {
        number += 1;
        name = with_part(path, &format!("-{number}"));
    }
    name
}

/// The existing file in the way of a recording to `path`.
fn taken(path: &Path) -> Option<PathBuf> {
    let (bin, meta) = recording_paths(path);
    [bin, meta].into_iter().find(|path| path.symlink_metadata().is_ok())
}

/// `run.bin` with `.c1` → `run.c1.bin`.
fn with_part(path: &Path, part: &str) -> PathBuf {
    let (bin, _) = recording_paths(path);
    let mut name = bin.file_stem().unwrap_or_default().to_owned();
    name.push(part);
    if let Some(ending) = bin.extension() {
        name.push(".");
        name.push(ending);
    }
    bin.with_file_name(name)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingPlan {
    pub destination: Destination,
    /// When a recording continues in a new file.
    pub rotation: Option<Rotation>,
}

impl RecordingPlan {
    /// To `path`, otherwise to the configured folder.
    pub fn new(config: &Config, path: Option<PathBuf>) -> RecordingPlan {
        let folder = || PathBuf::from(config.text("record.dir"));
        let destination = path.map_or_else(|| Destination::Automatic(folder(), None), Destination::Named);
        RecordingPlan { destination, rotation: rotation(config.text("record.rotate")) }
    }

    /// Starts recordings of sources; one that can't be started does not prevent the others. Errors: a message if a name
    /// is taken, or none can be started.
    pub fn start(&self, subjects: Vec<RecordedSource>) -> Result<Vec<StartedRecorder>, String> {
        let names: Vec<SourceName> = subjects.iter().map(|subject| subject.name.clone()).collect();
        let paths = self.destination.paths(&names).map_err(|error| error.to_string())?;
        let start = |(subject, path): (RecordedSource, PathBuf)| {
            let recorder = Recorder::start(subject.log, &path, subject.head, self.rotation);
            recorder.map(|recorder| (recorder, path)).map_err(|error| error.to_string())
        };
        let started: Vec<_> = subjects.into_iter().zip(paths).map(start).collect();
        match started.is_empty() || started.iter().any(Result::is_ok) {
            true => Ok(started),
            false => Err(started.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("; ")),
        }
    }

    /// Starts the recording of a source that joined later, by its number. Errors: why it is not recorded.
    pub fn join(&self, number: u16, RecordedSource { name, log, head }: RecordedSource) -> Result<Recorder, String> {
        let recorder = Recorder::start(log, &self.destination.path_of_joined(number, &name), head, self.rotation);
        recorder.map_err(|error| format!("{} is not recorded: {error}", name.word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn each_source_is_recorded_by_its_core() {
        let names = |path: &str, cores: &[Option<u16>]| shown(&named(Path::new(path), cores));
        assert_eq!(names("run", &[Some(1)]), ["run"]);
        assert_eq!(names("run", &[Some(0), Some(1)]), ["run.c0.bin", "run.c1.bin"]);
        assert_eq!(names("a/run.raw", &[Some(0), None, Some(2)]), ["a/run.c0.raw", "a/run.s1.raw", "a/run.c2.raw"]);
        assert_eq!(names("run.bin", &[Some(1), Some(1)]), ["run.s0.bin", "run.s1.bin"]);
    }

    #[test]
    fn automatic_names_have_time_and_source_and_are_never_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::Automatic(folder.path().to_owned(), None);
        let source = SourceName::of_link(&LinkSpec::parse("serial:/dev/ttyUSB0?baud=9600").unwrap());
        let paths = to.paths(&[source.clone(), source.clone()]).unwrap();
        assert_ne!(paths[0], paths[1]);
        let name = paths[0].file_name().unwrap().to_str().unwrap();
        let (time, word) = name.split_at(15);
        let is_time = time.bytes().enumerate().all(|(at, b)| if at == 8 { b == b'-' } else { b.is_ascii_digit() });
        assert!(is_time && word == "-ttyUSB0.bin", "{name}");
        for path in &paths {
            std::fs::write(path, b"").unwrap();
        }
        let joined = to.path_of_joined(1, &source);
        assert!(!joined.exists(), "{}", joined.display());
    }

    #[test]
    fn words_are_fit_for_file_names() {
        let word = |link: &str| SourceName::of_link(&LinkSpec::parse(link).unwrap()).word;
        assert_eq!(word("tcp:127.0.0.1:6602"), "tcp-127.0.0.1-6602");
        assert_eq!(word("udp:7000"), "udp-7000");
        assert_eq!(word("-"), "stdin");
        assert_eq!(word("a/boiler.c0.bin"), "boiler.c0");
        assert_eq!(SourceName::of_word("udp [::1]:5000").word, "udp-1-5000");
    }

    #[test]
    fn one_name_that_is_taken_is_reported_before_any_file_is_made() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.c1.meta"), b"").unwrap();
        let to = Destination::Named(folder.path().join("run"));
        let source = |core| SourceName { word: "x".into(), core: Some(core) };
        let error = to.paths(&[source(0), source(1)]).unwrap_err();
        assert!(error.to_string().contains("run.c1.meta exists already"), "{error}");
        // A source that joins later can't choose: it gets the next free name.
        std::fs::write(folder.path().join("run.s1.bin"), b"").unwrap();
        assert_eq!(to.path_of_joined(1, &source(1)), folder.path().join("run.s1-2.bin"));
    }
}
