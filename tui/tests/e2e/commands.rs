//! Commands to a target: typed ones are obeyed, errors are reported, and nothing untyped is sent.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::lines::run;
use crate::port::Port;
use crate::rig::{Stage, bytes_of, file_args, folder, spytui};
use crate::target::Target;

/// A filter of a protocol: off, on, and the group in jsonl.
struct Filter {
    proto: &'static str,
    off: &'static str,
    on: &'static str,
    group: &'static str,
}

const QS: Filter = Filter { proto: "qs", off: "-SM", on: "+SM", group: "SM" };
const RKH: Filter = Filter { proto: "rkh", off: "-SMA", on: "+SMA", group: "SMA" };
const TBAND: Filter = Filter { proto: "tband", off: "-queue", on: "+queue", group: "QUE" };
const QNX: Filter = Filter { proto: "qnx", off: "-COMM", on: "+COMM", group: "COMM" };

/// The program with an obedient target, recording.
struct Session {
    stage: Stage,
    folder: TempDir,
}

impl Session {
    fn start(link: &[&str]) -> Session {
        let folder = folder();
        let record: [OsString; 2] = ["--record".into(), folder.path().join("run.bin").into()];
        let stage = spytui(link.iter().map(OsString::from).chain(record)).size(100, 30).start();
        Session { stage, folder }
    }

    /// Sends a filter, and waits for its answer and some records after it.
    fn filter(&mut self, number: u32, spec: &str) {
        self.stage.command(&format!("target filter {spec}"));
        self.stage.shows(&format!("#{number} filter acknowledged after "));
        let records = records(&self.stage);
        self.stage.until("more records", |stage| records_of(stage) > records + 20);
    }

    /// The rows of the recording.
    fn quit(mut self) -> Recording {
        self.stage.command("q");
        assert_eq!(self.stage.code(), 0);
        let path = self.folder.path().join("run.bin");
        let output = run(["decode".as_ref(), "--format".as_ref(), "jsonl".as_ref(), path.as_os_str()]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let rows = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Recording { rows, folder: self.folder }
    }
}

struct Recording {
    rows: Vec<Value>,
    folder: TempDir,
}

impl Recording {
    /// Index of a command's result row.
    fn result(&self, number: u32) -> usize {
        let is_it = |row: &Value| {
            row["kind"] == "result" && row["text"].as_str().unwrap().starts_with(&format!("#{number} filter ack"))
        };
        self.rows.iter().position(is_it).unwrap_or_else(|| panic!("no result {number}"))
    }

    /// Records of a group in a part of the recording.
    fn of_group(&self, part: std::ops::Range<usize>, group: &str) -> usize {
        self.rows[part].iter().filter(|row| row["group"] == group).count()
    }

    /// The group appears before the first filter and after the second one, but not between them. Records in the
    /// target's buffer may come first.
    fn shows_that_it_obeyed(&self, group: &str) {
        let (off, on) = (self.result(1), self.result(2));
        let command = self.rows.iter().rposition(|row| row["kind"] == "command").unwrap();
        assert!(self.of_group(0..off, group) > 0);
        assert_eq!(self.of_group(off..command, group), 0);
        assert!(self.of_group(on..self.rows.len(), group) > 0);
    }
}

/// A header figure before a unit; blanks group its digits.
fn figure(stage: &Stage, unit: &str) -> Option<u64> {
    let screen = stage.screen();
    let before = screen.lines().take(2).filter_map(|line| Some(line.split_once(unit)?.0));
    let figures = before.map(|head| head.rsplit("  ").next().unwrap_or_default().replace(' ', ""));
    figures.filter_map(|digits| digits.parse().ok()).next()
}

fn records_of(stage: &Stage) -> u64 {
    figure(stage, " rec").unwrap_or(0)
}

fn records(stage: &Stage) -> u64 {
    stage.until("records", |stage| records_of(stage) > 0);
    records_of(stage)
}

/// Off and on again over a link; the recording proves the rest.
fn obeys(link: &[&str], filter: &Filter) -> Recording {
    let mut session = Session::start(link);
    session.stage.until("records", |stage| records_of(stage) > 100);
    session.filter(1, filter.off);
    session.filter(2, filter.on);
    let recording = session.quit();
    recording.shows_that_it_obeyed(filter.group);
    recording
}

#[cfg(feature = "demo-target")]
#[test]
fn the_demo_obeys_and_the_screen_shows_it() {
    if !spytui_demo_target::AVAILABLE {
        return;
    }
    let mut session = Session::start(&["--demo", "qs"]);
    session.stage.until("records", |stage| records_of(stage) > 100);
    let least = least_rate(&session.stage, Duration::from_secs(2));
    assert!(least > 100, "{least}");
    session.stage.types(":target filter -SM");
    session.stage.shows("the target's filter is unknown: ");
    session.stage.shows(" assumed off, the rest on · 21 B");
    session.stage.types("\r");
    session.stage.shows("#1 filter acknowledged after ");
    session.stage.shows(" off, too: none of them arrived");
    // The answer is a record, the result a row; both are on the screen.
    session.stage.shows("RX   Trg-Ack");
    session.stage.shows("══ #1 target filter -SM · typed · 21 B");
    session.stage.shows("══ #1 filter acknowledged after ");
    session.stage.until("a rate that falls", |stage| figure(stage, " B/s").is_some_and(|rate| rate * 10 < least * 9));
    session.stage.until("what is off", |stage| {
        stage.screen().lines().nth(1).is_some_and(|header| header.contains("SM, ") && header.contains(" off"))
    });
    session.stage.types("6");
    session.stage.shows("[ ] SM  state machines");
    session.stage.types("1");
    session.filter(2, "+SM");
    session.stage.until("the rate of before", |stage| figure(stage, " B/s").is_some_and(|rate| rate >= least));
    let recording = session.quit();
    recording.shows_that_it_obeyed("SM");

    // The recording contains both rows, on the screen too.
    let path = recording.folder.path().join("run.bin");
    let mut stage = spytui([path.as_os_str()]).start();
    stage.shows("file 100 %");
    stage.types("g/#2 filter\r");
    stage.shows("══ #2 filter acknowledged after ");
    stage.shows("══ #2 target filter +SM · typed · 21 B · changes the filter last acknow");
}

/// The lowest rate in the header during this time.
#[cfg(feature = "demo-target")]
fn least_rate(stage: &Stage, time: Duration) -> u64 {
    // What a target sends at its start is shown in kB.
    stage.until("a rate in bytes", |stage| figure(stage, " B/s").is_some());
    let start = Instant::now();
    let mut least = u64::MAX;
    while start.elapsed() < time {
        least = least.min(figure(stage, " B/s").unwrap_or(u64::MAX));
        std::thread::sleep(Duration::from_millis(50));
    }
    least
}

#[cfg(feature = "demo-target")]
#[test]
fn the_demo_obeys_in_every_protocol() {
    if !spytui_demo_target::AVAILABLE {
        return;
    }
    std::thread::scope(|scope| {
        for filter in [&RKH, &TBAND, &QNX] {
            scope.spawn(move || obeys(&["--demo", filter.proto], filter));
        }
    });
}

#[test]
fn a_target_program_obeys_through_a_port_and_tcp() {
    std::thread::scope(|scope| {
        for filter in [&QS, &RKH, &TBAND, &QNX] {
            for (link, option) in [("pty", "--port"), ("tcp:127.0.0.1:0", "--tcp")] {
                scope.spawn(move || {
                    let Some(target) = Target::start(filter.proto, link) else { return };
                    obeys(&["--proto", filter.proto, option, &target.place], filter);
                });
            }
        }
    });
}

/// A server that sends, and keeps what it receives.
struct Peer {
    stage: Stage,
    stream: TcpStream,
}

impl Peer {
    fn start(proto: &str) -> Peer {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap().to_string();
        let stage = spytui(["--proto", proto, "--tcp", &address]).size(100, 30).start();
        let (stream, _) = server.accept().unwrap();
        Peer { stage, stream }
    }

    /// Bytes received from the program within a time.
    fn got(&mut self, time: Duration) -> Vec<u8> {
        let (start, mut got) = (Instant::now(), Vec::new());
        self.stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        while start.elapsed() < time {
            let mut bytes = [0; 256];
            if let Ok(count) = self.stream.read(&mut bytes) {
                got.extend_from_slice(&bytes[..count]);
            }
        }
        got
    }
}

#[test]
fn a_target_without_a_receive_part_is_asked_once_and_that_is_said() {
    let mut peer = Peer::start("qs");
    let bytes = bytes_of("oven-734.bin");
    let (first, rest) = bytes.split_at(bytes.len() - 4_000);
    peer.stream.write_all(first).unwrap();
    peer.stage.until("records", |stage| records_of(stage) > 2_000);
    std::thread::sleep(Duration::from_millis(300));
    peer.stage.command("target filter -SM");
    for piece in rest.chunks(200) {
        peer.stream.write_all(piece).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    let said = "#1 filter sent, no answer for 1";
    peer.stage.shows(&format!(" {said}"));
    peer.stage.shows("No receive part in this target? Filter is unknown; use :filter.");
    peer.stage.shows(&format!("══ {said}"));
    let got = peer.got(Duration::from_millis(200));
    assert_eq!((got.len(), &got[..3]), (21, &[1, 10, 16][..]), "one frame, never sent again: {got:?}");
    // The next change begins with the assumed state, like the first one.
    peer.stage.types(":target filter -SM");
    peer.stage.shows("the target's filter is unknown: ");
    peer.stage.shows(" assumed off, the rest on");
}

/// A QS acknowledgement has no number: at 110 baud a frame takes 1.9 s, so earlier answers belong to the previous
/// command.
#[test]
fn a_late_answer_is_not_taken_for_one_to_the_next_command() {
    let folder = folder();
    let path = folder.path().join("port");
    let mut port = Port::plug(&path);
    let args =
        ["--proto".as_ref(), "qs".as_ref(), "--baud".as_ref(), "110".as_ref(), "--port".as_ref(), path.as_os_str()];
    let mut stage = spytui(args).size(100, 30).start();
    stage.shows("live");
    port.send(&bytes_of("oven-734.bin"));
    stage.until("records", |stage| records_of(stage) > 2_000);
    let acknowledge = |port: &mut Port, seq: u8| {
        let sum = [seq, 66, 10].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        port.send(&[seq, 66, 10, !sum, 0x7E]);
    };
    stage.command("target filter -SM");
    port.receives(21);
    stage.shows("══ #1 filter sent, no answer for ");
    stage.command("target filter -AO");
    port.receives(21);
    acknowledge(&mut port, 57);
    stage.shows("══ #1 filter acknowledged late, after ");
    stage.has_never_shown("#2 filter ack");
    // Its frame has left the line.
    std::thread::sleep(Duration::from_secs(2));
    acknowledge(&mut port, 58);
    stage.shows("══ #2 filter acknowledged after ");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_sent() {
    let mut peer = Peer::start("qs");
    peer.stream.write_all(&bytes_of("oven-734.bin")).unwrap();
    peer.stage.shows("2 360 rec");
    for (line, message) in [
        ("filter -SN", "no \"SN\" in the global filter: SM AO EQ "),
        ("event mottor 5", "no name \"mottor\" in the dictionary: "),
        ("current ao motr", "nearest: motor"),
        ("tick 256", "RATE is a number from 0 to 255"),
        ("infos", "the target has no command \"infos\"; nearest: info"),
    ] {
        peer.stage.types(&format!(":target {line}"));
        // While typing, and on Enter.
        peer.stage.types("\r");
        peer.stage.shows(message);
        peer.stage.shows(&format!(":target {line}"));
        peer.stage.types("\x07");
        peer.stage.shows_not(&format!(":target {line}"));
    }
    // Dangerous commands need a second Enter, and Esc cancels them.
    peer.stage.command("target reset");
    peer.stage.shows("Enter again sends 4 B, Esc does not");
    peer.stage.types("\x07");
    peer.stage.shows_not("Enter again");
    assert_eq!(peer.got(Duration::from_millis(300)), Vec::<u8>::new());
    // The server disappears.
    drop(peer.stream);
    peer.stage.shows("no link, retry ");
    peer.stage.command("target info");
    peer.stage.shows("the link is down: nothing is sent");
}

#[test]
fn a_file_has_no_target_and_that_is_said_at_once() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("file 100 %");
    stage.types(":target info");
    stage.shows("this link only reads: there is no target to send to");
    stage.types("\r");
    stage.shows(":target info");
    stage.shows("this link only reads: there is no target to send to");
}

/// Whatever a stream contains, such as answers to commands that nobody sent, resets or frames of others: it causes no
/// sending.
#[test]
fn nothing_that_comes_from_a_target_sends_anything() {
    let mut echo = bytes_of("oven-734-rx.bin");
    // Frames of a host, as if echoed by the line.
    echo.extend_from_slice(&[1, 0, 0xFE, 0x7E, 2, 2, 0xFB, 0x7E]);
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware/tests/captures");
    let stream = |name: &str| std::fs::read(firmware.join(name)).unwrap();
    // A ping of the companion and a trace event command, as if echoed by the line.
    let companion = b"\x7e\x20\x01\xc8\x0b\x7e";
    let streams = [
        ("qs", echo),
        ("rkh", [&stream("demo.rkh"), &companion[..]].concat()),
        ("tband", [&stream("demo.tband"), &companion[..]].concat()),
        ("qnx", [&stream("demo.qnx"), &b"5 tev 11\n"[..]].concat()),
    ];
    std::thread::scope(|scope| {
        for (proto, bytes) in &streams {
            scope.spawn(move || {
                let mut peer = Peer::start(proto);
                peer.stream.write_all(bytes).unwrap();
                peer.stage.until("records", |stage| records_of(stage) > 50);
                // Keys send nothing either.
                peer.stage.types("125 9 1jjkkgGaaA\x07");
                assert_eq!(peer.got(Duration::from_millis(700)), Vec::<u8>::new(), "{proto}");
            });
        }
    });
}

/// Names from a target reach the terminal only as text, whether offered, typed or shown.
#[test]
fn hostile_names_are_only_text_on_the_screen() {
    let object = |address: u8, name: &[u8]| {
        let mut plain = [&[1, 61, address, 0, 0, 0x20], name, &[0]].concat();
        plain.push(!plain.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
        plain.push(0x7E);
        plain
    };
    let long = vec![b'x'; 60_000];
    let names: [&[u8]; 4] = [b"\x1b[2Jevil", b"two \xe2\x80\xae words", b"\x9b31mred", &long];
    let mut stream = vec![1, 0, 0xFE, 0x7E];
    (0..).zip(names).for_each(|(address, name)| stream.extend(object(address, name)));
    let mut peer = Peer::start("qs");
    peer.stream.write_all(&stream).unwrap();
    peer.stage.until("records", |stage| records_of(stage) >= 5);
    peer.stage.types(":target current ao ");
    peer.stage.shows("current KIND OBJECT");
    peer.stage.shows("two ");
    peer.stage.types("\t\r");
    // It has no answer, and its row contains no name.
    peer.stage.shows("#1 current sent, no answer for ");
    peer.stage.types("2");
    peer.stage.settles();
    let raw = peer.stage.raw();
    for name in &names[..3] {
        assert!(!raw.windows(name.len()).any(|part| part == *name), "{}", String::from_utf8_lossy(name));
    }
}
