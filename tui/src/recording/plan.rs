//! What the configuration says of recordings.

use std::{path::PathBuf, sync::Arc};

use spytui_engine::io::log::{MetaHead, RawLog, RecordError, Recorder, Rotation};

use super::destination::{Destination, SourceName};
use crate::config::{Config, rotation};

/// How sources are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Where to.
    pub destination: Destination,
    /// When a recording goes on in a new file.
    pub rotation: Option<Rotation>,
}

impl Plan {
    /// To `path`, otherwise to the configured folder.
    pub fn new(config: &Config, path: Option<PathBuf>) -> Plan {
        let folder = || PathBuf::from(config.text("record.dir"));
        let destination = path.map_or_else(|| Destination::Automatic(folder()), Destination::Named);
        Plan { destination, rotation: rotation(config.text("record.rotate")).flatten() }
    }

    /// Starts a recording.
    ///
    /// # Errors
    /// Its files can't be made.
    pub fn start(&self, log: Arc<RawLog>, path: &std::path::Path, head: MetaHead) -> Result<Recorder, RecordError> {
        Recorder::start(log, path, head, self.rotation)
    }

    /// Starts the recording of a source that joined later, by its number.
    ///
    /// # Errors
    /// As for [`Plan::start`].
    pub fn join(
        &self,
        log: Arc<RawLog>,
        number: u16,
        name: &SourceName,
        head: MetaHead,
    ) -> Result<Recorder, RecordError> {
        self.start(log, &self.destination.path_of_joined(number, name), head)
    }
}
