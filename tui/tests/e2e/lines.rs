//! Without a terminal on stdout: formats, exit codes, pipes.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::rig::{bytes_of, capture, folder, set_environment};

pub fn command<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/home-of-lines")));
    command.args(args).stdin(Stdio::null()).current_dir(capture(""));
    command
}

pub fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    command(args).output().unwrap()
}

/// Exit code and stderr.
fn refused(args: &[&str]) -> (i32, String) {
    let output = run(args);
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn every_format_is_that_of_decode() {
    for format in ["native", "reference", "jsonl", "csv"] {
        let decoded = run(["decode", "--proto", "qs", "--format", format, "oven-734.bin"]);
        let lines = run(["--proto", "qs", "--format", format, "oven-734.bin"]);
        assert_eq!((decoded.status.code(), lines.status.code()), (Some(0), Some(0)), "{format}");
        assert!(decoded.stdout == lines.stdout, "{format} differs");
        assert!(decoded.stdout.len() > 50_000 && lines.stderr.is_empty(), "{format}");
    }
}

/// A filter that keeps every line changes none: also not where the target tells its clock in mid-stream.
#[test]
fn lines_do_not_depend_on_a_filter_that_keeps_them() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/tband/tests/captures/boiler_drops.bin");
    let all = run(["decode", "--proto", "tband", file]);
    let kept = run(["decode", "--proto", "tband", "--filter", "core:0", file]);
    assert_eq!(all.stdout.iter().filter(|&&b| b == b'\n').count(), 360);
    assert_eq!(String::from_utf8_lossy(&all.stdout), String::from_utf8_lossy(&kept.stdout));
}

/// Info of a QS target with pointers of so many bytes.
fn info(reset: u8, version: u16, pointer: u8) -> [u8; 16] {
    let [low, high] = version.to_le_bytes();
    [reset, low, high, 0x22, 0x41, 0x22, pointer * 0x11, 4, 32, 0x23, 9, 30, 14, 20, 11, 26]
}

/// Objects of a stream that begins with the info of a target of some version.
fn objects(version: u16, records: &[(u8, &[u8])]) -> Vec<serde_json::Value> {
    let start = [(0, &[][..]), (64, &info(0xFF, version, 4)[..])];
    decoded(&[&start, records].concat(), "").split_off(2)
}

/// Objects of a stream of records; nothing in it may need an escape.
fn decoded(records: &[(u8, &[u8])], filter: &str) -> Vec<serde_json::Value> {
    let mut bytes = Vec::new();
    for (seq, (id, payload)) in (1u8..).zip(records) {
        let sum = payload.iter().fold(id.wrapping_add(seq), |sum, b| sum.wrapping_add(*b));
        bytes.extend([&[seq, *id][..], payload, &[!sum, 0x7E]].concat());
    }
    let folder = folder();
    std::fs::write(folder.path().join("made.bin"), bytes).unwrap();
    let args = ["decode", "--proto", "qs", "--format", "jsonl", "made.bin", "--filter", filter];
    let output = command(args).current_dir(folder.path()).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn kinds_have_the_name_and_number_of_their_version() {
    const RECORD: &[u8] = &[1, 0, 0, 0, 1, 7];
    let kinds = |version: u16, records: &[(u8, &[u8])]| -> Vec<String> {
        objects(version, records).iter().map(|o| format!("{} {}", o["id"], o["kind"].as_str().unwrap())).collect()
    };
    let new = kinds(734, &[(109, RECORD), (124, RECORD), (43, &[]), (90, &[]), (48, RECORD)]);
    assert_eq!(new, ["109 USER+9", "124 USER+24", "43 QS_QF_INT_DISABLE", "90 QS_RESERVED", "48 QS_SCHED_PREEMPT"]);
    let old = kinds(650, &[(70, RECORD), (74, RECORD), (113, RECORD), (48, RECORD)]);
    assert_eq!(old, ["70 USER+0", "74 USER+4", "113 USER+43", "48 QS_MUTEX_LOCK"]);
    assert_eq!(kinds(700, &[(81, &[])]), ["81 QS_RESERVED"]);
    let start = (64, &info(0xFF, 650, 4)[..]);
    assert_eq!(decoded(&[(0, &[]), start, (70, RECORD), (113, RECORD)], "kind:70").len(), 1);
    let text = objects(650, &[(63, b"FFIRST\0"), (70, RECORD)])[1]["text"].to_string();
    assert!(text.contains("FIRST 7"), "{text}");
}

#[test]
fn the_signal_of_an_element_comes_with_its_object() {
    let signal: &[u8] = &[1, 0, 0, 0, 0x0A, 5, 0, 0x11, 0, 0, 0, 0x1A, 6, 0, 0, 0, 0, 0];
    let items = &objects(734, &[(100, signal)])[0]["items"];
    assert_eq!(items.to_string(), r#"[{"obj":17,"t":10,"v":5,"w":0},{"t":10,"v":6,"w":1}]"#);
}

#[test]
fn what_a_target_tells_late_holds_for_the_epoch_it_was_told_in() {
    let entry: &[u8] = &[&[0x11u8][..], &[0; 7], &[0x22], &[0; 7]].concat();
    let records: [(u8, &[u8]); 5] =
        [(1, entry), (64, &info(0, 734, 8)), (0, &[]), (64, &info(0xFF, 734, 8)), (1, entry)];
    let rows = decoded(&records, "");
    let entries: Vec<String> = rows.iter().filter(|r| r["id"] == 1).map(|r| r["fields"].to_string()).collect();
    assert_eq!(entries, [r#"{"obj":17,"state":34}"#; 2]);
}

#[test]
fn lines_are_flushed_as_they_come() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    for format in ["native", "reference", "jsonl", "csv"] {
        let mut child = command(["--proto", "qs", "--once", "--format", format, "--tcp", &address]);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (mut peer, _) = server.accept().unwrap();
        let bytes = bytes_of("oven-734.bin");
        peer.write_all(&bytes[..0x25f0]).unwrap();
        // The line is there though the stream goes on.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains("Heater_ramp")), "{format}");
        peer.write_all(&bytes[0x25f0..]).unwrap();
        drop(peer);
        assert!(lines.count() > 1_000, "{format}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{format}");
    }
}

/// The program at a UDP port, without a terminal.
struct Listening {
    child: Child,
    address: String,
    lines: mpsc::Receiver<String>,
    /// What it says on stderr.
    said: mpsc::Receiver<String>,
}

impl Listening {
    fn start(args: &[&str]) -> Listening {
        let mut command = command(args.iter().chain(&["--udp", "0"]));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = mpsc::channel();
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        std::thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|l| send.send(l)));
        let (send, said) = mpsc::channel();
        std::thread::spawn(move || BufReader::new(stderr).lines().map_while(Result::ok).try_for_each(|l| send.send(l)));
        // It says on stderr where it listens.
        let line = said.iter().find(|line| line.contains("nothing yet")).unwrap();
        let is_address = |word: &&str| word.starts_with("127.0.0.1:");
        let address = line.split_whitespace().find(is_address).unwrap().trim_end_matches(':').to_owned();
        Listening { child, address, lines, said }
    }

    /// Everything on stderr since the start, after the end.
    fn said(&self) -> String {
        self.said.iter().map(|line| line + "\n").collect()
    }

    /// The next line with all of these in it.
    fn prints(&self, parts: &[&str]) -> String {
        let fits = |line: &String| parts.iter().all(|part| line.contains(part));
        let next =
            || self.lines.recv_timeout(Duration::from_secs(8)).unwrap_or_else(|_| panic!("no line with {parts:?}"));
        std::iter::repeat_with(next).find(fits).unwrap()
    }

    fn stop(&mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It has ended already where all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_sender_is_printed_as_it_comes_with_names_of_its_own() {
    let bytes = bytes_of("oven-734.bin");
    let (names, rest) = bytes[..0x2000].split_at(0x1000);
    for (format, [first, second, again]) in [
        ("native", ["Disp     super", " 1  SM   Disp     0x411080 ", " 0  SM   Disp     super "]),
        ("jsonl", ["DISPATCH", "\"source\":1,", "\"source\":0,"]),
        ("csv", ["record,0,", "record,1,", "record,0,"]),
    ] {
        let mut program = Listening::start(&[&SIZES[..], &["--format", format]].concat());
        let senders = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
        let send =
            |n: usize, bytes: &[u8]| assert_eq!(senders[n].send_to(bytes, &program.address).unwrap(), bytes.len());
        send(0, names);
        program.prints(&[first, "super"]);
        send(1, rest);
        // The names of another target are not its own.
        let line = program.prints(&[second, "sig 15"]);
        assert!(!line.contains("super"), "{format}: {line}");
        send(0, rest);
        program.prints(&[again, "super"]);
        assert_eq!(program.stop(), Some(130), "{format}");
    }
}

#[test]
fn each_sender_is_recorded() {
    let folder = folder();
    let path = folder.path().join("run");
    let mut program = Listening::start(&["--proto", "qs", "--record", path.to_str().unwrap()]);
    let senders = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
    let files = ["oven-734.bin", "oven-815.bin"].map(|name| bytes_of(name)[..0x1000].to_vec());
    for (socket, bytes, line) in [(&senders[0], &files[0], "Disp"), (&senders[1], &files[1], " 1  SM   Disp")] {
        socket.send_to(bytes, &program.address).unwrap();
        program.prints(&[line]);
    }
    assert_eq!(program.stop(), Some(130));
    for (name, bytes) in ["run.bin", "run.s1.bin"].into_iter().zip(&files) {
        assert!(std::fs::read(folder.path().join(name)).unwrap() == *bytes, "{name}");
    }
}

#[test]
fn noise_is_no_source_and_a_recording_that_fails_stops_alone() {
    let folder = folder();
    let runs = folder.path().join("runs");
    std::fs::create_dir(&runs).unwrap();
    std::fs::write(runs.join("run.s1.bin"), b"of an earlier run").unwrap();
    let path = runs.join("run");
    let mut program = Listening::start(&["--proto", "qs", "--record", path.to_str().unwrap()]);
    let senders = [0; 4].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
    let send = |n: usize, bytes: &[u8]| senders[n].send_to(bytes, &program.address).map(drop).unwrap();
    let files = ["oven-734.bin", "oven-815.bin"].map(|name| bytes_of(name)[..0x1000].to_vec());
    send(0, b"M-SEARCH * HTTP/1.1");
    send(1, &files[0]);
    program.prints(&["Disp"]);
    send(2, &files[1]);
    program.prints(&[" 1  SM   Disp"]);
    // No file can be made any more: the third sender is shown all the same.
    let gone = folder.path().join("gone");
    std::fs::rename(&runs, &gone).unwrap();
    send(3, &files[1]);
    program.prints(&[" 2  SM   Disp"]);
    assert_eq!(program.stop(), Some(3));
    for (name, bytes) in ["run.bin", "run.s1-2.bin"].into_iter().zip(&files) {
        assert!(std::fs::read(gone.join(name)).unwrap() == *bytes, "{name}");
    }
    assert_eq!(std::fs::read(gone.join("run.s1.bin")).unwrap(), b"of an earlier run");
    let said = program.said();
    assert!(said.contains("contain no frame; counted, not shown"), "{said}");
    assert!(said.contains("is not recorded") && said.contains("there is no folder"), "{said}");
}

/// The program where files may have 40 blocks of 512 bytes, as on a disk that is nearly full.
fn on_a_small_disk(args: &[&str]) -> Output {
    let home = folder();
    let mut command = Command::new("sh");
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, home.path());
    command.args(["-c", "ulimit -f 40; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_spytui")]).args(args);
    command.stdin(Stdio::null()).current_dir(capture("")).output().unwrap()
}

#[test]
fn a_recording_that_fails_is_said_and_is_the_exit_code() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let alone = run(["--proto", "qs", "oven-734.bin"]);
    let (first, second) = (path("a.bin"), path("b.bin"));
    let said = "a.bin: Recording stopped at 20.4 kB: files may not be larger here (ulimit -f).\n";
    let recorded = on_a_small_disk(&["--proto", "qs", "--record", &first, "oven-734.bin"]);
    let text = String::from_utf8(recorded.stderr).unwrap();
    assert!(text.ends_with(said) && text.lines().count() == 1, "{text}");
    assert_eq!(recorded.status.code(), Some(3));
    assert!(recorded.stdout == alone.stdout, "the rows go on");
    assert!(std::fs::read(&first).unwrap() == bytes_of("oven-734.bin")[..20_480]);

    let recorded = on_a_small_disk(&["record", "-O", &second, "oven-734.bin"]);
    let text = String::from_utf8(recorded.stderr).unwrap();
    assert!(recorded.status.code() == Some(3) && text.contains("b.bin: Recording stopped at 20.4 kB"), "{text}");
    // What is there already is refused before anything is made.
    std::fs::write(path("c.c1.bin"), b"").unwrap();
    let (code, text) = refused(&["--proto", "qs", "--record", &path("c"), "oven-734.bin@0", "oven-734.bin@1"]);
    assert!(code == 3 && text.contains("c.c1.bin exists already"), "{text}");
    assert!(!folder.path().join("c.c0.bin").exists());
}

#[test]
fn recordings_without_a_name_go_to_the_configured_folder_by_time_and_source() {
    let folder = folder();
    let traces = folder.path().join("traces");
    std::fs::create_dir(&traces).unwrap();
    let start = |args: &[&str]| {
        let mut command = command(args);
        command.env("SPYTUI_RECORD_DIR", &traces).env("SPYTUI_RECORD_ROTATE", "30 kB").env("TZ", "XYZ-14");
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    };
    start(&["record", "oven-734.bin"]);
    start(&["record", "oven-734.bin"]);
    let names = std::fs::read_dir(&traces).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".bin")).collect();
    names.sort_by_key(|name| (name.contains(".2."), name.clone()));
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.iter().all(|name| name.len() >= 28 && name[15..].starts_with("-oven-734")), "{names:?}");
    let whole = [&names[0], &names[2]].map(|name| std::fs::read(traces.join(name)).unwrap());
    assert_eq!((whole[0].len(), whole.concat()), (30_000, bytes_of("oven-734.bin")));
    // Local time: 14 hours east of the UTC that the header tells.
    let meta = std::fs::read_to_string(traces.join(names[0].replace(".bin", ".meta"))).unwrap();
    let head: serde_json::Value = serde_json::from_str(meta.lines().next().unwrap()).unwrap();
    let hour = (head["start_ns"].as_u64().unwrap() / 3_600_000_000_000 + 14) % 24;
    assert_eq!(names[0][9..11].parse::<u64>().unwrap(), hour, "{names:?}");
    // A setting that says nothing is refused.
    let wrong = command(["record", "oven-734.bin"]).env("SPYTUI_RECORD_ROTATE", "daily").output().unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("a time, as \"1 h\""));
}

#[test]
fn a_recording_opens_with_the_decoder_and_the_options_it_was_made_with() {
    let folder = folder();
    let path = folder.path().join("run.bin");
    // Without its beginning, a stream does not tell its sizes.
    let rest = folder.path().join("rest.raw");
    std::fs::write(&rest, &bytes_of("oven-734.bin")[0x1000..]).unwrap();
    let (rest, path) = (rest.to_str().unwrap(), path.to_str().unwrap());
    let lines = run(SIZES.iter().chain(&["-o", "ticks-per-second=1000", "--format", "jsonl", "--record", path, rest]));
    assert_eq!(lines.status.code(), Some(0));
    for args in [&["decode", "--format", "jsonl", path][..], &["--headless", "--format", "jsonl", path]] {
        let again = run(args);
        let text = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(again.stdout == lines.stdout && text.is_empty(), "{args:?}: {text}");
    }
    // What the arguments say goes first.
    let other = run(["decode", "--format", "jsonl", "-o", "obj-ptr=4", path]);
    assert!(other.stdout != lines.stdout);
    assert_eq!(refused(&["decode", "--proto", "nothing", path]).0, 2);
    let out = folder.path().join("run.pftrace");
    assert_eq!(run(["export", "perfetto", path, "-o", out.to_str().unwrap()]).status.code(), Some(0));
    assert_eq!(run(["stats", path]).status.code(), Some(0));

    // Two recordings of different decoders are not mixed without a word.
    let second = folder.path().join("other.bin");
    std::fs::copy(path, &second).unwrap();
    let head = std::fs::read_to_string(folder.path().join("run.meta")).unwrap();
    std::fs::write(folder.path().join("other.meta"), head.replacen("\"qs\"", "\"rkh\"", 1)).unwrap();
    let (code, text) = refused(&["decode", path, second.to_str().unwrap()]);
    assert!(code == 2 && text.contains("was recorded with qs") && text.contains("with rkh: open them apart"), "{text}");
}

/// What the target tells first, for streams without their beginning.
const SIZES: [&str; 6] = ["--proto", "qs", "-o", "obj-ptr=8", "-o", "fun-ptr=8"];

#[test]
fn links_of_which_none_names_a_core_have_nothing_to_do_with_each_other() {
    // The second tells names, the first uses them: it is the rest of such a stream.
    let folder = folder();
    let rest = folder.path().join("rest.bin");
    std::fs::write(&rest, &bytes_of("oven-734.bin")[0x1000..]).unwrap();
    let files = [rest.to_str().unwrap(), "oven-734.bin"];
    let output = run(SIZES.iter().chain(&["--format", "jsonl"]).chain(&files));
    let text = String::from_utf8(output.stdout).unwrap();
    let of = |source| text.lines().filter(|line| line.contains(&format!("\"source\":{source},"))).collect::<Vec<_>>();
    let (bare, named) = (of(0), of(1));
    assert_eq!(bare.len() + named.len(), text.lines().count());
    let is_named = |line: &&&str| line.contains("l_door");
    assert!(named.iter().filter(is_named).count() > 100 && bare.iter().filter(is_named).count() == 0);
    // In stats each is told by itself, too.
    let output = run(["stats", "--proto", "qs", "--json", "oven-734.bin", "oven-815.bin"]);
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&stats["records"], &stats["sources"][1]["records"]), (&4357.into(), &1997.into()));
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    for args in [
        &["decode", "--proto", "qs", "oven-734.bin"][..],
        &["--proto", "qs", "oven-734.bin"],
        &["--demo", "qs", "--format", "jsonl"],
    ] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{args:?}");
    }
}

#[test]
fn statistics_are_one_object_on_stderr() {
    let output = run(["decode", "--proto", "qs", "--filter", "kind:ASSERT", "--stats=json", "oven-734.bin"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("{\"bytes\":56986,") && text.ends_with("}\n"), "{text}");
    assert_eq!(text.lines().count(), 1);
    for key in ["record_bytes", "other_bytes", "skipped_bytes", "pending_bytes", "records", "gaps", "lost", "unknown"] {
        assert!(text.contains(&format!("\"{key}\":")), "{key}");
    }
}

#[test]
fn usage_is_2_and_names_the_nearest_word() {
    for (args, text) in [
        (&["decode", "--proto", "qx", "oven-734.bin"][..], "--proto qx: unknown; nearest: qs"),
        (&["decode", "--proto", "qs", "-o", "sgnal=2", "oven-734.bin"], "nearest: signal"),
        (&["decode", "--proto", "qs", "-o", "signal=3", "oven-734.bin"], "-o signal=3: must be 1, 2 or 4"),
        (&["decode", "--proto", "qs", "-o", "reference=qspy-7.3.5", "oven-734.bin"], "nearest: qspy-7.3.4"),
        (&["decode", "--proto", "qs", "--formt", "native", "oven-734.bin"], "'--format'"),
        (&["decode", "--proto", "qs", "--format", "natve", "oven-734.bin"], "'native'"),
        (&["decode", "--proto", "qs", "--filter", "knd:x", "oven-734.bin"], "nearest: kind"),
        (&["--proto", "qs", "--tcp", "nowhere"], "tcp takes HOST:PORT"),
        (&["--proto", "qs", "--listen", "99999"], "is not a port"),
        (
            &["--proto", "qs", "-o", "dic=oven-73.bin", "x"],
            "-o dic=oven-73.bin: no such file. Nearest here: oven-734.bin.",
        ),
        (
            &["--proto", "rkh", "-o", "cfg=MISSING", "x"],
            "It takes: configuration: a trazer.cfg, or the target's rkhcfg.h",
        ),
        (&["--proto", "rkh", "-o", "cfg=MISSING", "x"], "-o cfg=MISSING: no such file. Looked for in /"),
        (
            &["--proto", "rkh", "-o", "cfg=../../../rkh-trazer/Cargo.toml", "oven-734.bin"],
            "line 1: `[package]` is not KEY=VALUE",
        ),
        (&["--proto", "qs"], "which link?"),
        (&["decode", "README.md"], "README.md is text, not a trace (0 of 3 decoders see a frame). --proto forces one."),
        (&["stat"], "stat: no such command or file; did you mean \"stats\"?"),
        (&["frobnicate"], "frobnicate: no such command or file; the commands are decode record stats ports plugins"),
        (&["--demo", "qx"], "qx"),
    ] {
        let (code, stderr) = refused(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains(text), "{args:?}: {stderr}");
    }
}

#[test]
fn input_is_3_and_names_the_nearest_file() {
    for (args, text) in [
        (&["decode", "--proto", "qs", "oven-743.bin"][..], "oven-743.bin: no such file. Nearest here: oven-734.bin."),
        (&["--proto", "qs", "oven-743.bin"], "oven-743.bin: no such file. Nearest here: oven-734.bin."),
        (&["--proto", "qs", "--file", "oven-743.bin"], "Nearest here: oven-734.bin."),
        (
            &["--proto", "qs", "--record", "none/x", "oven-734.bin"],
            "none/x.bin: there is no folder none; make it first",
        ),
        (&["decode", "--proto", "qs", "../captures"], "../captures is a folder; name a file in it."),
        (&["--proto", "qs", "../captures"], "../captures is a folder; name a file in it."),
        (&["--proto", "qs", "--once", "--port", "/dev/ttyNOSUCH"], "/dev/ttyNOSUCH does not exist."),
        (&["--proto", "qs", "--once", "--tcp", "127.0.0.1:1"], "connection refused; is the target listening?"),
    ] {
        let (code, stderr) = refused(args);
        assert_eq!(code, 3, "{args:?}: {stderr}");
        assert!(stderr.contains(text), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    }
}

#[test]
fn damage_is_no_error_and_a_recording_is_never_overwritten() {
    let output = run(["decode", "--proto", "qs", "oven-734-flips.bin"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("░░ ≥1 record lost, seq 28"));

    let folder = folder();
    let out = folder.path().join("copy");
    let record = |expected| {
        let output = run(["record", "-O", out.to_str().unwrap(), "oven-734.bin"]);
        assert_eq!(output.status.code(), Some(expected), "{}", String::from_utf8_lossy(&output.stderr));
    };
    record(0);
    assert_eq!(std::fs::read(out.with_extension("bin")).unwrap(), bytes_of("oven-734.bin"));
    record(3);
}

#[test]
fn stdin_is_read_in_any_pieces() {
    let mut child = command(["decode", "--proto", "qs", "--format", "reference", "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for piece in bytes_of("oven-734.bin").chunks(777) {
            stdin.write_all(piece).unwrap();
        }
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.stdout == bytes_of("oven-734.txt"));
}

/// A capture of the Tonbandgerät decoder.
fn tband(name: &str) -> String {
    format!("{}/../decoders/tband/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn bytes_may_come_as_text() {
    let (hex, expected) = (tband("boiler_basic.hex"), std::fs::read(tband("boiler_basic.txt")).unwrap());
    let reference = ["--proto", "tband", "--format", "reference", "--input", "hex"];
    for start in [&["decode"][..], &[]] {
        let output = run([start, &reference, &[hex.as_str()]].concat());
        assert!(output.stdout == expected && output.status.code() == Some(0), "{start:?}");
    }
}

#[test]
fn text_that_stands_for_no_bytes_is_an_error_with_its_place() {
    let folder = folder();
    let path = folder.path().join("odd.hex");
    std::fs::write(&path, "--- begin ---\n03 02 0a 00\n0302\n0").unwrap();
    let path = path.to_str().unwrap();
    let arguments = ["--proto", "tband", "--format", "reference", "--input", "hex", path];
    for start in [&["decode"][..], &[]] {
        let output = run([start, &arguments].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("odd.hex: line 4, column 1: a digit without its other half"), "{text}");
        assert_eq!(output.stdout, b"{\"BaseMetadata\":{\"TsResolutionNs\":{\"ns_per_ts\":10}}}\n");
    }
}

#[test]
fn names_and_variables_need_not_be_utf_8() {
    let odd = OsStr::from_bytes(b"od\xffd");
    let home = folder();
    let work = home.path().join(odd);
    std::fs::create_dir_all(&work).unwrap();
    let file = work.join(OsStr::from_bytes(b"\xfe.bin"));
    std::fs::write(&file, bytes_of("oven-734.bin")).unwrap();
    let run = |args: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, &work);
        command.env("ODD", odd).env(odd, "x").env("SPYTUI_PLUGIN_PATH", &work).env("LANG", odd).env("TERM", odd);
        command.args(args).stdin(Stdio::null()).current_dir(&work).output().unwrap()
    };
    let file = file.as_os_str();
    let name = OsStr::from_bytes(b"\xfe.bin");
    let out = OsStr::from_bytes(b"\xfd.pftrace");
    for args in [
        &["--help"][..],
        &["--version"],
        &["--print-config"],
        &["ports"],
        &["plugins"],
        &["completions", "bash"],
        &["man"],
        &["decode", "--proto", "qs", "FILE"],
        &["stats", "--proto", "qs", "NAME"],
        &["--proto", "qs", "--file", "NAME"],
        &["--proto", "qs", "FILE"],
        &["export", "perfetto", "--proto", "qs", "NAME", "--out", "OUT"],
        &["record", "--file", "NAME", "-O", "RECORDING"],
    ] {
        let words = args.iter().map(|arg| match *arg {
            "FILE" => file,
            "NAME" => name,
            "OUT" => out,
            "RECORDING" => odd,
            word => OsStr::new(word),
        });
        let output = run(&words.collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty() || args[0] == "record", "{args:?}");
    }
    let decoded = run(&[OsStr::new("decode"), OsStr::new("-pqs"), file]);
    assert!(decoded.stdout == self::run(["decode", "-pqs", "oven-734.bin"]).stdout);
}

#[test]
fn without_a_link_six_lines_start_somebody() {
    let (code, stderr) = refused(&[]);
    assert_eq!((code, stderr.lines().count()), (2, 6), "{stderr}");
    for line in stderr.lines().skip(1) {
        assert!(line.starts_with("  spytui ") && line.len() <= 100, "{line}");
    }
}

#[test]
fn every_command_finds_the_decoder() {
    let same = |with: &[&str], without: &[&str]| {
        let (with, without) = (run(with), run(without));
        assert_eq!(without.status.code(), Some(0), "{}", String::from_utf8_lossy(&without.stderr));
        assert!(with.stdout == without.stdout);
        let said = String::from_utf8(without.stderr).unwrap();
        assert!(said.starts_with("spytui: qs, 100 % of the bytes fit: "), "{said}");
    };
    same(&["decode", "--proto", "qs", "oven-734.bin"], &["decode", "oven-734.bin"]);
    same(&["decode", "--proto", "qs", "oven-734.bin"], &["decode", "--proto", "auto", "oven-734.bin"]);
    same(&["stats", "--proto", "qs", "oven-734.bin"], &["stats", "oven-734.bin"]);
    same(&["--proto", "qs", "oven-734.bin"], &["--proto", "auto", "oven-734.bin"]);
    let folder = folder();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    for (proto, out) in [("qs", &one), ("auto", &other)] {
        let export = ["export", "perfetto", "--proto", proto, "oven-734.bin", "--out", out.to_str().unwrap()];
        assert_eq!(run(export).status.code(), Some(0));
    }
    assert!(std::fs::read(&one).unwrap() == std::fs::read(&other).unwrap());
    // What can be read only once is decoded from its first byte, too.
    let all = run(["decode", "-p", "qs", "oven-734.bin"]).stdout;
    for args in [&["decode", "-"][..], &["stats", "-"], &["--headless", "-"]] {
        let file = std::fs::File::open(capture("oven-734.bin")).unwrap();
        let output = command(args).stdin(file).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(args[0] == "stats" || output.stdout == all, "{args:?}");
    }
    let kept = folder.path().join("kept");
    let record = run(["record", "--proto", "auto", "--file", "oven-734.bin", "-O", kept.to_str().unwrap()]);
    assert_eq!(record.status.code(), Some(0));
    // It names what was found: nothing is to be found again.
    let decoded = run(["decode", kept.with_extension("bin").to_str().unwrap()]);
    assert_eq!((decoded.status.code(), String::from_utf8(decoded.stderr).unwrap().as_str()), (Some(0), ""));
    assert!(decoded.stdout == all);
}

#[test]
fn files_of_several_protocols_are_told_to_be_read_apart() {
    let rkh = "../../../rkh-trazer/tests/captures/gh340-default.bin";
    for words in [&["decode"][..], &["stats"], &["--headless"], &["export", "perfetto", "-o", "/nonexistent/x"]] {
        let (code, said) = refused(&[words, &["oven-734.bin", rkh]].concat());
        assert_eq!(code, 2, "{words:?}: {said}");
        assert!(said.contains("gh340-default.bin is rkh: the rows of one output are of one protocol."), "{said}");
        assert!(said.contains("Read each by itself, or open all on the screen"), "{said}");
    }
}
