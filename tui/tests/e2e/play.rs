//! `spytui play`: the same bytes again, at their pace.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::lines::{command, refused, run};
use crate::rig::{bytes_of, capture, folder, spytui};

/// A recording whose halves arrived 400 ms apart.
fn recording() -> (TempDir, String, Vec<u8>) {
    let folder = folder();
    let bytes = bytes_of("oven-734.bin")[..20_000].to_vec();
    std::fs::write(folder.path().join("run.bin"), &bytes).unwrap();
    let meta = "{\"spytui-recording\":1,\"decoder\":\"qs\",\"start_ns\":1000000000}\n\
        {\"pos\":0,\"host_ns\":1000000000}\n{\"pos\":10000,\"host_ns\":1400000000}\n";
    std::fs::write(folder.path().join("run.meta"), meta).unwrap();
    let path = folder.path().join("run.bin").display().to_string();
    (folder, path, bytes)
}

#[test]
fn readers_of_a_port_get_the_bytes_at_their_pace() {
    let (_folder, path, bytes) = recording();
    let mut child = command(["play", &path, "--speed", "2", "--serve-tcp", "0"]);
    let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(child.stderr.take().unwrap()).lines().next().unwrap().unwrap();
    assert!(said.contains("as its bytes arrived"), "{said}");
    let address = said.split("--tcp ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().to_owned();
    let start = Instant::now();
    let reader = |_| {
        let mut stream = TcpStream::connect(&address).unwrap();
        std::thread::spawn(move || {
            let (mut first, mut rest) = (vec![0; 10_000], Vec::new());
            stream.read_exact(&mut first).unwrap();
            let early = start.elapsed();
            stream.read_to_end(&mut rest).unwrap();
            ([first, rest].concat(), early, start.elapsed())
        })
    };
    for reader in [0, 1].map(reader) {
        let (received, early, end) = reader.join().unwrap();
        assert!(received == bytes);
        // Whatever the machine is doing, it can't be earlier.
        assert!(end >= Duration::from_millis(200) && end > early, "{early:?}, {end:?}");
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn lines_are_those_of_the_recording() {
    let (_folder, path, _) = recording();
    let played = run(["play", &path, "--speed", "100"]);
    let decoded = run(["decode", &path]);
    let (played, decoded) = (String::from_utf8(played.stdout).unwrap(), String::from_utf8(decoded.stdout).unwrap());
    let (first, rest) = played.split_once('\n').unwrap();
    assert!(first.contains("played again, as its bytes arrived, 100 times as fast"), "{first}");
    assert_eq!(rest, decoded);
}

#[test]
fn without_times_it_is_said_and_what_is_wrong_is_refused() {
    let name = capture("oven-734-small-assert.bin").display().to_string();
    let output = run(["play", "-p", "qs", &name, "--speed", "100"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("11 520 bytes per second; --rate sets another"), "{said}");
    let clocked = run(["play", "-p", "qs", "-o", "ticks-per-second=1000000", &name, "--speed", "100"]);
    assert!(String::from_utf8(clocked.stdout).unwrap().contains("by the target's time stamps"));
    for (args, part) in [
        (["play", &name, "--speed", "0"], "from 0.1 to 100"),
        (["play", "no-such-file.bin", "--rate", "7"], "no such file"),
        (["play", &name, "--serve-tcp", "x"], "is not a port"),
    ] {
        let (code, said) = refused(&args);
        assert!(code > 1 && said.contains(part), "{said}");
    }
}

#[test]
fn a_line_of_standard_input_sends_a_record() {
    let (_folder, path, _) = recording();
    let mut child = command(["play", &path, "--step"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut keys = child.stdin.take().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut records = lines.filter(|line| line.starts_with(' '));
    for part in ["Empty", "QS_RX", "motor"] {
        keys.write_all(b"\n").unwrap();
        let line = records.next().unwrap();
        assert!(line.contains(part), "{line}");
        // The target info is no line of a record, but one.
        if part == "Empty" {
            keys.write_all(b"\n").unwrap();
        }
    }
    drop(keys);
    assert!(records.count() > 500);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_key_sends_the_next_record_to_the_screen() {
    let (_folder, path, _) = recording();
    let mut stage = spytui(["play", &path, "--step"]).start();
    stage.shows("s sends the next one");
    stage.types("s");
    stage.shows("1 rec");
    stage.types("ss");
    stage.shows("3 rec");
    stage.has_never_shown("4 rec");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    // Elsewhere the key says what it is for.
    let mut stage = spytui([&path]).start();
    stage.shows("file 100 %");
    stage.types("s");
    stage.shows("spytui play FILE --step");
}
