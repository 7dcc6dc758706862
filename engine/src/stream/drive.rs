//! Runs a pipeline over logs, which may still grow, or over any reader.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, Select};

use super::{inputs::LogInputs, merged::Merged, pipeline::Pipeline, sink::Sink, targets::Targets};
use crate::log::{Cursor, RawLog, reader::LogReader};

/// How often a wait checks for a stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Processes a log, also as it grows, until its input ends or `stop` is set. `idle` is called when there is nothing to
/// do, for instance to flush.
///
/// # Errors
/// If the sink or the log fails.
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

/// Processes several logs in merge order, until all inputs end or `stop` is set. `patience` limits the wait for a
/// silent source. `idle` as for [`drive_log`].
///
/// # Errors
/// If the sink or a log fails.
pub fn drive_logs(
    logs: &[Arc<RawLog>],
    merged: &mut Merged,
    sink: &mut impl Sink,
    stop: &AtomicBool,
    patience: Option<Duration>,
    mut idle: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let mut inputs = LogInputs::new(logs);
    while !stop.load(Ordering::Relaxed) && !merged.is_over() {
        if inputs.turn(merged, sink, patience)? {
            continue;
        }
        idle()?;
        wait(inputs.wakes.iter(), patience.filter(|_| merged.holds_back()).map_or(STOP_CHECK, |p| p / 4));
    }
    idle()
}

/// The same for independent targets, each with its own order and names, interleaved as rows arrive. `grow` is called at
/// every turn and may add targets.
///
/// # Errors
/// If the sink or a log fails.
pub fn drive_flows(
    flows: &mut Targets,
    sink: &mut impl Sink,
    stop: &AtomicBool,
    patience: Option<Duration>,
    mut grow: impl FnMut(&mut Targets) -> io::Result<()>,
    mut idle: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    while !stop.load(Ordering::Relaxed) && !flows.is_over() {
        grow(flows)?;
        if flows.turn(sink, patience)? {
            continue;
        }
        idle()?;
        wait(flows.wakes(), patience.filter(|_| flows.holds_back()).map_or(STOP_CHECK, |p| p / 4));
    }
    idle()
}

/// Waits for one of these notifications.
fn wait<'a>(wakes: impl Iterator<Item = &'a Receiver<()>>, time: Duration) {
    let wakes: Vec<&Receiver<()>> = wakes.collect();
    let mut select = Select::new();
    for wake in &wakes {
        select.recv(wake);
    }
    if let Ok(news) = select.select_timeout(time) {
        // A disconnected receiver has no notifications to miss.
        let _ = wakes.get(news.index()).map(|wake| news.recv(wake));
    }
}

/// Processes `input` as one stream.
///
/// # Errors
/// If the sink or the input fails.
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
