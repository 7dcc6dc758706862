//! Feeds the logs of a target to its pipeline stream.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;

use super::{pipeline::Pipeline, sink::Sink};
use crate::log::{Cursor, LogReader, RawLog};

/// The logs of a target.
#[derive(Debug)]
pub(super) struct LogInputs {
    list: Vec<LogInput>,
    pub(super) wakes: Vec<Receiver<()>>,
}

impl LogInputs {
    pub(super) fn new(logs: &[Arc<RawLog>]) -> LogInputs {
        LogInputs {
            wakes: logs.iter().map(|log| log.subscribe()).collect(),
            list: logs.iter().cloned().map(LogInput::new).collect(),
        }
    }

    /// Feeds new bytes and emits the rows that are next; returns `false` if there is nothing to do.
    pub(super) fn turn(
        &mut self,
        pipeline: &mut Pipeline,
        sink: &mut impl Sink,
        patience: Option<Duration>,
    ) -> io::Result<bool> {
        let mut news = false;
        for (source, input) in self.list.iter_mut().enumerate() {
            news |= pipeline.wants(source) && input.feed(source, pipeline, sink)?;
        }
        let due = |source: usize| patience.is_some_and(|p| self.list[source].came.elapsed() >= p);
        Ok(pipeline.advance(sink, due)? || news)
    }
}

/// One log.
#[derive(Debug)]
struct LogInput {
    log: Arc<RawLog>,
    reader: LogReader,
    /// When its last rows arrived.
    came: Instant,
}

impl LogInput {
    fn new(log: Arc<RawLog>) -> LogInput {
        LogInput { reader: LogReader::new(log.clone(), Cursor::default()), log, came: Instant::now() }
    }

    /// Feeds new bytes; returns `false` if there are none.
    fn feed(&mut self, source: usize, pipeline: &mut Pipeline, sink: &mut impl Sink) -> io::Result<bool> {
        let ended = self.log.ended();
        let reader = &mut self.reader;
        if reader.next(u64::MAX).map_err(io::Error::other)? {
            pipeline.feed(source, reader.pos, &reader.bytes, &reader.events, sink);
            self.log.consumed(reader.at().pos);
            self.came = Instant::now();
        } else if ended {
            pipeline.end(source);
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
