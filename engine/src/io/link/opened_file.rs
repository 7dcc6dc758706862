//! A file as it was when its bytes were taken into a log, and what has happened to it since.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::file_sample::FileSample;
use crate::{
    io::log::{RawLog, format::grouped},
    io::sys::identity,
};

/// What is known of the name of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameState {
    /// It is the name of the file being read.
    Same,
    /// It is the name of another file.
    Other,
    /// No file has it.
    Missing,
}

pub(super) fn name_state(path: &Path, file: &File) -> NameState {
    match (path.metadata(), file.metadata()) {
        (Ok(named), Ok(open)) if identity(&named) != identity(&open) => NameState::Other,
        (Err(error), _) if error.kind() == std::io::ErrorKind::NotFound => NameState::Missing,
        // What can't be asked has not changed as far as is known.
        _ => NameState::Same,
    }
}

/// What happened to the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    /// They are others now: it was cut or overwritten, in words.
    Bytes(String),
    /// It was written to, but where it was looked at the bytes are the same.
    Written,
}

/// A file, with what it takes to notice a change of the bytes that are in a log.
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
    /// The file that a log reads in place; `None` if it is not one.
    pub fn of(log: &RawLog) -> Option<OpenedFile> {
        let (path, (file, _)) = log.file_path().zip(log.file())?;
        let written = file.metadata().ok()?.modified().ok();
        let (len, path) = (log.len(), path.to_owned());
        Some(OpenedFile { path, len, written, sample: FileSample::of_all(&file, len), file })
    }

    /// What has happened to the bytes since the last look, if anything did.
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
        (len == self.len && !self.sample.is_all()).then_some(FileChange::Written)
    }

    pub(super) fn name_state(&self) -> NameState {
        name_state(&self.path, &self.file)
    }

    /// What has happened to the file while its bytes were read once: why that can't be trusted, as an error, or a remark.
    ///
    /// # Errors
    /// The bytes that were read are not those of one file.
    pub fn verdict(&self) -> Result<Option<String>, String> {
        let name = self.path.display();
        let change = self.file.metadata().ok().and_then(|about| self.change_to(&about));
        match (change, self.name_state()) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::log::open_recorded;

    /// A change is noticed by the time of writing, which is coarse.
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
}
