//! What can go wrong while reading the log.

use std::io;
use std::path::PathBuf;

/// Why bytes of the log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The bytes were received, but are kept no longer.
    #[error("byte {pos} is no longer kept; the oldest byte kept is {first}")]
    Gone {
        /// The position asked for.
        pos: u64,
        /// The oldest position still kept: go on here.
        first: u64,
    },
    /// The file used in place became shorter than what was already read from it.
    #[error("{} shrank from {was} to {is} bytes while it was read; open it again", path.display())]
    Shrunk {
        /// The file.
        path: PathBuf,
        /// Its length as far as the log knew it.
        was: u64,
        /// Its length now.
        is: u64,
    },
    /// The operating system refused.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file, or the spool file of the log.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
