//! Feeds the logs of a target to its pipeline stream.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;

use super::{pipeline::Pipeline, sink::Sink};
use crate::io::log::{Cursor, LogEvent, LogReader, RawLog, host_now, kind};

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

    /// Options that hold from the next bytes on, as `k=v` lines.
    pub(super) fn set_options(&mut self, text: &str) {
        for input in &mut self.list {
            input.options = Some(text.as_bytes().to_vec());
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

    /// Ends the logs that still receive, so that the rest of what they hold can be decoded.
    pub(super) fn end_logs(&self) {
        self.list.iter().for_each(|input| input.log.end(host_now()));
    }

    /// Whether everything that was received is decoded. A file is not received but read: it may be left at any place.
    pub(super) fn are_drained(&self) -> bool {
        self.list.iter().all(|input| input.log.file_path().is_some() || input.left() == 0)
    }

    /// Ends each source where its decoder is now, so that pending bytes get their row. Returns the number of received
    /// bytes behind that, which are not decoded.
    pub(super) fn close(&mut self, pipeline: &mut Pipeline, sink: &mut impl Sink) -> io::Result<u64> {
        pipeline.advance(sink, |_| true)?;
        let mut left = 0;
        for (source, input) in self.list.iter().enumerate() {
            if input.has_ended || !pipeline.wants(source) {
                continue;
            }
            let pos = input.reader.at().pos;
            let end = LogEvent { pos, host_ns: host_now(), kind: kind::END, arg: 0, text: Vec::new() };
            pipeline.feed(source, pos, b"", &[end], sink);
            left += if input.log.file_path().is_some() { 0 } else { input.left() };
        }
        while pipeline.advance(sink, |_| true)? {}
        for source in 0..self.list.len() {
            pipeline.end(source);
        }
        Ok(left)
    }
}

#[derive(Debug)]
struct LogInput {
    log: Arc<RawLog>,
    reader: LogReader,
    /// When its last rows arrived.
    came: Instant,
    /// Its decoder knows that it has ended.
    has_ended: bool,
    /// Options that hold from the next bytes on.
    options: Option<Vec<u8>>,
}

impl LogInput {
    fn new(log: Arc<RawLog>) -> LogInput {
        let reader = LogReader::new(log.clone(), Cursor::default());
        LogInput { reader, log, came: Instant::now(), has_ended: false, options: None }
    }

    /// Bytes of the log that are not decoded.
    fn left(&self) -> u64 {
        self.log.len().saturating_sub(self.reader.at().pos)
    }

    /// Feeds new bytes; returns `false` if there are none.
    fn feed(&mut self, source: usize, pipeline: &mut Pipeline, sink: &mut impl Sink) -> io::Result<bool> {
        // In this order: what is received from now on may have to wait for another filter.
        let (ended, received) = (self.log.ended(), self.log.len());
        let reader = &mut self.reader;
        let until = sink.read_until(&self.log, reader.at().pos);
        if reader.next(until.min(received)).map_err(io::Error::other)? {
            if let Some(text) = self.options.take() {
                let options = LogEvent { pos: reader.pos, host_ns: 0, kind: kind::OPTIONS, arg: 0, text };
                reader.events.insert(0, options);
            }
            pipeline.feed(source, reader.pos, &reader.bytes, &reader.events, sink);
            self.log.consumed(reader.at().pos);
            self.has_ended = reader.events.iter().any(|event| event.kind == kind::END);
            self.came = Instant::now();
        } else if ended && until >= received {
            pipeline.end(source);
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
