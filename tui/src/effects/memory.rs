//! What the screen remembers of its lists: a small file for each in the state folder, found again by what the inputs hold;
//! marks of recordings are in their `.meta`.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use spytui_engine::io::{
    link::LinkSpec,
    log::{RecordState, RecordedMark, mark_recording, recorded_marks},
};
use tempfile::NamedTempFile;

use super::Edge;
use crate::{
    app_log::{self, LogLevel},
    config::state_file,
    model::{
        Message, Model,
        resume::{Remembered, Resumed, all_remembered, marks_of},
    },
};

/// The most files; the oldest are removed first.
const MOST: usize = 200;
/// Largest file: thousands of marks.
const LARGEST: u64 = 1 << 20;
/// Bytes by which a file is recognised: at its beginning, and up to the end that it had.
const HEAD: u64 = 64 << 10;
const TAIL: u64 = 4 << 10;
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct MemoryFile {
    version: u32,
    sources: Vec<Identity>,
    remembered: Remembered,
}

/// What an input is recognised by. A file that has grown is the same, also under another name.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Identity {
    File { length: u64, head: u64, tail: u64 },
    Link(String),
}

impl Identity {
    /// Of an input as it is, or as it was when it had this length; `None` for an empty file, one that is shorter now, and
    /// one that can't be read.
    fn of(spec: &LinkSpec, length: Option<u64>) -> Option<Identity> {
        let Some(path) = spec.file() else { return Some(Identity::Link(spec.to_string())) };
        let mut file = File::open(path).ok()?;
        let now = file.metadata().ok()?.len();
        let length = length.unwrap_or(now);
        if length == 0 || now < length {
            return None;
        }
        let mut hash_of = |from: u64, bytes: u64| {
            let mut part = Vec::new();
            file.seek(SeekFrom::Start(from)).ok()?;
            (&mut file).take(bytes).read_to_end(&mut part).ok()?;
            Some(hash(&part))
        };
        let head = hash_of(0, length.min(HEAD))?;
        let tail = hash_of(length.saturating_sub(TAIL), length.min(TAIL))?;
        Some(Identity::File { length, head, tail })
    }

    fn fits(&self, spec: &LinkSpec) -> bool {
        Identity::of(spec, Some(self.length())).as_ref() == Some(self)
    }

    fn length(&self) -> u64 {
        if let Identity::File { length, .. } = self { *length } else { 0 }
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The files of a folder, newest first.
fn by_age(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_memory = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json") && path.is_file();
    let mut files: Vec<PathBuf> = paths.filter(is_memory).collect();
    files.sort_by_cached_key(|path| Reverse(fs::metadata(path).and_then(|file| file.modified()).ok()));
    files
}

/// The file that remembers the inputs of a list: the one that knows most of them. Damaged files are removed, and named.
fn find(specs: &[LinkSpec], folder: &Path) -> (Option<(PathBuf, MemoryFile)>, Vec<String>) {
    let fits = |memory: &MemoryFile| {
        let is_known = memory.version == VERSION && memory.sources.len() == specs.len();
        is_known && memory.sources.iter().zip(specs).all(|(one, spec)| one.fits(spec))
    };
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    for path in by_age(folder) {
        let is_small = fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST);
        let text = if is_small { fs::read(&path).ok() } else { None };
        match text.and_then(|text| serde_json::from_slice::<MemoryFile>(&text).ok()) {
            Some(memory) if fits(&memory) => found.push((path, memory)),
            Some(_) => {}
            None => {
                let _ = fs::remove_file(&path);
                damaged.push(format!("{}: damaged, so nothing is remembered from it", path.display()));
            }
        }
    }
    let known = |memory: &MemoryFile| memory.sources.iter().map(Identity::length).sum::<u64>();
    (found.into_iter().max_by_key(|(_, memory)| known(memory)), damaged)
}

/// Writes a file in one step, so that one that is read at the same time is complete; removes the oldest above the limit.
fn write(path: &Path, memory: &MemoryFile) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    fs::create_dir_all(folder)?;
    // Only its owner may read it.
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(memory)?)?;
    file.persist(path).map_err(|error| error.error)?;
    for oldest in by_age(folder).into_iter().skip(MOST) {
        let _ = fs::remove_file(oldest);
    }
    Ok(())
}

/// The inputs of a list; `None` if one of them is not opened by itself.
fn specs_of(model: &Model, scope: &[usize]) -> Option<Vec<LinkSpec>> {
    scope.iter().map(|&source| model.links.sources.get(source)?.link().cloned()).collect()
}

impl Edge {
    /// What is known of a list from earlier.
    pub fn resume(&mut self, scope: &[usize], model: &Model) -> Option<Message> {
        let specs = specs_of(model, scope).filter(|_| !self.is_fresh)?;
        let mut resumed = Resumed::default();
        for spec in &specs {
            let path = spec.file();
            let marks = path.and_then(recorded_marks).unwrap_or_default();
            resumed.recorded.push(marks.values().cloned().collect());
            resumed.lengths.push(path.and_then(|path| fs::metadata(path).ok()).map_or(0, |file| file.len()));
            if let Some(path) = path {
                self.recorded_marks.insert(path.to_owned(), marks);
            }
        }
        let (found, failures) = state_file(FOLDER).map(|folder| find(&specs, &folder)).unwrap_or_default();
        resumed.failures = failures;
        resumed.remembered = found.map(|(_, memory)| memory.remembered).unwrap_or_default();
        Some(Message::Resumed(scope.to_vec(), Box::new(resumed)))
    }

    pub(super) fn forget(&mut self, scope: &[usize], model: &Model) {
        for path in specs_of(model, scope).iter().flatten().filter_map(LinkSpec::file) {
            // What a recording itself says stays there.
            self.recorded_marks.remove(path);
        }
        let found = specs_of(model, scope).zip(state_file(FOLDER)).and_then(|(specs, folder)| find(&specs, &folder).0);
        if let Some((path, _)) = found {
            let _ = fs::remove_file(path);
        }
    }

    /// Remembers all lists, and marks of recordings in these; returns what failed.
    pub fn remember(&mut self, model: &Model) -> Option<String> {
        let mut failure = None;
        for (scope, mut remembered) in all_remembered(model) {
            let Some(specs) = specs_of(model, &scope) else { continue };
            if specs.iter().any(|spec| spec.file().is_none()) {
                // The next bytes of a link are others.
                (remembered.follow, remembered.cursor) = (false, None);
                remembered.marks.clear();
            }
            if scope.iter().zip(&specs).all(|(&source, spec)| self.mark(source, spec, model).is_some()) {
                remembered.marks.clear();
            }
            failure = remember_list(&specs, remembered).err().or(failure);
        }
        failure.map(|error| format!("what you see is not remembered: {error}"))
    }

    /// Writes the changes of marks into the file of a source, if it is a recording.
    fn mark(&mut self, source: usize, spec: &LinkSpec, model: &Model) -> Option<()> {
        let path = spec.file()?;
        let present = recorded_marks(path)?;
        let before = self.recorded_marks.entry(path.to_owned()).or_default();
        let marks = marks_of(model, source);
        let is_there = |mark: &RecordedMark| before.get(&mark.name) == Some(mark);
        let mut added: Vec<RecordedMark> = marks.iter().filter(|mark| !is_there(mark)).cloned().collect();
        let is_gone = |name: &&String| !marks.iter().any(|mark| mark.name == **name);
        let removed: Vec<String> = before.keys().filter(is_gone).cloned().collect();
        for mark in &mut added {
            let is_taken = |name: &str| present.contains_key(name) && !before.contains_key(name);
            // Another program has given the name in the meantime.
            while is_taken(&mark.name) {
                mark.name.push('+');
            }
        }
        if !added.is_empty() || !removed.is_empty() {
            let marked = mark_recording(path, &added, &removed);
            marked.map_err(|error| app_log::note(LogLevel::Warning, "marks", &error.to_string())).ok()?;
            *before = recorded_marks(path)?;
        }
        Some(())
    }
}

const FOLDER: &str = "targets";

/// Errors: the state folder can't be written.
fn remember_list(specs: &[LinkSpec], remembered: Remembered) -> Result<(), String> {
    let Some(folder) = state_file(FOLDER) else { return Ok(()) };
    let Some(sources) = specs.iter().map(|spec| Identity::of(spec, None)).collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let path = match find(specs, &folder).0 {
        Some((path, _)) if remembered == Remembered::default() => {
            return fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()));
        }
        Some((path, _)) => path,
        None if remembered == Remembered::default() => return Ok(()),
        None => folder.join(format!("{:016x}.json", hash(&sources))),
    };
    write(&path, &MemoryFile { version: VERSION, sources, remembered })
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Puts marks into a recording that is complete. Errors: why they are not in it.
pub(super) fn mark_recorded(state: &RecordState, marks: Vec<RecordedMark>) -> Result<(), String> {
    if marks.is_empty() || state.failure().is_some() {
        return Ok(());
    }
    let Some(base) = state.base else {
        return Err(format!("{}: without the marks, as it has gaps or several files", state.path.display()));
    };
    let is_in = |mark: &RecordedMark| mark.pos >= base && mark.pos - base < state.bytes;
    let marks: Vec<_> = marks.into_iter().filter(is_in).collect();
    let marks: Vec<_> = marks.into_iter().map(|mark| RecordedMark { pos: mark.pos - base, ..mark }).collect();
    mark_recording(&state.path, &marks, &[]).map_err(|error| format!("{}: {error}", state.path.display()))
}

pub(super) type RecordedMarks = BTreeMap<PathBuf, BTreeMap<String, RecordedMark>>;
