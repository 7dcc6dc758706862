//! The files of a recording.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::failure::RecordError;
use crate::{io::log::meta::recording_paths, io::sys::identity};

/// Further names tried for the next file of a rotation.
const TRIES: u64 = 10_000;

/// The two files being written.
pub(super) struct Files {
    pub(super) bin: File,
    pub(super) meta: File,
    /// Where each of them was made.
    pub(super) paths: [PathBuf; 2],
}

impl Files {
    /// Creates both; returns the path of the first, too.
    pub(super) fn create(path: &Path) -> Result<(Files, PathBuf), RecordError> {
        let (bin_path, meta_path) = recording_paths(path);
        let bin = create(&bin_path)?;
        let meta = create(&meta_path).inspect_err(|_| drop(std::fs::remove_file(&bin_path)))?;
        Ok((Files { bin, meta, paths: [bin_path.clone(), meta_path] }, bin_path))
    }

    /// What happened to them that writing does not show: nobody will find what is written to a file without its name.
    pub(super) fn damage(&self, bytes: u64) -> Option<String> {
        if self.bin.metadata().is_ok_and(|bin| bin.len() < bytes) {
            return Some(format!("{} was cut short by another program", self.paths[0].display()));
        }
        [&self.bin, &self.meta].into_iter().zip(&self.paths).find_map(|(file, path)| {
            let what = away(file, path)?;
            Some(format!("{} was {what}", path.display()))
        })
    }

    /// Creates the next ones of a rotation, from `number` on; returns the number used.
    pub(super) fn create_next(first: &Path, number: u64) -> Result<(Files, u64), RecordError> {
        let mut taken = RecordError::Exists(first.to_path_buf());
        for number in number..number.saturating_add(TRIES) {
            match Files::create(&numbered(first, number)) {
                Ok((files, _)) => return Ok((files, number)),
                Err(error @ RecordError::Exists(_)) => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }
}

/// What happened to the name of a file. A folder that can't be looked at just now says nothing of it.
fn away(file: &File, path: &Path) -> Option<&'static str> {
    match path.symlink_metadata() {
        Ok(there) => (identity(&there) != identity(&file.metadata().ok()?)).then_some("replaced"),
        Err(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory).then_some("removed or moved")
        }
    }
}

/// `run.bin` → `run.2.bin`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    path.with_extension(format!("{number}.{ending}"))
}

fn create(path: &Path) -> Result<File, RecordError> {
    match File::options().write(true).create_new(true).open(path) {
        Ok(file) => Ok(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(RecordError::Exists(path.to_path_buf())),
        Err(source) => Err(RecordError::Create { path: path.to_path_buf(), source }),
    }
}
