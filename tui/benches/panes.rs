//! CPU time of each pane while 100 000 records per second arrive, compared with the list alone: `cargo bench -p spytui
//! --bench panes`, with `-- varied statistics --rounds 5` for one input, some panes, and longer.
//!
//! Alternates between the list and the pane, because the load of the machine changes from minute to minute.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs, dead_code)]

#[path = "../tests/e2e/rig.rs"]
mod rig;

use std::{
    env, fs,
    io::Write,
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{sleep, spawn},
    time::{Duration, Instant},
};

use rig::{Stage, bytes_of, spytui};
use spytui_decoder_harness::varied;

/// Names, keys that show the pane, and keys that return to the list alone.
const PANES: [(&str, &str, &str); 8] = [
    ("objects", "3", "1"),
    ("timeline", "4", "1"),
    ("sequence", "7", "1"),
    ("statistics", "8", "1"),
    ("findings", "0", "1"),
    ("strip", "T", "T"),
    ("dictionary", "2", "1"),
    ("counters", "5", "1"),
];
const INPUTS: [&str; 2] = ["repeated", "varied"];
/// Records per second.
const RATE: usize = 100_000;
const SIZE: (u16, u16) = (120, 36);
/// A pane first reads what arrived while it was hidden.
const SETTLES: Duration = Duration::from_secs(3);
const MEASURED: Duration = Duration::from_secs(5);
/// Size of the input that does not repeat: enough for some minutes.
const VARIED: usize = 120_000_000;

fn main() {
    let rounds = env::args().skip_while(|arg| arg != "--rounds").nth(1);
    let rounds: usize = rounds.map_or(3, |rounds| rounds.parse().expect("a number"));
    for input in named(INPUTS, |input| input) {
        let stream = Arc::new(stream(input));
        for pane in named(PANES, |pane| pane.0) {
            measure(input, &stream, pane, rounds);
        }
    }
}

/// The ones named on the command line; all if none is.
fn named<T: Copy, const N: usize>(all: [T; N], name: impl Fn(T) -> &'static str) -> Vec<T> {
    let is_named = |one: &T| env::args().any(|arg| arg == name(*one));
    let some: Vec<T> = all.into_iter().filter(is_named).collect();
    if some.is_empty() { all.to_vec() } else { some }
}

/// A stream: its beginning, and the part that repeats.
struct Stream {
    head: Vec<u8>,
    body: Vec<u8>,
    bytes_per_second: usize,
}

fn stream(input: &str) -> Stream {
    let capture = bytes_of("oven-734.bin");
    let (head, body) = if input == "varied" {
        (Vec::new(), varied::qs(&capture, 1, VARIED))
    } else {
        // The sequence numbers of 2 304 records wrap around without a gap.
        let ends: Vec<usize> = capture.iter().enumerate().filter(|(_, b)| **b == 0x7E).map(|(at, _)| at + 1).collect();
        (capture[..ends[50]].to_vec(), capture[ends[50]..ends[50 + 9 * 256]].to_vec())
    };
    let records = body.iter().filter(|byte| **byte == 0x7E).count();
    let bytes_per_second = (body.len() as f64 / records as f64 * RATE as f64) as usize;
    Stream { head, body, bytes_per_second }
}

fn measure(input: &str, stream: &Arc<Stream>, (name, open, close): (&str, &str, &str), rounds: usize) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut stage = spytui(["--proto", "qs", "--tcp", &address]).size(SIZE.0, SIZE.1).start();
    let stop = Arc::new(AtomicBool::new(false));
    let peer = server.accept().unwrap().0;
    let sender = spawn({
        let (stream, stop) = (stream.clone(), stop.clone());
        move || send(peer, &stream, &stop)
    });
    stage.shows("follow");
    let share = |stage: &mut Stage, keys: &str| {
        stage.types(keys);
        sleep(SETTLES);
        let (before, start) = (cpu(stage), Instant::now());
        sleep(MEASURED);
        (cpu(stage) - before).as_secs_f64() / start.elapsed().as_secs_f64() * 100.0
    };
    // The first keys change nothing: the list is already in front.
    let mut back = "";
    let mut round = || {
        let pair = (share(&mut stage, back), share(&mut stage, open));
        back = close;
        pair
    };
    let mut shares: Vec<(f64, f64)> = (0..rounds).map(|_| round()).collect();
    stop.store(true, Ordering::Relaxed);
    let rate = sender.join().unwrap();
    shares.sort_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let (list, with) = shares[shares.len() / 2];
    let ends = [shares[0], shares[shares.len() - 1]].map(|(list, with)| with - list);
    println!(
        "{input} {name}: list alone {list:.1} % of a core, with it {with:.1} %: {:+.2}, from {:+.2} to {:+.2}; {rate:.0} B/s",
        with - list,
        ends[0],
        ends[1]
    );
}

/// Sends until stopped; returns the actual bytes per second.
fn send(mut peer: TcpStream, stream: &Stream, stop: &AtomicBool) -> f64 {
    peer.write_all(&stream.head).unwrap();
    let (start, mut sent) = (Instant::now(), 0);
    for piece in stream.body.chunks(stream.bytes_per_second / 100).cycle() {
        peer.write_all(piece).unwrap();
        sent += piece.len();
        sleep(Duration::from_secs_f64(sent as f64 / stream.bytes_per_second as f64).saturating_sub(start.elapsed()));
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    sent as f64 / start.elapsed().as_secs_f64()
}

/// CPU time of all present threads.
fn cpu(stage: &Stage) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{}/task", stage.pid.as_raw_nonzero())).unwrap();
    let time = |task: fs::DirEntry| fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
    let times = tasks.flatten().map(time);
    Duration::from_nanos(times.filter_map(|time| time.split_whitespace().next()?.parse::<u64>().ok()).sum())
}
