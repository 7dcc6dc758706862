//! Why a recording could not start, or go on.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::{
    io::log::{error::LogError, format::size_text},
    unwritable,
};

/// A recording could not be started.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file of that name exists.
    #[error("{} exists already, and a recording never overwrites: choose another name", .0.display())]
    Exists(PathBuf),
    /// The file can't be created.
    #[error("{}", unwritable(path, source))]
    Create {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A recording failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFailure {
    text: String,
    /// Bytes of the log that stay in memory; 0 if they are in a file.
    kept: u64,
}

/// What a running recording met.
pub(super) enum Trouble {
    /// Writing failed.
    Disk(io::Error),
    /// The next file of a rotation can't be made.
    Next(RecordError),
    /// The files are not what they were.
    Damaged(String),
    /// The log can't be read.
    Log(LogError),
}

impl RecordFailure {
    pub(super) fn new(trouble: &Trouble, written: u64, kept: u64) -> RecordFailure {
        let why = match trouble {
            Trouble::Disk(error) => disk(error),
            Trouble::Next(RecordError::Create { source, .. }) if is_full(source) => disk(source),
            Trouble::Next(error) => error.to_string(),
            Trouble::Damaged(what) => what.clone(),
            Trouble::Log(error) => error.to_string(),
        };
        RecordFailure { text: format!("Recording stopped at {}: {why}.", size_text(written)), kept }
    }

    pub(super) fn not_started(error: &io::Error) -> RecordFailure {
        RecordFailure { text: format!("Recording did not start: {error}."), kept: 0 }
    }

    /// The same for the screen, where a recording can be started again.
    pub fn on_screen(&self) -> String {
        let kept = match self.kept {
            0 => String::new(),
            kept => format!("The newest {} stay in memory; ", size_text(kept)),
        };
        format!("{} {kept}:record PATH elsewhere.", self.text)
    }
}

/// `Recording stopped at 4.1 MB: disk full.`
impl fmt::Display for RecordFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::WriteZero)
}

fn disk(error: &io::Error) -> String {
    match error.kind() {
        _ if is_full(error) => "disk full".to_owned(),
        io::ErrorKind::FileTooLarge => "files may not be larger here (ulimit -f)".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota of this user is used up".to_owned(),
        _ => error.to_string(),
    }
}
