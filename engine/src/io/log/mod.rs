//! The raw log: every received byte of a source with its stream events; recording to files and reading them back.

mod deliver;
mod event;
mod excerpt;
pub mod format;
mod meta;
mod raw;
mod record;
mod spool;
#[cfg(test)]
mod tests;

pub use deliver::Delivery;
pub use event::{LogEvent, host_now, kind, line_error, result};
pub use excerpt::{excerpt, write_meta};
pub use meta::{
    MetaHead, Recorded, RecordedMark, mark_recording, meta_path, open_recorded, read_meta, recorded_head,
    recorded_marks, recording_paths,
};
pub use raw::{Cursor, LogError, LogOptions, LogReader, RawLog};
pub use record::{RecordError, RecordFailure, RecordPhase, RecordState, Recorder, Rotation};
pub use spool::{Spool, default_dir};
