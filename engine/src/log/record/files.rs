//! The files of a recording.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::failure::RecordError;
use crate::log::meta::recording_paths;

/// Further names tried for the next file of a rotation.
const TRIES: u64 = 10_000;

/// The two files being written.
pub(super) struct Files {
    pub(super) bin: File,
    pub(super) meta: File,
}

impl Files {
    /// Creates both; returns the path of the first, too.
    pub(super) fn create(path: &Path) -> Result<(Files, PathBuf), RecordError> {
        let (bin_path, meta_path) = recording_paths(path);
        let bin = create(&bin_path)?;
        let meta = create(&meta_path).inspect_err(|_| drop(std::fs::remove_file(&bin_path)))?;
        Ok((Files { bin, meta }, bin_path))
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
