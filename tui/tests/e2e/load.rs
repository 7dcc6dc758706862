//! Many records a second: the screen answers and nothing is lost. And none: nothing is written.

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::port::Port;
use crate::rig::{bytes_of, file_args, folder, spytui};

/// The records of the capture behind its dictionaries, whose numbers go round without a hole: sent again and again
/// they are one stream.
fn endless() -> Vec<u8> {
    let bytes = bytes_of("oven-734.bin");
    // 2 304 records are nine rounds of the numbers.
    let mut ends = bytes.iter().enumerate().filter(|(_, b)| **b == 0x7E).map(|(at, _)| at + 1);
    let start = ends.nth(50).unwrap();
    let end = ends.nth(2_303).unwrap();
    bytes[start..end].to_vec()
}

/// Sends at 100 000 records a second (24 B each, on average) until it is stopped; the number of records.
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

#[test]
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
    let records = spytui_engine::present::clock::grouped(sent);
    stage.shows(&format!("{records} rec"));
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
    stage.settles();
    let before = stage.written();
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(stage.written(), before);
    stage.types("j");
    stage.until("an answer", |stage| stage.written() > before);
    assert!(stage.written() - before < 2_000, "{} bytes for one step", stage.written() - before);
}
