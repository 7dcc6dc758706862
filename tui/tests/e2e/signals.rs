//! A run without a screen ended by a signal: every received byte has its row, recordings are complete, nothing waits.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::rig::{bytes_of, folder, set_environment};

/// The program without a screen, connected to a server of the test.
struct Run {
    child: Child,
    peer: TcpStream,
    home: tempfile::TempDir,
}

impl Run {
    fn start(args: &[&str]) -> Run {
        let home = folder();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, home.path());
        command.args(args).arg("--tcp").arg(server.local_addr().unwrap().to_string()).current_dir(home.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let (peer, _) = server.accept().unwrap();
        Run { child, peer, home }
    }

    /// Ends it; returns the exit code and the time it took.
    fn end(&mut self, signal: Signal) -> (Option<i32>, Duration) {
        let start = Instant::now();
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        let code = self.child.wait().unwrap().code();
        (code, start.elapsed())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It has already ended if all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn bytes_that_are_pending_at_a_signal_get_a_row() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut run = Run::start(&["--proto", "qs", "--format", "jsonl"]);
        let bytes = &bytes_of("oven-734.bin")[..50_000];
        run.peer.write_all(bytes).unwrap();
        let mut lines = BufReader::new(run.child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let last_record = lines.find(|line| line.contains("\"pos\":49947,")).unwrap();
        assert!(last_record.contains("\"len\":20,"), "{last_record}");
        assert_eq!(run.end(signal).0, Some(code));
        let rest: Vec<String> = lines.collect();
        assert_eq!(rest.len(), 1, "{rest:?}");
        assert!(rest[0].starts_with(r#"{"type":"note","kind":"tail","pos":49967,"bytes":33,"#), "{rest:?}");
    }
}

#[test]
fn statistics_at_a_signal_leave_no_byte_out() {
    let mut run = Run::start(&["stats", "--proto", "qs", "--json"]);
    run.peer.write_all(&bytes_of("oven-734.bin")[..50_000]).unwrap();
    run.peer.shutdown(std::net::Shutdown::Write).unwrap();
    // The link is down, so everything was read; it is retrying.
    let mut said = BufReader::new(run.child.stderr.take().unwrap());
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(run.end(Signal::TERM).0, Some(143));
    let mut text = String::new();
    run.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let stats: serde_json::Value = serde_json::from_str(&text).unwrap();
    let bytes = |key: &str| stats[key].as_u64().unwrap();
    assert_eq!((bytes("bytes"), bytes("pending_bytes")), (50_000, 0), "{text}");
    assert_eq!(bytes("record_bytes") + bytes("other_bytes") + bytes("skipped_bytes"), 50_000, "{text}");
    said.read_to_string(&mut text).unwrap();
}

#[test]
fn a_reader_that_stopped_reading_keeps_nobody_from_ending() {
    let mut run = Run::start(&["--proto", "qs", "--format", "jsonl", "--record", "kept"]);
    let bytes = bytes_of("oven-734.bin").repeat(10);
    run.peer.write_all(&bytes).unwrap();
    let file = run.home.path().join("kept.bin");
    let start = Instant::now();
    while std::fs::metadata(&file).map_or(0, |meta| meta.len()) < bytes.len() as u64 {
        assert!(start.elapsed() < Duration::from_secs(20), "nothing is recorded");
        std::thread::sleep(Duration::from_millis(10));
    }
    let (code, took) = run.end(Signal::TERM);
    assert_eq!(code, Some(143));
    assert!(took < Duration::from_secs(3), "{took:?} on a machine that does other things, too");
    assert!(std::fs::read(&file).unwrap() == bytes);
    assert!(std::fs::read_to_string(file.with_extension("meta")).unwrap().ends_with("}\n"));
    let mut said = String::new();
    run.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("standard output is not read: its last rows were not written"), "{said}");
}

#[test]
fn a_limit_for_files_is_an_error_not_a_signal() {
    let folder = folder();
    let line = "ulimit -f 16; exec \"$0\" record -O kept \"$1\"";
    let mut command = Command::new("bash");
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, folder.path());
    let input = crate::rig::capture("oven-734.bin");
    let output =
        command.args(["-c", line, env!("CARGO_BIN_EXE_spytui")]).arg(input).current_dir(folder.path()).output();
    let output = output.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("Recording stopped at "), "{said}");
    assert_eq!(std::fs::metadata(folder.path().join("kept.bin")).unwrap().len(), 16 * 1024);
}
