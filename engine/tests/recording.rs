//! Recordings of links: complete after a kill, and reopened like a live one.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{bytes, open, until};
use spytui_engine::io::link::LinkOptions;
use spytui_engine::io::log::{LogOptions, MetaHead, RawLog, Recorder, host_now, read_meta};

const DIR: &str = "SPYTUI_TEST_RECORDING";

fn byte_at(pos: u64) -> u8 {
    (pos ^ (pos >> 8)) as u8
}

/// Records endlessly, and prints how much it received: the child of the test below; does nothing otherwise.
#[test]
fn endless_recording() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let log = RawLog::new(&LogOptions::default());
    let _recorder = Recorder::start(log.clone(), &Path::new(&dir).join("run"), MetaHead::default(), None).unwrap();
    loop {
        let piece: Vec<u8> = (log.len()..log.len() + 777).map(byte_at).collect();
        log.append(&piece, host_now());
        println!("received {}", log.len());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_killed_recording_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "recording::endless_recording", "--nocapture"])
        .env(DIR, dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut received = || -> u64 {
        let line = lines.by_ref().map(Result::unwrap).find(|l| l.contains("received ")).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    while received() < 200_000 {}
    let then = received();
    let start = std::time::Instant::now();
    while start.elapsed() < Duration::from_millis(1000) {
        received();
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let bin = std::fs::read(dir.path().join("run.bin")).unwrap();
    assert!(bin.len() as u64 >= then, "{} bytes in the file, {then} were received a second before", bin.len());
    assert!(bin.iter().enumerate().all(|(pos, byte)| *byte == byte_at(pos as u64)));
    let mut events = 0;
    let found = read_meta(&std::fs::read(dir.path().join("run.meta")).unwrap()[..], |_| events += 1);
    let (_, skipped) = found.unwrap().unwrap();
    assert!(events > 100 && skipped <= 1);
    let back = open(dir.path().join("run.bin").to_str().unwrap(), LinkOptions::default());
    assert!(back.recording.is_some() && back.sources()[0].log.host_time_at(then - 1).is_some());
}

#[test]
fn a_live_link_and_its_recording_give_the_same_bytes_and_marks() {
    let dir = tempfile::tempdir().unwrap();
    let mut link = open("listen:0", LinkOptions::default());
    let address = link.facts().local.unwrap();
    let log = link.sources()[0].log.clone();
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(b"before ").unwrap();
    until("bytes", || log.len() == 7);
    let head = MetaHead { link: link.spec().to_string(), decoder: "qs".into(), ..MetaHead::default() };
    let mut recorder = Recorder::start(log.clone(), &dir.path().join("run.bin"), head, None).unwrap();
    client.write_all(b"and after").unwrap();
    until("more", || log.len() == 16);
    link.sender(0).unwrap().write(&[1, 2]).unwrap();
    drop(client);
    link.stop();
    assert_eq!(recorder.stop().bytes, 16);

    let back = open(dir.path().join("run.bin").to_str().unwrap(), LinkOptions::default());
    let again = back.sources()[0].log.clone();
    assert_eq!(bytes(&again), bytes(&log));
    let plain = |log: &RawLog| {
        let mut events = Vec::new();
        log.all_events_from(0, log.len(), &mut events);
        events.into_iter().map(|m| (m.pos, m.kind, m.arg, m.text)).collect::<Vec<_>>()
    };
    assert_eq!(plain(&again), plain(&log));
    assert_eq!(back.recording.as_ref().unwrap().link, "listen:127.0.0.1:0");
}
