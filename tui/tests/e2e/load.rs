//! With many records per second, the screen answers and nothing is lost. With none, nothing is written. Otherwise
//! output stays within the budgets of the terminal.

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::port::Port;
use crate::rig::{Stage, bytes_of, file_args, folder, spytui};

/// The capture's records after its dictionaries, whose numbers wrap around without a gap: repeated, they are one
/// stream.
fn endless() -> Vec<u8> {
    let bytes = bytes_of("oven-734.bin");
    // 2 304 records are nine rounds of the numbers.
    let mut ends = bytes.iter().enumerate().filter(|(_, b)| **b == 0x7E).map(|(at, _)| at + 1);
    let start = ends.nth(50).unwrap();
    let end = ends.nth(2_303).unwrap();
    bytes[start..end].to_vec()
}

/// Sends 100 000 records per second (24 B each on average) until stopped; returns the number of records.
fn send(to: &mut dyn Write, stop: &AtomicBool) -> u64 {
    let bytes = endless();
    let (start, mut sent) = (Instant::now(), 0_u64);
    loop {
        to.write_all(&bytes).unwrap();
        sent += 2_304;
        if stop.load(Ordering::Relaxed) {
            return sent;
        }
        let due = Duration::from_micros(sent * 10);
        std::thread::sleep(due.saturating_sub(start.elapsed()));
    }
}

/// The number of records in the header.
fn records(stage: &Stage) -> Option<u64> {
    let screen = stage.screen();
    let (before, _) = screen.split_once(" rec")?;
    let digits: String = before.rsplit("  ").next()?.split(' ').collect();
    digits.parse().ok()
}

/// Waits for the number of records while it grows: a busy machine decodes late, which is no loss.
fn catches_up(stage: &Stage, sent: u64) {
    let mut seen = records(stage);
    while seen != Some(sent) {
        stage.until("another number of records", |stage| records(stage) > seen);
        seen = records(stage);
    }
}

/// These load the machine most, and run one at a time, as together they would starve.
#[test]
fn under_load_keys_are_answered_and_panes_keep_to_their_budgets() {
    keys_are_answered_and_nothing_is_lost();
    every_pane_follows_a_target_within_the_smallest_budget();
    no_pane_exceeds_the_budget_under_load();
}

fn keys_are_answered_and_nothing_is_lost() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut stage = spytui(["--proto", "qs", "--tcp", &address]).start();
    let (mut peer, _) = server.accept().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let sender = {
        let stop = stop.clone();
        std::thread::spawn(move || send(&mut peer, &stop))
    };
    stage.shows("follow");
    for _ in 0..5 {
        stage.types("2");
        stage.shows("Dictionary");
        stage.types("5");
        stage.shows("adds up");
        stage.types("1p");
        stage.shows("held +");
        stage.types("p");
        stage.shows("follow");
        stage.types("?");
        stage.shows("Help");
        stage.types("\x07");
    }
    stop.store(true, Ordering::Relaxed);
    let sent = sender.join().unwrap();
    catches_up(&stage, sent);
    stage.shows("gaps 0");
    stage.shows("skipped 0 B");
}

#[test]
fn a_port_loses_nothing_either() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    let bytes = endless();
    for _ in 0..40 {
        port.send(&bytes);
    }
    stage.types("5");
    stage.shows(" 92 160 rec");
    stage.shows("gaps 0  bad 0  skipped 0 B");
    stage.shows("adds up");
}

#[test]
fn idle_writes_nothing() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    // That it sleeps for an hour is tested on the model.
    stage.until("silence", |stage| {
        let before = stage.written();
        std::thread::sleep(Duration::from_millis(250));
        stage.written() == before
    });
    let before = stage.written();
    stage.types("j");
    stage.until("an answer", |stage| stage.written() > before);
    assert!(stage.written() - before < 2_000, "{} bytes for one step", stage.written() - before);
}

/// The keys of all panes, and of the list with the strip, with a word that each shows.
const PANES: [(&str, &str); 11] = [
    ("1", "─ Records"),
    ("2", "─ Dictionary"),
    ("3", "─ Objects"),
    ("4", "─ Timeline"),
    ("5", "─ Counters"),
    ("6", "─ Target"),
    ("7", "─ Sequence"),
    ("8", "─ Statistics"),
    ("9", "─ Log"),
    ("0", "─ Issues"),
    ("1T", "─ Records"),
];

/// Bytes per second received by each stage.
fn bytes_per_second(stages: &[Stage], time: Duration) -> Vec<f64> {
    let before: Vec<_> = stages.iter().map(|stage| (stage.written(), Instant::now())).collect();
    std::thread::sleep(time);
    let per_second = |(stage, (written, start)): (&Stage, (usize, Instant))| {
        let bytes = stage.written() - written;
        bytes as f64 / start.elapsed().as_secs_f64()
    };
    stages.iter().zip(before).map(per_second).collect()
}

/// Every pane follows the demo target at its own pace on the slowest line with a budget (`--slow`), so that nothing is
/// held back.
#[allow(clippy::print_stdout)]
fn every_pane_follows_a_target_within_the_smallest_budget() {
    const SLOW: f64 = 10_000.0;
    if !spytui_demo_target::AVAILABLE {
        return;
    }
    for (width, height) in [(80, 24), (200, 50)] {
        let start = |(keys, title): (&str, &str)| {
            let mut stage = spytui(["--demo", "qs"]).size(width, height).start();
            stage.shows("live");
            stage.types(keys);
            stage.shows(title);
            stage
        };
        let stages: Vec<Stage> = PANES.into_iter().map(start).collect();
        // The answer to a key is drawn at once and completely; what follows it counts.
        std::thread::sleep(Duration::from_secs(1));
        // Late drawing on a busy machine counts in one of the periods, regular output of a pane in each.
        let times = [(); 3].map(|()| bytes_per_second(&stages, Duration::from_millis(1_500)));
        let least = |pane: usize| times.iter().map(|figures| figures[pane]).fold(f64::INFINITY, f64::min);
        let figures: Vec<f64> = (0..PANES.len()).map(least).collect();
        let panes: Vec<_> = PANES.iter().map(|pane| pane.0).zip(&figures).collect();
        println!("{width}x{height}, bytes a second: {panes:.0?}");
        assert!(figures.iter().all(|bytes| *bytes < SLOW), "{width}x{height}, bytes a second: {panes:.0?}");
        // All are alive: an empty frame costs nothing.
        let is_alive = |pane: usize| times.iter().any(|figures| figures[pane] > 0.0);
        assert!((0..PANES.len()).all(is_alive), "{width}x{height}, bytes a second: {times:.0?}");
    }
}

/// However many records arrive, no pane exceeds the budget of an SSH session.
#[allow(clippy::print_stdout)]
fn no_pane_exceeds_the_budget_under_load() {
    const SSH: f64 = 40_000.0;
    /// A frame that was due just before the period, or will be paid for after it.
    const FRAME: f64 = 20_000.0;
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let start = spytui(["--proto", "qs", "--tcp", &address]).size(200, 50).env("SSH_TTY", "/dev/pts/1");
    let mut stages = [start.start()];
    let (mut peer, _) = server.accept().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let sender = {
        let stop = stop.clone();
        std::thread::spawn(move || send(&mut peer, &stop))
    };
    stages[0].shows("follow");
    let time = Duration::from_secs(2);
    let mut figures = Vec::new();
    for (keys, title) in PANES {
        stages[0].types(keys);
        stages[0].shows(title);
        // The answer to the key is paid for.
        std::thread::sleep(Duration::from_secs(1));
        figures.push((keys, bytes_per_second(&stages, time)[0]));
    }
    stop.store(true, Ordering::Relaxed);
    sender.join().unwrap();
    println!("bytes a second: {figures:.0?}");
    let most = SSH + FRAME / time.as_secs_f64();
    assert!(figures.iter().all(|(_, bytes)| *bytes < most), "bytes a second: {figures:.0?}");
}
