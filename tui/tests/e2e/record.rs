//! Recordings are exactly what was received, whatever happens.

use std::net::UdpSocket;

use rustix::process::{Resource, Rlimit, Signal, prlimit};
use tempfile::TempDir;

use crate::port::Port;
use crate::rig::{Stage, bytes_of, folder, program, spytui};

#[test]
fn what_came_before_and_after_the_command_is_recorded() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    let bytes = bytes_of("oven-734-flips.bin");
    let (before, after) = bytes.split_at(30_000);
    port.send(before);
    stage.shows("rec");
    let copy = folder.path().join("copy");
    stage.command(&format!("record {}", copy.display()));
    stage.shows("everything received so far");
    port.send(after);
    stage.shows("rec 56.9 kB");
    stage.command("record stop");
    stage.shows("56 986 B in ");
    assert_eq!(std::fs::read(copy.with_extension("bin")).unwrap(), bytes);
    // It never overwrites.
    stage.command(&format!("record {}", copy.display()));
    stage.shows("exists already");
    stage.types("\x07");
    stage.command("record stop");
    stage.shows("nothing is being recorded");
    stage.types("\x07");
    stage.command("q");
    assert_eq!(stage.code(), 0);

    // The recording is a trace like any other, with its link rows.
    let mut stage = spytui(["--proto", "qs", copy.with_extension("bin").to_str().unwrap()]).start();
    stage.shows("gaps 31 (≥31 lost)");
    stage.types("g");
    stage.shows("link up");
}

#[test]
fn a_kill_leaves_the_recording_whole() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let copy = folder.path().join("killed");
    let args = ["--proto", "qs", "--port", path.to_str().unwrap(), "--record", copy.to_str().unwrap()];
    let mut stage = spytui(args).start();
    stage.shows("live");
    let bytes = bytes_of("oven-734.bin");
    port.send(&bytes);
    stage.shows("2 360 rec");
    stage.shows("rec 56.9 kB");
    let file = copy.with_extension("bin");
    stage.until("the file", |_| std::fs::metadata(&file).is_ok_and(|m| m.len() == bytes.len() as u64));
    stage.signal(Signal::KILL);
    assert_eq!(stage.code(), -9);
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let stage = spytui(["--proto", "qs", file.to_str().unwrap()]).start();
    stage.shows("2 360 rec");
}

#[test]
fn rows_and_bytes_are_written_as_asked() {
    let folder = folder();
    let mut stage = spytui(crate::rig::file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    let name = |name: &str| folder.path().join(name);
    stage.command(&format!("write {} #700..#722", name("a.txt").display()));
    stage.shows("23 rows in ");
    let text = std::fs::read_to_string(name("a.txt")).unwrap();
    assert_eq!(text.lines().count(), 23);
    assert!(text.contains("SPIN_REQ_SIG ← door"), "{text}");
    stage.command(&format!("write {} #700..#722 kind:AO-Post", name("b.jsonl").display()));
    stage.shows("b.jsonl");
    stage.until("rows", |_| std::fs::read_to_string(name("b.jsonl")).is_ok_and(|t| t.contains("QS_QF_ACTIVE_POST")));
    assert!(std::fs::read_to_string(name("b.jsonl")).unwrap().starts_with("{\"type\":\"schema\",\"version\":1}\n{"));
    stage.command(&format!("write {} #700..#722", name("c.bin").display()));
    stage.shows("c.bin");
    let bytes = bytes_of("oven-734.bin");
    let piece = std::fs::read(name("c.bin")).unwrap();
    assert!(bytes.windows(piece.len()).any(|w| w == piece));
    stage.command(&format!("write {} #700..#722", name("a.txt").display()));
    stage.shows("a.txt exists already; choose another name");
    stage.types("\x07");
    stage.command(&format!("write {}", name("a.doc").display()));
    stage.shows("end the name in .txt, .jsonl, .csv or .bin");
    stage.types("\x07");
    for (range, said) in [("#20..#10", "#20..#10 runs backwards"), (".. kind:Tran kind:Tick", "0 rows: ")] {
        stage.command(&format!("write {} {range}", name("e.txt").display()));
        stage.shows(said);
        assert!(!name("e.txt").exists(), "{range}");
        stage.types("\x07");
    }
}

#[test]
fn each_sender_is_recorded_to_a_file_of_its_own() {
    let folder = folder();
    let out = folder.path().join("run");
    // A port that was free a moment ago.
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut stage = spytui(["record", "-O", out.to_str().unwrap(), "--udp", &port.to_string()]).start();
    stage.shows("recording ");
    let files = ["oven-734.bin", "oven-815.bin"].map(|name| bytes_of(name)[..0x1000].to_vec());
    let senders = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
    for (n, name) in ["run.bin", "run.s1.bin"].into_iter().enumerate() {
        senders[n].send_to(&files[n], ("127.0.0.1", port)).unwrap();
        let path = folder.path().join(name);
        stage.until(name, |_| std::fs::read(&path).is_ok_and(|bytes| bytes == files[n]));
    }
    stage.signal(Signal::INT);
    stage.until("the end", |stage| stage.screen().matches("4 096 bytes in").count() == 2);
    assert_eq!(stage.code(), 130);
}

/// The script «record a board that restarts from a new port».
#[test]
fn a_board_that_restarts_from_a_new_port_is_recorded() {
    let folder = folder();
    let out = folder.path().join("run");
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut stage = spytui(["--proto", "qs", "--udp", &port.to_string()]).start();
    stage.shows("udp :");
    let files = ["oven-734.bin", "oven-815.bin"].map(|name| bytes_of(name)[..0x1000].to_vec());
    let senders = [0; 3].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
    let send = |n: usize, bytes: &[u8]| senders[n].send_to(bytes, ("127.0.0.1", port)).map(drop).unwrap();
    send(2, b"who is there?");
    stage.shows("contain no frame; counted");
    send(0, &files[0]);
    stage.shows("Disp");
    stage.command(&format!("record {}", out.display()));
    stage.shows("everything received so far");
    stage.shows("rec 4");
    send(1, &files[1]);
    stage.shows("new source; ) shows the next one");
    for (name, bytes) in ["run.bin", "run.s1.bin"].into_iter().zip(&files) {
        let path = folder.path().join(name);
        stage.until(name, |_| std::fs::read(&path).is_ok_and(|written| written == *bytes));
    }
    stage.types(")");
    stage.shows("source 2 of 2");
    stage.shows("rec 4");
    stage.types("5");
    stage.types("(");
    stage.shows("packets without a frame 1");
    stage.command("record stop");
    stage.shows("4 096 B in ");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

/// A port recorded to `full` in the folder, with files limited to 20 480 bytes.
fn on_a_full_disk(folder: &TempDir) -> (Port, Stage) {
    let path = folder.path().join("ttyTEST");
    let port = Port::plug(&path);
    let full = folder.path().join("full");
    let script = "ulimit -S -f 40; exec \"$0\" \"$@\"";
    let args = ["--proto", "qs", "--port", path.to_str().unwrap(), "--record", full.to_str().unwrap()];
    let stage = program("sh", [&["-c", script, env!("CARGO_BIN_EXE_spytui")][..], &args].concat()).start();
    stage.shows("live");
    (port, stage)
}

/// The script «disk full»: files are limited to 20 480 bytes, until there is room again.
#[test]
fn a_full_disk_is_said_and_q_saves_elsewhere() {
    let folder = folder();
    let (mut port, mut stage) = on_a_full_disk(&folder);
    let bytes = bytes_of("oven-734.bin");
    port.send(&bytes);
    stage.shows("2 360 rec");
    stage.shows("rec FAILED");
    stage.shows("Recording stopped at 20.4 kB: files may not be larger here");
    stage.shows(":record PATH elsewhere.");
    stage.types("9");
    stage.shows("Recording stopped at 20.4 kB");
    stage.types("1q");
    stage.shows("a recording failed; quit? q yes · s save everything elsewhere · Esc stays");
    // The other disk is full, too: the program does not quit.
    stage.types("s");
    stage.types(&format!("{}\r", folder.path().join("again").display()));
    stage.shows("again.bin: Recording stopped at 20.4 kB");
    prlimit(Some(stage.pid), Resource::Fsize, Rlimit { current: None, maximum: None }).unwrap();
    stage.types("\x07q");
    stage.shows("s save data");
    stage.types("s");
    stage.types(&format!("{}\r", folder.path().join("elsewhere").display()));
    assert_eq!(stage.code(), 0);
    assert_eq!(std::fs::read(folder.path().join("elsewhere.bin")).unwrap(), bytes);
}

#[test]
fn a_recording_that_failed_is_said_after_the_screen() {
    let folder = folder();
    let (mut port, mut stage) = on_a_full_disk(&folder);
    port.send(&bytes_of("oven-734.bin"));
    stage.shows("rec FAILED");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.shows("full.bin: Recording stopped at 20.4 kB: files may not be larger here");
}

#[test]
fn a_recording_whose_folder_is_removed_fails_while_nothing_comes() {
    let folder = folder();
    let (path, runs) = (folder.path().join("ttyTEST"), folder.path().join("runs"));
    let mut port = Port::plug(&path);
    std::fs::create_dir(&runs).unwrap();
    let run = runs.join("run");
    let args = ["--proto", "qs", "--port", path.to_str().unwrap(), "--record", run.to_str().unwrap()];
    let mut stage = spytui(args).start();
    stage.shows("live");
    port.send(&bytes_of("oven-734.bin")[..4_096]);
    stage.shows("rec 4 kB");
    std::fs::remove_dir_all(&runs).unwrap();
    stage.shows("rec FAILED");
    stage.shows("Recording stopped at 4 kB: ");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn a_recording_goes_on_without_its_terminal() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let copy = folder.path().join("copy");
    let args = ["--proto", "qs", "--port", path.to_str().unwrap(), "--record", copy.to_str().unwrap()];
    let mut stage = spytui(args.into_iter().chain(["--keep-recording"])).start();
    stage.shows("live");
    let bytes = bytes_of("oven-734.bin");
    let (before, after) = bytes.split_at(30_000);
    port.send(before);
    stage.shows("rec 30 kB");
    stage.hang_up();
    port.send(after);
    let file = copy.with_extension("bin");
    stage.until("the rest", |_| std::fs::read(&file).is_ok_and(|written| written == bytes));
    stage.signal(Signal::TERM);
    assert_eq!(stage.code(), 128 + Signal::TERM.as_raw());
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}

#[test]
fn what_was_gone_before_a_recording_has_a_row_of_its_own() {
    let folder = folder();
    let path = folder.path().join("late.bin");
    std::fs::write(&path, &bytes_of("oven-734.bin")[0x1003..]).unwrap();
    let meta = "{\"spytui-recording\":1,\"decoder\":\"qs\",\"options\":[[\"obj-ptr\",\"8\"],[\"fun-ptr\",\"8\"]],\
                \"first\":4099}\n{\"pos\":0,\"event\":\"host-loss\",\"arg\":4099}\n";
    std::fs::write(folder.path().join("late.meta"), meta).unwrap();
    let mut stage = spytui([path.to_str().unwrap()]).start();
    stage.shows("file 100 %");
    stage.types("g");
    // Not on one line with the truncated frame.
    stage.shows("4 099 bytes lost on this side");
}
