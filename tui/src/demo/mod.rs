//! `--demo PROTO`: a bundled capture replayed at its own pace, in a loop, with a little seeded damage so that the
//! counters move. No hardware needed.

mod damage;
mod schedule;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use spytui_engine::{
    log::{LogOptions, RawLog, host_now, kind},
    plugin::Registry,
};

use damage::Damage;
use schedule::Schedule;

/// Captures that can be replayed, by protocol.
const CAPTURES: [(&str, &[u8]); 4] = [
    ("qs", include_bytes!("../../assets/demo/qs.bin")),
    ("rkh", include_bytes!("../../assets/demo/rkh.bin")),
    ("tband", include_bytes!("../../assets/demo/tband.bin")),
    ("qnx", include_bytes!("../../assets/demo/qnx.kev")),
];

/// Seed of the damage: every demo run is the same.
const SEED: u64 = 2026;

/// A running demo.
#[derive(Debug)]
pub struct Demo {
    log: Arc<RawLog>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The capture of a protocol.
///
/// # Errors
/// There is none; the text names those there are.
pub fn capture_of(proto: &str) -> Result<&'static [u8], String> {
    let known: Vec<&str> = CAPTURES.iter().map(|c| c.0).collect();
    let capture = CAPTURES.iter().find(|c| c.0 == proto).map(|c| c.1);
    capture.ok_or_else(|| format!("--demo {proto}: no such demo; available: {}", known.join(" ")))
}

impl Demo {
    /// Starts replaying the capture of a protocol.
    ///
    /// # Errors
    /// There is none for this protocol; the text names those there are.
    pub fn start(proto: &str, registry: &Registry) -> Result<Demo, String> {
        let capture = capture_of(proto)?;
        let decoder = registry.find(proto).map_err(|e| e.to_string())?;
        let schedule = Schedule::of(capture, &decoder);
        let log = RawLog::new(&LogOptions::default());
        let stop = Arc::new(AtomicBool::new(false));
        let thread = {
            let (log, stop) = (log.clone(), stop.clone());
            std::thread::Builder::new().name("demo".into()).spawn(move || replay(capture, &schedule, &log, &stop))
        };
        let thread = thread.map_err(|e| format!("--demo: no thread: {e}"))?;
        Ok(Demo { log, stop, thread: Some(thread) })
    }

    /// The log it fills.
    pub fn log(&self) -> &Arc<RawLog> {
        &self.log
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn replay(capture: &[u8], schedule: &Schedule, log: &RawLog, stop: &AtomicBool) {
    let mut damage = Damage::new(SEED);
    let mut start = Instant::now();
    log.add_event(kind::LINK_UP, 0, b"demo: a bundled capture, in a loop, with damage", host_now());
    loop {
        for (piece, due) in schedule.pieces(capture) {
            wait_until(start + due, stop);
            if stop.load(Ordering::Relaxed) {
                return;
            }
            log.append(&damage.apply(piece), host_now());
        }
        start += schedule.length();
    }
}

fn wait_until(due: Instant, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::park_timeout(left.min(Duration::from_millis(500)));
    }
}
