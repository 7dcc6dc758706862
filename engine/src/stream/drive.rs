//! Drives a pipeline: over a log, also one that still grows, and over anything that can be read.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::{pipeline::Pipeline, sink::Sink};
use crate::{log::RawLog, session::reader::LogReader, store::Cursor};

/// How often a wait looks whether it is to stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Everything that a log has and gets, until its input ends or `stop` is set. `idle` is called when there is nothing
/// to do for now: the place to flush.
///
/// # Errors
/// What the sink or the log said.
pub fn drive_log(
    log: &Arc<RawLog>,
    pipeline: &mut Pipeline,
    sink: &mut impl Sink,
    stop: &AtomicBool,
    mut idle: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let wake = log.subscribe();
    let mut reader = LogReader::new(log.clone(), Cursor::default());
    while !stop.load(Ordering::Relaxed) {
        let ended = log.ended();
        if reader.next(u64::MAX).map_err(io::Error::other)? {
            pipeline.feed_at(reader.pos, &reader.bytes, &reader.marks, sink)?;
            log.consumed(reader.at().pos);
        } else if ended {
            break;
        } else {
            idle()?;
            let _ = wake.recv_timeout(STOP_CHECK);
        }
    }
    idle()
}

/// Everything that `input` gives, as one stream.
///
/// # Errors
/// What the sink or the input said.
pub fn drive_reader(input: &mut impl Read, pipeline: &mut Pipeline, sink: &mut impl Sink) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    pipeline.begin(sink)?;
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => pipeline.feed(&buffer[..n], &[], sink)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    pipeline.end(sink)
}
