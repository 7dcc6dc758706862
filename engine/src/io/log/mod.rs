//! The raw log: every received byte of a source, with its stream events; recording to files and reading them back.

mod blocks;
mod clock;
mod error;
mod event;
mod file_parts;
pub mod format;
mod meta;
mod raw;
pub mod reader;
mod record;
mod recorded;
mod spill;
mod spool;
mod stream_events;
#[cfg(test)]
mod tests;

pub use clock::host_now;
pub use error::LogError;
pub use event::{LogEvent, kind, line_error, result};
pub use meta::{Meta, MetaHead, meta_path, read_meta, recorded_head, recording_paths};
pub use raw::{LogOptions, RawLog};
pub use reader::{Cursor, LogReader};
pub use record::{RecordError, RecordFailure, RecordPhase, RecordState, Recorder, Rotation};
pub use recorded::{Recorded, open_recorded};
pub use spool::{Spool, default_dir};
