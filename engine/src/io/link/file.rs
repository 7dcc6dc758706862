//! Regular files, read in place and followed.

use std::{
    fs::{File, Metadata},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use crossbeam_channel::{after, never, select};

use super::shared::{LinkState, Shared};
use crate::io::{
    log::{RawLog, format::grouped, host_now, kind},
    sys::{PositionedIo, identity},
    watch::FileWatch,
};

/// Interval of looks for the next file of the name.
const LOOK: Duration = Duration::from_millis(500);

/// Waits for a change of the file, or of what its name leads to; `false` if the link is being stopped.
fn wait(shared: &Shared, watch: &FileWatch, name: NameState) -> bool {
    let next = if name == NameState::Same { never() } else { after(LOOK) };
    select! {
        recv(shared.stop.1) -> _ => {}
        recv(watch.changed) -> _ => {}
        recv(next) -> _ => {}
    }
    !shared.stopping()
}

/// Follows a file until the link is stopped: as it grows, from its start after it was truncated or overwritten, and in
/// its successor of the same name after it was replaced. With `once`, only follows growth.
pub(super) fn follow(shared: &Shared, log: &Arc<RawLog>) {
    let Some((path, (file, start))) = log.file_path().map(Path::to_path_buf).zip(log.file()) else { return };
    let watch = FileWatch::new([path.as_path()]);
    let mut follower = Follower { shared, log, path: &path, watch, file, start, tail: None, name: NameState::Same };
    shared.set_live(host_now());
    follower.tail = FileSample::of_end(&follower.file, log.len());
    let end = follower.run();
    log.end(host_now());
    shared.set_state(end.err().unwrap_or(LinkState::Ended));
}

struct Follower<'a> {
    shared: &'a Shared,
    log: &'a RawLog,
    path: &'a Path,
    watch: FileWatch,
    file: Arc<File>,
    /// Log position of the file's first byte.
    start: u64,
    /// The last bytes of the file that are in the log.
    tail: Option<FileSample>,
    name: NameState,
}

impl Follower<'_> {
    fn run(&mut self) -> Result<(), LinkState> {
        loop {
            self.grow()?;
            self.follow_name()?;
            if !wait(self.shared, &self.watch, self.name) {
                return Ok(());
            }
        }
    }

    fn grow(&mut self) -> Result<(), LinkState> {
        let len = self.file.metadata().map_err(|error| LinkState::Failed(error.to_string()))?.len();
        let had = self.log.len() - self.start;
        let name = self.path.display();
        if len < had {
            return self.begin_anew(&format!("{name} was {} while it was followed", cut(had, len)));
        }
        if self.tail.as_ref().is_some_and(|tail| !tail.is_in(&self.file)) {
            return self.begin_anew(&format!("{name} was overwritten while it was followed"));
        }
        if len > had {
            self.shared.grown(self.log, self.start + len);
            self.tail = FileSample::of_end(&self.file, len);
        }
        Ok(())
    }

    /// The bytes read so far are lost with the file's old content; the log continues with the new content.
    fn begin_anew(&mut self, why: &str) -> Result<(), LinkState> {
        self.log.give_up_file();
        if self.shared.options.once {
            return Err(LinkState::Failed(format!("{why}; open it again.")));
        }
        self.go_on_in(self.file.clone(), why);
        self.grow()
    }

    /// Switches to the next file of this name, if any.
    fn follow_name(&mut self) -> Result<(), LinkState> {
        let name = self.path.display();
        let before = std::mem::replace(&mut self.name, name_state(self.path, &self.file));
        match self.name {
            NameState::Missing if before != NameState::Missing => {
                self.shared.note(format!("{name} was removed or renamed. Waiting for the next one of that name."));
            }
            NameState::Same | NameState::Missing => {}
            NameState::Other if self.shared.options.once => return Err(LinkState::Ended),
            NameState::Other => {
                // A file that can't be opened yet is tried again.
                if let Ok(file) = File::open(self.path) {
                    self.go_on_in(Arc::new(file), &format!("{name} was replaced by another file"));
                    self.watch = FileWatch::new([self.path]);
                }
            }
        }
        Ok(())
    }

    fn go_on_in(&mut self, file: Arc<File>, why: &str) {
        let now = host_now();
        self.log.add_event(kind::LINK_DOWN, 0, why.as_bytes(), now);
        self.log.go_on_in(file.clone());
        self.log.add_event(kind::LINK_UP, 0, format!("{} from its start", self.path.display()).as_bytes(), now);
        self.shared.note(format!("{why}; going on from its start."));
        self.start = self.log.len();
        self.file = file;
        self.tail = None;
    }
}

/// Watches a file that is viewed but not followed. Its bytes are no longer trusted once it changes.
pub(super) fn watch(shared: &Shared, log: &Arc<RawLog>) {
    let Some(path) = log.file_path() else { return };
    let (watch, name) = (FileWatch::new([path]), path.display());
    let Some(mut opened) = OpenedFile::of(log) else { return };
    let mut known = NameState::Same;
    let again = format!(":open {name} reads it again.");
    loop {
        match opened.change() {
            Some(FileChange::Bytes(what)) => {
                let text = format!("{name} was {what} while it was shown: its rows can't be trusted any more. {again}");
                shared.note(text.clone());
                shared.set_state(LinkState::Changed(text));
                log.give_up_file();
                return;
            }
            Some(FileChange::Written) => {
                shared.note(format!("{name} was written to while it was shown: its rows may be wrong. {again}"));
                log.wake();
            }
            None => {}
        }
        let now = name_state(path, &opened.file);
        if now != known && now != NameState::Same {
            let fate = if now == NameState::Other { "replaced by another file" } else { "removed or renamed" };
            let next =
                if now == NameState::Other { format!(" :open {name} opens the new one.") } else { String::new() };
            shared.note(format!("{name} was {fate}; the rows shown are those of the former one.{next}"));
            log.wake();
        }
        known = now;
        if !wait(shared, &watch, known) {
            return;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameState {
    Same,
    Other,
    Missing,
}

fn name_state(path: &Path, file: &File) -> NameState {
    match (path.metadata(), file.metadata()) {
        (Ok(named), Ok(open)) if identity(&named) != identity(&open) => NameState::Other,
        (Err(error), _) if error.kind() == std::io::ErrorKind::NotFound => NameState::Missing,
        // Unknown; assume no change.
        _ => NameState::Same,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    /// Truncated or overwritten, with a message.
    Bytes(String),
    /// Written to, but the sampled bytes are the same.
    Written,
}

#[derive(Debug)]
pub struct OpenedFile {
    path: PathBuf,
    file: Arc<File>,
    /// Number of bytes in the log.
    len: u64,
    written: Option<SystemTime>,
    sample: FileSample,
}

impl OpenedFile {
    /// The file that a log reads in place, if any.
    pub fn of(log: &RawLog) -> Option<OpenedFile> {
        let (path, (file, _)) = log.file_path().zip(log.file())?;
        let written = file.metadata().ok()?.modified().ok();
        let (len, path) = (log.len(), path.to_owned());
        Some(OpenedFile { path, len, written, sample: FileSample::of_all(&file, len), file })
    }

    pub(super) fn change(&mut self) -> Option<FileChange> {
        let about = self.file.metadata().ok()?;
        let change = self.change_to(&about);
        self.written = about.modified().ok();
        change
    }

    fn change_to(&self, about: &Metadata) -> Option<FileChange> {
        let len = about.len();
        if len < self.len {
            return Some(FileChange::Bytes(cut(self.len, len)));
        }
        if about.modified().ok() == self.written {
            return None;
        }
        if !self.sample.is_in(&self.file) {
            return Some(FileChange::Bytes("overwritten".to_owned()));
        }
        (len == self.len && !self.sample.all).then_some(FileChange::Written)
    }

    /// What happened to the file while it was read once; an error if its bytes can't be trusted.
    pub fn verdict(&self) -> Result<Option<String>, String> {
        let name = self.path.display();
        let change = self.file.metadata().ok().and_then(|about| self.change_to(&about));
        match (change, name_state(&self.path, &self.file)) {
            (Some(FileChange::Bytes(what)), _) => {
                Err(format!("{name} was {what} while it was read: its rows can't be trusted; read it again."))
            }
            (Some(FileChange::Written), _) => {
                Ok(Some(format!("{name} was written to while it was read: its rows may be wrong; read it again.")))
            }
            (None, NameState::Other) => {
                Ok(Some(format!("{name} was replaced by another file; the rows are those of the former one.")))
            }
            (None, NameState::Same | NameState::Missing) => Ok(None),
        }
    }
}

/// `cut from 56 986 to 0 bytes`
pub(super) fn cut(had: u64, len: u64) -> String {
    format!("cut from {} to {} bytes", grouped(had), grouped(len))
}

const PIECE: u64 = 4096;
/// Places sampled in a file; a file of up to this many pieces is compared as a whole.
const PLACES: u64 = 64;

#[derive(Debug)]
struct FileSample {
    pieces: Vec<(u64, Vec<u8>)>,
    /// The sample is the whole file.
    pub(super) all: bool,
}

impl FileSample {
    /// The last bytes before `len`; `None` if there are none.
    fn of_end(file: &File, len: u64) -> Option<FileSample> {
        let pieces = vec![(len.saturating_sub(PIECE), read(file, len.saturating_sub(PIECE), PIECE.min(len))?)];
        (len > 0).then_some(FileSample { pieces, all: len <= PIECE })
    }

    /// Samples spread over the first `len` bytes, including both ends.
    pub(super) fn of_all(file: &File, len: u64) -> FileSample {
        let all = len <= PIECE * PLACES;
        let last = len.saturating_sub(PIECE);
        let places = if all { len.div_ceil(PIECE) } else { PLACES };
        let place =
            |n: u64| if all { n * PIECE } else { (u128::from(last) * u128::from(n) / u128::from(PLACES - 1)) as u64 };
        let pieces = (0..places).map(place).filter_map(|pos| Some((pos, read(file, pos, PIECE.min(len - pos))?)));
        FileSample { pieces: pieces.collect(), all }
    }

    pub(super) fn is_in(&self, file: &File) -> bool {
        self.pieces.iter().all(|(pos, bytes)| read(file, *pos, bytes.len() as u64).is_some_and(|now| now == *bytes))
    }
}

fn read(file: &File, pos: u64, len: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len).ok()?];
    file.read_exact_at(&mut bytes, pos).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::io::log::open_recorded;

    /// Changes are noticed by the modification time, which is coarse.
    fn later(path: &Path) {
        let then = SystemTime::now() + std::time::Duration::from_secs(5);
        File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn what_happens_to_a_file_that_is_read_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.bin");
        let check = |len: usize, change: &dyn Fn()| {
            std::fs::write(&path, vec![1; len]).unwrap();
            let opened = OpenedFile::of(&open_recorded(&path).unwrap().log).unwrap();
            change();
            opened.verdict()
        };
        let overwrite = |len: usize, with: u8| {
            std::fs::write(&path, vec![with; len]).unwrap();
            later(&path);
        };
        assert_eq!(check(5_000, &|| ()), Ok(None));
        assert_eq!(check(5_000, &|| later(&path)), Ok(None));
        assert_eq!(check(5_000, &|| overwrite(9_000, 1)), Ok(None), "it has grown");
        assert!(check(5_000, &|| overwrite(5_000, 2)).unwrap_err().contains("was overwritten while it was read"));
        assert!(check(5_000, &|| overwrite(4_000, 1)).unwrap_err().contains("cut from 5 000 to 4 000 bytes"));
        let perhaps = check(3_000_000, &|| later(&path)).unwrap().unwrap();
        assert!(perhaps.contains("its rows may be wrong"), "{perhaps}");
        let replace = || {
            std::fs::remove_file(&path).unwrap();
            overwrite(7, 7);
        };
        std::fs::write(&path, b"x").unwrap();
        let keep = File::open(&path).unwrap();
        let replaced = check(5_000, &replace).unwrap();
        drop(keep);
        assert!(replaced.unwrap().contains("replaced by another file"));
    }

    #[test]
    fn changed_bytes_are_noticed_and_appended_ones_are_none() {
        for len in [1u64, 5000, PIECE * PLACES, PIECE * PLACES + 1, 3_000_000] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&vec![7; usize::try_from(len).unwrap()]).unwrap();
            let (all, end) = (FileSample::of_all(&file, len), FileSample::of_end(&file, len).unwrap());
            assert_eq!(all.all, len <= PIECE * PLACES);
            file.write_all(b"more").unwrap();
            assert!(all.is_in(&file) && end.is_in(&file), "{len}");
            file.write_at(b"8", len - 1).unwrap();
            assert!(!all.is_in(&file) && !end.is_in(&file), "{len}");
        }
        let file = tempfile::tempfile().unwrap();
        assert!(FileSample::of_end(&file, 0).is_none() && FileSample::of_all(&file, 0).is_in(&file));
    }
}
