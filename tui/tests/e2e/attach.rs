//! Attaching to a target: late, over each link, and again after it disappeared.

use std::fs::File;
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::port::Port;
use crate::rig::{Stage, bytes_of, folder, set_environment, spytui};

/// The capture as the screen must show it at the end.
fn shows_all_of_oven(stage: &mut Stage) {
    stage.shows("2 360 rec");
    stage.shows("gaps 0");
    stage.types("g");
    stage.shows("QP 7.3.3 build 261120_100946");
    stage.command("goto #418");
    stage.shows("QS_QF_ACTIVE_GET_LAST 17   #418 @0x25e9");
}

/// A plugged-in serial port: its folder, its path, and its other end.
fn plugged() -> (TempDir, PathBuf, Port) {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let port = Port::plug(&path);
    (folder, path, port)
}

/// The program for QS at a port.
fn qs_at(path: &Path) -> Stage {
    let stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    stage
}

#[test]
fn names_that_come_late_are_given_to_older_rows() {
    let (_folder, path, mut port) = plugged();
    let mut stage = qs_at(&path);
    let bytes = bytes_of("oven-734-nodict.bin");
    // The names arrive at 0x76d2.
    let (nameless, named) = bytes.split_at(0x7000);
    port.send_slowly(nameless, 1_000, Duration::from_millis(5));
    stage.types("2");
    stage.shows("no name");
    stage.types("1g");
    stage.shows("AO-Subsc 0x411340");
    port.send_slowly(named, 1_000, Duration::from_millis(5));
    stage.shows("2 001 rec");
    stage.shows_not("0x411340");
    stage.shows("AO-Subsc motor");
    stage.types("2");
    stage.shows("AO(l_super)");
    stage.shows_not("no name");
}

#[test]
fn who_joins_late_gets_guessed_sizes_at_once_and_names_when_they_come() {
    let (_folder, path, mut port) = plugged();
    let mut stage = qs_at(&path);
    let bytes = bytes_of("oven-734-nodict.bin");
    // The target's information about itself is over; the names arrive at 0x76d2.
    let (nameless, named) = (&bytes[10_557..0x7000], &bytes[0x7000..]);
    port.send_slowly(nameless, 500, Duration::from_millis(5));
    stage.shows("No target info yet. Guess 100 %: ");
    stage.shows("sizes: guess");
    stage.types("g");
    stage.shows("stream begins in the middle of a frame");
    stage.shows("AO-Post  0x4110A0");
    stage.shows_not("does not fit");
    stage.types("2");
    stage.shows("no name");
    stage.types("1");
    port.send_slowly(named, 500, Duration::from_millis(5));
    // The rows at the top of the list did not move, and show the names.
    stage.shows("stream begins in the middle of a frame");
    stage.shows_not("0x4110A0");
    stage.shows("AO-Post  super ");
    stage.types("5");
    stage.shows("adds up");
    stage.shows("bad frames 0");
}

#[test]
fn a_port_shows_what_comes() {
    let (_folder, path, mut port) = plugged();
    let args = ["--proto", "qs", "--port", path.to_str().unwrap(), "--baud", "921600"];
    let mut stage = spytui(args).start();
    stage.shows("ttyTEST 921600   ● live");
    port.send(&bytes_of("oven-734.bin"));
    shows_all_of_oven(&mut stage);
    stage.types("g");
    stage.shows("══ link up ");
}

#[test]
fn a_port_that_goes_away_comes_back_by_itself() {
    let (_folder, path, mut port) = plugged();
    let mut stage = qs_at(&path);
    let bytes = bytes_of("oven-734.bin");
    let (before, after) = bytes.split_at(0x5b00);
    port.send(before);
    stage.shows(" 975 rec");
    drop(port);
    stage.shows("no link, retry ");
    stage.shows("══ link down ");
    stage.shows("ttyTEST does not exist.");
    let mut port = Port::plug(&path);
    stage.shows("live");
    stage.shows("══ link up ");
    stage.shows(", down for ");
    port.send(after);
    stage.types("5");
    stage.shows("adds up");
    stage.types("1G");
    stage.shows("follow");
    stage.shows("QF   Tick");
}

#[test]
fn rows_that_are_written_have_the_time_at_which_they_came() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut stage = spytui(["--proto", "qs", "--tcp", &address]).start();
    let (mut peer, _) = server.accept().unwrap();
    peer.write_all(&bytes_of("oven-734.bin")).unwrap();
    stage.shows("2 360 rec");
    let folder = folder();
    let path = folder.path().join("rows.jsonl");
    stage.command(&format!("write {}", path.display()));
    let written = || std::fs::read_to_string(&path).unwrap_or_default();
    let is_record = |line: &&str| line.starts_with("{\"type\":\"record\"");
    stage.until("all rows in the file", |_| {
        let text = written();
        text.ends_with('\n') && text.lines().filter(is_record).count() == 2360
    });
    assert!(written().lines().filter(is_record).all(|line| line.contains("\"host\":")));
}

#[test]
fn a_server_is_connected_to() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut stage = spytui(["--proto", "qs", "--tcp", &address]).start();
    let (mut peer, _) = server.accept().unwrap();
    stage.shows("live");
    peer.write_all(&bytes_of("oven-734.bin")).unwrap();
    shows_all_of_oven(&mut stage);
    drop(peer);
    stage.types("G");
    stage.shows("══ link down ");
    // It returns by itself.
    let (mut peer, _) = server.accept().unwrap();
    stage.shows("live");
    peer.write_all(&bytes_of("oven-734.bin")).unwrap();
    stage.shows("4 720 rec");
    stage.command("goto #2300");
    stage.command("goto reset");
    stage.shows("══ target reset, epoch 2 · QP 7.3.3 build 261120_100946");
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_client_is_waited_for() {
    let number = free_port();
    let mut stage = spytui(["--proto", "qs", "--listen", &number.to_string()]).start();
    stage.shows(&format!("listen 127.0.0.1:{number}: nobody yet; this machine only, for boards"));
    stage.shows("waiting");
    let mut client = TcpStream::connect(("127.0.0.1", number)).unwrap();
    stage.shows("live");
    stage.shows_not("nobody yet");
    client.write_all(&bytes_of("oven-734.bin")).unwrap();
    shows_all_of_oven(&mut stage);
    // It disconnects in the middle of a frame.
    client.write_all(&[1, 2, 3]).unwrap();
    drop(client);
    stage.types("G");
    stage.shows("frame cut off by the disconnect · 3 B");
    stage.shows(": the other side closed the connection ══");
    stage.types("9");
    stage.shows("nobody yet; this machine only");
    stage.shows("the other side closed the connection.");
    stage.shows_not(&format!("listen 127.0.0.1:{number}:"));
}

#[test]
fn datagrams_of_each_sender_are_a_source() {
    let number = free_port();
    let mut stage = spytui(["--proto", "qs", "--udp", &number.to_string()]).start();
    stage.shows("udp :");
    let bytes = bytes_of("oven-734.bin");
    let send = |bytes: &[u8]| {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        for piece in bytes.chunks(1_000) {
            socket.send_to(piece, ("127.0.0.1", number)).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
        socket
    };
    let _first = send(&bytes);
    shows_all_of_oven(&mut stage);
    let _second = send(&bytes[..0x5b00]);
    stage.shows("new source; ) shows the next one");
    stage.types(")");
    stage.shows("source 2 of 2");
    stage.shows(" 975 rec");
    // Each source keeps its position.
    stage.types("(");
    stage.shows("2 360 rec");
    stage.shows("#418 @0x25e9");
    stage.command("show 2");
    stage.shows(" 975 rec");
    stage.command("show 3");
    stage.shows("unknown source 3; available: 1 ");
}

#[test]
fn stdin_is_read_while_the_terminal_has_the_keys() {
    // The shell puts the capture on stdin; keys come from the controlling terminal.
    let binary = env!("CARGO_BIN_EXE_spytui");
    let script = format!("exec {binary} --proto qs - < {}", crate::rig::capture("oven-734.bin").display());
    let mut stage = crate::rig::program("sh", ["-c", &script]).start();
    shows_all_of_oven(&mut stage);
    stage.shows("stdin");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
}

#[test]
fn a_fifo_and_a_growing_file_are_followed() {
    let folder = folder();
    let path = folder.path().join("grows.bin");
    let bytes = bytes_of("oven-734.bin");
    let mut file = File::create(&path).unwrap();
    file.write_all(&bytes[..0x5b00]).unwrap();
    let stage = spytui(["--proto", "qs", "--follow", "--file", path.to_str().unwrap()]).start();
    stage.shows(" 975 rec");
    file.write_all(&bytes[0x5b00..]).unwrap();
    stage.shows("2 360 rec");

    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let stage = spytui(["--proto", "qs", "--file", fifo.to_str().unwrap()]).start();
    let mut writer = File::options().write(true).open(&fifo).unwrap();
    writer.write_all(&bytes).unwrap();
    stage.shows("2 360 rec");
}

#[test]
fn the_bytes_of_a_file_show_the_decoder() {
    for (file, header, said) in [
        ("qs/tests/captures/oven-734.bin", "QS 7.3.3  oven-734.bin", " qs, 100 % of the bytes fit: "),
        (
            "rkh-trazer/tests/captures/gh340-default.bin",
            "RKH 3.4.00  gh340-default.bin",
            " rkh, 100 % of the bytes fit: ",
        ),
        ("tband/tests/captures/boiler_drops.bin", "TBAND", " tband, 100 % of the bytes fit: "),
    ] {
        let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders")).join(file);
        let mut stage = spytui([path.as_os_str()]).start();
        stage.shows(header);
        stage.shows(said);
        stage.types("G");
        stage.shows("100 %");
    }
}

#[test]
fn the_bytes_of_a_port_show_the_decoder_late() {
    let (_folder, path, mut port) = plugged();
    let mut stage = spytui(["--port", path.to_str().unwrap(), "--record", "kept"]).start();
    stage.shows("AUTO  ttyTEST 115200   ● live");
    port.send(&bytes_of("oven-734.bin"));
    stage.shows(" qs, ");
    shows_all_of_oven(&mut stage);
    stage.command("q");
    assert_eq!(stage.code(), 0);
    // The recording began before the decoder was known, but names it anyway.
    let meta = std::fs::read_to_string(stage.home.path().join("kept.meta")).unwrap();
    assert!(meta.contains("\"qs\""), "{meta}");
}

#[test]
fn the_name_of_a_file_need_not_be_utf_8() {
    let folder = folder();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"od\xffd.bin"));
    std::fs::write(&path, bytes_of("oven-734.bin")).unwrap();
    let mut stage = spytui(["--proto".as_ref(), "qs".as_ref(), path.as_os_str()]).start();
    shows_all_of_oven(&mut stage);
    stage.shows("QS 7.3.3  od");
}

#[test]
fn lost_buffers_are_counted_in_buffers() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/qnx/tests/captures/gaps-damaged.kev");
    let mut stage = spytui([file]).start();
    stage.shows("QNX kev 6.5.0  2 CPU");
    stage.shows("buffers lost ≥3  short 4  unbalanced 5  skipped 96 B");
    stage.shows("drops n/a");
    stage.command("filter cpu:1 kind:MSG_SENDV");
    stage.shows("short buffer");
    stage.types("a");
    stage.types("ggx");
    stage.until("the short buffer", |stage| stage.cursor_line().contains("short buffer, 1 event missing in buffer 2"));
    stage.types("x");
    stage.until("parts of events", |stage| stage.cursor_line().contains("parts without begin or end"));
    stage.types("5");
    for line in ["buffers lost ≥3 in 2 places", "short buffers 4", "missing events 8", "unbalanced cont 1"] {
        stage.shows(line);
    }
    stage.resize(120, 70);
    for line in ["short buffer, 1 event missing", "80 B skipped", "parts without begin or end, 32 B", " 2 buffers"] {
        stage.shows(line);
    }
}

#[test]
fn masked_events_are_left_out_but_counted() {
    let captures = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/qnx/tests/captures");
    let mask = "kprof=0040000000000800000000000000000000000100000000000000000000000000";
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_spytui"))
        .args(["decode", "--proto", "qnx", "--stats=json", "-o", mask, &format!("{captures}/classic-nto1.bin")])
        .output()
        .unwrap();
    assert_eq!(out.stdout.iter().filter(|&&byte| byte == b'\n').count(), 217);
    let stats = String::from_utf8(out.stderr).unwrap();
    assert!(stats.contains("\"records\":260") && stats.contains("\"masked\":43"), "{stats}");
}

#[test]
fn a_trace_of_a_kernel_shows_threads_and_calls() {
    let mut stage = spytui(["--file", &demo_capture("qnx.kev")]).start();
    stage.shows("QNX kev 6.4.1  2 CPU  qnx.kev  20.7 kB");
    stage.shows("running");
    stage.command("filter kind:MSG_SENDV");
    stage.shows("MSG_SENDV");
}

#[test]
fn events_that_a_target_drops_are_counted() {
    let mut stage = spytui(["--file", &demo_capture("tband.bin")]).start();
    stage.shows("TBAND FreeRTOS  tband.bin  9.8 kB");
    stage.shows("records of names and sizes · Enter");
    stage.types("gjj\r");
    stage.shows("SysTick");
    stage.until("drops", |stage| stage.screen().contains("drops 22 in 2 places"));
    stage.types("x");
    stage.until("the cursor on them", |stage| {
        stage.cursor_line().contains("17 events dropped by the target (total 17)")
    });
    stage.types("x");
    stage.until("the cursor on the next ones", |stage| {
        stage.cursor_line().contains("5 events dropped by the target (total 22)")
    });
}

#[test]
fn each_file_gets_its_own_decoder_if_none_is_named() {
    let (qs, rkh) = (crate::rig::capture("oven-734.bin"), rkh_capture());
    let mut stage = spytui([&qs, &rkh]).start();
    stage.shows("2 360 rec");
    stage.types(")");
    stage.until("RKH", |stage| stage.screen().starts_with(" RKH"));
    stage.until("its records", |stage| !stage.screen().contains(" 0 rec"));
    stage.command(&format!("open {}", qs.display()));
    stage.until("QS", |stage| stage.screen().starts_with(" QS"));
    stage.shows("2 360 rec");
    stage.command(&format!("open {}", rkh.display()));
    stage.until("RKH", |stage| stage.screen().starts_with(" RKH"));
    stage.until("its records", |stage| !stage.screen().contains(" 0 rec"));
}

/// A capture that `--demo` replays without a target.
pub fn demo_capture(name: &str) -> String {
    format!("{}/assets/demo/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn rkh_capture() -> std::path::PathBuf {
    let captures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/rkh-trazer/tests/captures");
    captures.join("gh340-default.bin")
}

#[test]
fn several_links_at_once() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let home = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, home.path());
    // A recording is of one link.
    command.args(["record", "-O", "x", "--tcp", &address, "--file", "x.bin"]).stdin(Stdio::null());
    assert_eq!(command.output().unwrap().status.code(), Some(2));

    let file = crate::rig::capture("oven-734.bin");
    let mut stage = spytui(["--proto", "qs", "--file", file.to_str().unwrap(), "--tcp", &address]).start();
    let (mut peer, _) = server.accept().unwrap();
    // Without cores, they are independent.
    stage.shows("source 1 of 2");
    stage.shows("QS 7.3.3  oven-734.bin");
    stage.shows("2 360 rec");
    peer.write_all(&bytes_of("oven-815.bin")).unwrap();
    stage.types(")");
    stage.shows("source 2 of 2, #1: tcp 127.0.0.1:");
    stage.shows("1 997 rec");
    stage.types("(");
    stage.shows("2 360 rec");
    stage.shows("QS 7.3.3  oven-734.bin");
}

#[test]
fn a_file_whose_name_is_no_utf_8_can_be_opened() {
    let folder = folder();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9 \x1b[2J.bin");
    std::fs::write(folder.path().join(name), bytes_of("oven-734.bin")).unwrap();
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.types(&format!(":open {}/ca", folder.path().display()));
    stage.shows("caf\\xE9 \\x1B[2J.bin");
    stage.types("\t\r");
    stage.shows("source 2 of 2");
    stage.command("q");
}

/// A capture of the QNX decoder.
fn kernel_capture(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qnx/tests/captures").join(name)
}

#[test]
fn interrupts_and_kernel_calls_end_in_the_gutter() {
    for name in ["fast-2cpu.kev", "gaps-damaged.kev"] {
        let mut stage = spytui([kernel_capture(name)]).start();
        stage.shows("QNX kev");
        stage.types("G");
        for _ in 0..8 {
            stage.settles();
            let screen = stage.screen();
            assert!(!screen.contains('┊'), "{name}:\n{screen}");
            stage.types("\x1b[5~");
        }
        assert!(stage.screen().contains('└'));
    }
}

#[test]
fn classes_with_one_tag_are_one_line_of_the_counters() {
    let mut stage = spytui([kernel_capture("fast-2cpu.kev")]).start();
    stage.types("5");
    // 150 of KER_CALL, 150 of KER_EXIT, 1 of INT_CALL.
    stage.shows(" CALL         301       4 816  24.4 %");
}

#[test]
fn durations_of_kernel_calls_are_reported_by_thread_and_call() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_spytui"))
        .arg("stats")
        .arg(kernel_capture("fast-2cpu.kev"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let heads = text.lines().find(|line| line.starts_with("thread")).unwrap();
    assert_eq!(heads.split_whitespace().collect::<Vec<_>>()[..3], ["thread", "call", "count"]);
}

/// Line 13 of the working week: a live kernel trace.
#[test]
fn a_kernel_is_followed_live() {
    let number = free_port();
    let mut stage = spytui(["--proto", "qnx", "--listen", &number.to_string()]).start();
    stage.shows("nobody yet");
    let mut client = TcpStream::connect(("127.0.0.1", number)).unwrap();
    client.set_nodelay(true).unwrap();
    for piece in std::fs::read(kernel_capture("fast-2cpu.kev")).unwrap().chunks(7) {
        client.write_all(piece).unwrap();
    }
    stage.shows("981 rec");
    // Seconds since the first record, not since the target's start.
    stage.command("goto 0.000858s");
    stage.shows(" 0.000 858 69   +7.13 1  CALL ┌MSG_SENDV   main:1");
    stage.command("goto 0.0008687s");
    stage.shows(" +0.14 1  CALL └MSG_REPLYV  io-pkt-…hc:3 ok  took 3.81us");
    stage.command("filter cpu:1 dt>5us");
    stage.shows("filter core:1 dt>5us  hides 857");
}

#[test]
fn drops_of_a_kernel_without_a_total_are_reported() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/qnx/tests/captures/smp-8.0.kev");
    let mut stage = spytui([file]).start();
    stage.shows("skipped 0 B  drops ≥1");
    stage.shows("202 rec");
    stage.types("ggx");
    stage.until("the drop", |stage| stage.screen().contains("events dropped by the target: DROPPED 281"));
    stage.types("5");
    stage.shows("target drops ≥1 in 1 place");
    stage.shows(" ≥1 record lost in the target: its buffer was full");
}
