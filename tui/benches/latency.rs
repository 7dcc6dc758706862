//! From key to screen while 100 000 records per second arrive, and CPU time while none do: `cargo bench -p spytui
//! --bench latency`.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs, dead_code)]

#[path = "../tests/e2e/port.rs"]
mod port;
#[path = "../tests/e2e/rig.rs"]
mod rig;

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use port::Port;
use rig::{Stage, bytes_of, file_args, folder, spytui};

const KEYS: usize = 300;
const IDLE: Duration = Duration::from_secs(30);

fn main() {
    over_tcp();
    over_a_port();
    idle();
}

fn over_tcp() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut stage = spytui(["--proto", "qs", "--tcp", &address]).start();
    let mut peer = server.accept().unwrap().0;
    measure("tcp", &mut stage, move |bytes| peer.write_all(bytes).unwrap());
}

fn over_a_port() {
    let folder = folder();
    let path = folder.path().join("ttyBENCH");
    let mut port = Port::plug(&path);
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    measure("pty", &mut stage, move |bytes| port.send(bytes));
}

fn measure(link: &str, stage: &mut Stage, send: impl FnMut(&[u8]) + Send + 'static) {
    let stop = Arc::new(AtomicBool::new(false));
    let sender = sender(send, stop.clone());
    stage.shows("follow");
    sleep(Duration::from_secs(2));
    let mut times: Vec<Duration> = (0..KEYS).map(|i| answer(stage, i)).collect();
    let written = stage.written();
    let start = Instant::now();
    sleep(Duration::from_secs(3));
    let pace = (stage.written() - written) as f64 / start.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    // When a pseudo-terminal is closed, the system drops unread bytes.
    let (sent, rate, _open) = sender.join().unwrap();
    stage.shows(&format!("{} rec", spytui_engine::present::clock::grouped(sent)));
    stage.shows("gaps 0");
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{link}: {rate:.0} records/s, {sent} records, none lost; key to screen p50 {:.1} p90 {:.1} p99 {:.1} max {:.1} ms; \
         {pace:.0} B/s to the terminal",
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
}

/// From a key to its effect on the emulator's screen.
fn answer(stage: &mut Stage, i: usize) -> Duration {
    sleep(Duration::from_millis(20 + (i as u64 * 7) % 41));
    let (key, text) = [("2", "Dictionary"), ("1", "─ Records"), ("?", "─ Help"), ("\x07", "─ Records")][i % 4];
    let start = Instant::now();
    stage.types(key);
    while !stage.screen().contains(text) {
        sleep(Duration::from_micros(300));
        assert!(start.elapsed() < Duration::from_secs(10), "{}", stage.screen());
    }
    start.elapsed()
}

/// Sends 100 000 records per second; returns the number sent, the actual rate, and what keeps the link open.
fn sender<F: FnMut(&[u8]) + Send + 'static>(mut send: F, stop: Arc<AtomicBool>) -> JoinHandle<(u64, f64, F)> {
    // The sequence numbers of 2 304 records wrap around without a gap.
    let all = bytes_of("oven-734.bin");
    let ends: Vec<usize> = all.iter().enumerate().filter(|(_, b)| **b == 0x7E).map(|(at, _)| at + 1).collect();
    let pieces: Vec<Vec<u8>> = (0..9).map(|i| all[ends[50 + i * 256]..ends[50 + (i + 1) * 256]].to_vec()).collect();
    spawn(move || {
        let (start, mut sent) = (Instant::now(), 0_u64);
        loop {
            for piece in &pieces {
                send(piece);
                sent += 256;
                let due = Duration::from_micros(sent * 10);
                sleep(due.saturating_sub(start.elapsed()));
            }
            if stop.load(Ordering::Relaxed) {
                return (sent, sent as f64 / start.elapsed().as_secs_f64(), send);
            }
        }
    })
}

fn idle() {
    let folder = folder();
    let path = folder.path().join("ttyIDLE");
    let _port = Port::plug(&path);
    let quiet = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    let missing = spytui(["--proto", "qs", "--port", "/dev/ttyNOSUCH"]).start();
    let ended = spytui(file_args("oven-734.bin")).start();
    quiet.shows("quiet");
    missing.shows("no link");
    ended.shows("2 360 rec");
    let stages = [("a quiet port", quiet), ("a missing port", missing), ("a file read to its end", ended)];
    let before: Vec<(u64, usize)> = stages.iter().map(|(_, s)| (cpu(s), s.written())).collect();
    sleep(IDLE);
    for ((name, stage), (cpu_before, written)) in stages.iter().zip(before) {
        let share = (cpu(stage) - cpu_before) as f64 / IDLE.as_secs_f64();
        println!("{name}: {share:.2} % CPU over {} s, {} B written", IDLE.as_secs(), stage.written() - written);
    }
}

/// User and system time so far, in hundredths of a second.
fn cpu(stage: &Stage) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", stage.pid.as_raw_nonzero())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
