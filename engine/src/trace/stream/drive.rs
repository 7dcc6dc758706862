//! Runs pipelines over logs, which may still grow.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Select};

use super::{inputs::LogInputs, pipeline::Pipeline, sink::Sink, targets::Targets};
use crate::io::log::RawLog;

/// How often a wait checks for a stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// How long what was received before a stop is still decoded.
const LAST_ROWS: Duration = Duration::from_millis(400);

/// Processes the logs of a target in merge order, also as they grow, until all inputs end or `stop` is set. `patience`
/// limits the wait for a silent source. `idle` is called when there is nothing to do, after the sink was flushed.
///
/// At a stop, the logs are ended, what they hold is decoded, within bounds, and pending bytes get their row. Returns the
/// number of received bytes that were not decoded.
///
/// # Errors
/// If the sink or a log fails.
pub fn drive_logs(
    logs: &[Arc<RawLog>],
    pipeline: &mut Pipeline,
    sink: &mut impl Sink,
    stop: &AtomicBool,
    patience: Option<Duration>,
    mut idle: impl FnMut() -> io::Result<()>,
) -> io::Result<u64> {
    let mut inputs = LogInputs::new(logs);
    while !stop.load(Ordering::Relaxed) && !pipeline.is_over() {
        if inputs.turn(pipeline, sink, patience)? {
            continue;
        }
        sink.flush()?;
        idle()?;
        wait(inputs.wakes.iter(), patience.filter(|_| pipeline.holds_back()).map_or(STOP_CHECK, |p| p / 4));
    }
    let mut left = 0;
    if !pipeline.is_over() {
        inputs.end_logs();
        let until = Instant::now() + LAST_ROWS;
        while !inputs.are_drained() && Instant::now() < until && inputs.turn(pipeline, sink, Some(Duration::ZERO))? {}
        left = inputs.close(pipeline, sink)?;
    }
    idle()?;
    Ok(left)
}

/// The same for independent targets, each with its own order and names, interleaved as rows arrive. `grow` is called at
/// every turn and may add targets. A target is decoded when the start of its streams was looked at; at a stop, what has
/// come is decoded.
///
/// # Errors
/// If the sink or a log fails.
pub fn drive_targets(
    targets: &mut Targets,
    sink: &mut impl Sink,
    stop: &AtomicBool,
    patience: Option<Duration>,
    mut grow: impl FnMut(&mut Targets) -> io::Result<()>,
    mut idle: impl FnMut() -> io::Result<()>,
) -> io::Result<u64> {
    while !stop.load(Ordering::Relaxed) && !targets.is_over() {
        grow(targets)?;
        if targets.turn(sink, patience)? {
            continue;
        }
        sink.flush()?;
        idle()?;
        wait(targets.wakes(), patience.filter(|_| targets.holds_back()).map_or(STOP_CHECK, |p| p / 4));
    }
    let mut left = 0;
    if !targets.is_over() {
        grow(targets)?;
        targets.end_logs();
        let until = Instant::now() + LAST_ROWS;
        while !targets.are_drained() && Instant::now() < until && targets.turn(sink, Some(Duration::ZERO))? {}
        left = targets.close(sink)?;
    }
    idle()?;
    Ok(left)
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
