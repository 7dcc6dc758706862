//! Errors of reading the log.

use std::io;
use std::path::PathBuf;

/// Bytes of the log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The bytes are no longer kept.
    #[error("byte {pos} is gone; the oldest byte kept is {first}")]
    Gone {
        /// The requested position.
        pos: u64,
        /// The oldest position still kept.
        first: u64,
    },
    /// A file read in place became shorter.
    #[error("{} shrank from {was} to {is} bytes while it was read; open it again", path.display())]
    Shrunk {
        /// The file.
        path: PathBuf,
        /// Previous length.
        was: u64,
        /// Current length.
        is: u64,
    },
    /// System error.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file, or the log's spool file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}
