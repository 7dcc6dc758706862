//! A log decoded from its start to its current end, a batch at a time, for what only its rows say.

use std::{io, sync::Arc};

use spytui_plugin_api::{Batch, Source};

use super::instance_host::{InstanceHost, LearnedOptions};
use crate::{
    io::log::{Cursor, LogReader, RawLog},
    open::{Decoder, Options},
};

#[derive(Debug)]
pub struct LogDecoding {
    instance: InstanceHost,
    reader: LogReader,
    batch: Batch,
}

impl LogDecoding {
    /// # Errors
    /// If the decoder can't be opened.
    pub fn open(
        decoder: &Decoder,
        options: &Options,
        source: &Source,
        log: &Arc<RawLog>,
        learned: Option<&LearnedOptions>,
    ) -> io::Result<LogDecoding> {
        let instance = decoder.open(options, source).map_err(io::Error::other)?;
        let mut instance = InstanceHost::new(instance, &decoder.info, 0).without_activities();
        learned.into_iter().for_each(|learned| instance.set_learned(learned));
        let reader = LogReader::new(log.clone(), Cursor::default());
        Ok(LogDecoding { instance, reader, batch: Batch::default() })
    }

    /// Position of the latest bytes; rows of bytes before may have come with them.
    pub fn pos(&self) -> u64 {
        self.reader.pos
    }

    /// The rows of the next bytes, without activities; `None` at the end.
    ///
    /// # Errors
    /// If the log can't be read.
    pub fn next_batch(&mut self) -> io::Result<Option<&Batch>> {
        if !self.reader.next(u64::MAX).map_err(io::Error::other)? {
            return Ok(None);
        }
        self.batch.clear();
        let LogReader { pos, bytes, events, .. } = &self.reader;
        self.instance.feed(*pos, bytes, events, &mut self.batch);
        Ok(Some(&self.batch))
    }
}
