//! Notes of the libraries that are being loaded, in files of the state folder: one that ends the program as it is loaded
//! is not loaded again at the next start, unless it has changed or the user names it.
//!
//! A note is locked as long as its program runs, so that one that is not locked is what a crash has left.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::UNIX_EPOCH,
};

/// The notes of all programs of this user.
#[derive(Debug, Clone, Default)]
pub struct LoadNotes {
    /// `None` = nothing is noted.
    folder: Option<PathBuf>,
}

/// A note that a library is being loaded. It goes when it is dropped.
#[derive(Debug)]
pub(super) struct LoadNote {
    path: PathBuf,
    _locked: File,
}

impl Drop for LoadNote {
    fn drop(&mut self) {
        // One that stays is taken for a crash; loading the library again removes it.
        let _ = fs::remove_file(&self.path);
    }
}

impl LoadNotes {
    /// Notes in this folder, which is made when it is needed.
    pub fn in_folder(folder: PathBuf) -> LoadNotes {
        LoadNotes { folder: Some(folder) }
    }

    /// Notes that a library is loaded, until the result is dropped; `None` if that is not possible. Older notes of it are
    /// removed.
    pub(super) fn begin(&self, library: &Path) -> Option<LoadNote> {
        let text = describe(library).ok()?;
        self.left(library).for_each(|(note, _)| drop(fs::remove_file(note)));
        self.write(&text).ok()
    }

    fn write(&self, text: &[u8]) -> io::Result<LoadNote> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(folder)?;
        let name = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.try_lock().map_err(io::Error::from)?;
        file.write_all(text)?;
        Ok(LoadNote { path, _locked: file })
    }

    /// Whether a program ended while it loaded this library, which is as it was then.
    pub(super) fn ended_with(&self, library: &Path) -> bool {
        let now = describe(library).ok();
        self.left(library).any(|(_, text)| Some(text) == now)
    }

    /// Notes of a library that ended programs have left.
    fn left(&self, library: &Path) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
        let entries = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let library = fs::canonicalize(library).ok();
        entries.filter_map(move |entry| {
            let mut file = File::open(entry.path()).ok()?;
            file.try_lock_shared().ok()?;
            let mut text = Vec::new();
            file.read_to_end(&mut text).ok()?;
            (library_of(&text).is_some() && library_of(&text) == library).then(|| (entry.path(), text))
        })
    }
}

/// Size and time of a library, and its path: `16384 1700000000123456789 /home/me/libmotor.so`.
fn describe(library: &Path) -> io::Result<Vec<u8>> {
    let path = fs::canonicalize(library)?;
    let data = fs::metadata(&path)?;
    let changed = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut text = format!("{} {changed} ", data.len()).into_bytes();
    text.extend_from_slice(path.as_os_str().as_bytes());
    Ok(text)
}

fn library_of(text: &[u8]) -> Option<PathBuf> {
    let path = text.splitn(3, |byte| *byte == b' ').nth(2)?;
    Some(OsString::from_vec(path.to_vec()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_note_that_was_left_says_that_a_library_ended_a_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("lib with blanks.so");
        fs::write(&library, "one").expect("write");
        let notes = LoadNotes::in_folder(folder.path().join("state"));
        assert!(!notes.ended_with(&library));
        let note = notes.begin(&library).expect("a note");
        assert!(!notes.ended_with(&library), "it is being loaded");
        let (left, text) = (folder.path().join("state/1-0"), fs::read(&note.path).expect("readable"));
        drop(note);
        assert!(!notes.ended_with(&library));
        fs::write(&left, &text).expect("write");
        assert!(notes.ended_with(&library));
        assert!(!notes.ended_with(&folder.path().join("another.so")));
        fs::write(&library, "changed").expect("write");
        assert!(!notes.ended_with(&library), "it has changed");
        drop(notes.begin(&library));
        assert!(!left.exists(), "it was loaded");
    }

    #[test]
    fn without_a_folder_nothing_is_noted() {
        let library = tempfile::NamedTempFile::new().expect("a file");
        let notes = LoadNotes::default();
        assert!(notes.begin(library.path()).is_none() && !notes.ended_with(library.path()));
    }
}
