//! Without a terminal: senders at a UDP port, and recordings.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, UdpSocket};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::lines::{SIZES, command, refused, run};
use crate::rig::{bytes_of, capture, folder, set_environment};

/// The program at a UDP port, without a terminal.
struct Listening {
    child: Child,
    address: String,
    lines: mpsc::Receiver<String>,
    /// Lines of its stderr.
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
        // It prints on stderr where it listens.
        let line = said.iter().find(|line| line.contains("nothing yet")).unwrap();
        let is_address = |word: &&str| word.starts_with("127.0.0.1:");
        let address = line.split_whitespace().find(is_address).unwrap().trim_end_matches(':').to_owned();
        Listening { child, address, lines, said }
    }

    /// Everything on stderr since the start, after the end.
    fn said(&self) -> String {
        self.said.iter().map(|line| line + "\n").collect()
    }

    /// The next line that contains all of these.
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
        // It has already ended if all went well.
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
        // A target does not get the names of another one.
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
    // No file can be created any more: the third sender is shown anyway.
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

/// The program with files limited to 40 blocks of 512 bytes, as on a nearly full disk.
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
    // An existing file is refused before anything is created.
    std::fs::write(path("c.c1.bin"), b"").unwrap();
    let (code, text) = refused(&["--proto", "qs", "--record", &path("c"), "oven-734.bin@0", "oven-734.bin@1"]);
    assert!(code == 3 && text.contains("c.c1.bin exists already"), "{text}");
    assert!(!folder.path().join("c.c0.bin").exists());
}

#[test]
fn a_recording_goes_on_without_a_file_that_cannot_be_written() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let files = ["sequence", "text"].map(|kind| format!("--write={kind}={}", path(kind)));
    let (code, said) = refused(&["record", "--proto", "qs", "-O", &path("a"), &files[0], &files[1], "oven-734.bin"]);
    assert!(code == 3 && said.contains("needs its objects") && said.contains("56 986 bytes in"), "{said}");
    assert!(std::fs::read(path("a.bin")).unwrap() == bytes_of("oven-734.bin"));
    assert!(!std::fs::read(path("text")).unwrap().is_empty());
}

#[test]
fn a_recording_whose_file_is_removed_is_said_and_is_the_exit_code() {
    let folder = folder();
    for (number, args) in [["--proto", "qs"].as_slice(), &["record"]].into_iter().enumerate() {
        let run = folder.path().join(format!("run{number}"));
        let name = if args == ["record"] { "-O" } else { "--record" };
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap().to_string();
        let more = ["--tcp", &address, name, run.to_str().unwrap()];
        let mut child = command(args.iter().chain(&more)).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (mut target, _) = server.accept().unwrap();
        target.write_all(&bytes_of("oven-734.bin")).unwrap();
        let bin = run.with_extension("bin");
        while !bin.metadata().is_ok_and(|bin| bin.len() > 0) {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::fs::remove_file(&bin).unwrap();
        // Printed while the link is up and silent.
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let said = lines.find(|line| line.contains("Recording stopped")).unwrap();
        assert!(said.ends_with(&format!("{} was removed or moved.", bin.display())), "{said}");
        // With nothing left to record, `record` ends by itself.
        if args != ["record"] {
            kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        }
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }
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
    // Local time: 14 hours ahead of the header's UTC.
    let meta = std::fs::read_to_string(traces.join(names[0].replace(".bin", ".meta"))).unwrap();
    let head: serde_json::Value = serde_json::from_str(meta.lines().next().unwrap()).unwrap();
    let hour = (head["start_ns"].as_u64().unwrap() / 3_600_000_000_000 + 14) % 24;
    assert_eq!(names[0][9..11].parse::<u64>().unwrap(), hour, "{names:?}");
    // An invalid setting is refused.
    let wrong = command(["record", "oven-734.bin"]).env("SPYTUI_RECORD_ROTATE", "daily").output().unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("a time, as \"1 h\""));
}

#[test]
fn a_recording_opens_with_the_decoder_and_the_options_it_was_made_with() {
    let folder = folder();
    let path = folder.path().join("run.bin");
    // Without its beginning, a stream does not report its sizes.
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
    // Arguments take precedence.
    let other = run(["decode", "--format", "jsonl", "-o", "obj-ptr=4", path]);
    assert!(other.stdout != lines.stdout);
    assert_eq!(refused(&["decode", "--proto", "nothing", path]).0, 2);
    let out = folder.path().join("run.pftrace");
    assert_eq!(run(["export", "perfetto", path, "-o", out.to_str().unwrap()]).status.code(), Some(0));
    assert_eq!(run(["stats", path]).status.code(), Some(0));

    // Two recordings of different decoders are not mixed silently.
    let second = folder.path().join("other.bin");
    std::fs::copy(path, &second).unwrap();
    let head = std::fs::read_to_string(folder.path().join("run.meta")).unwrap();
    std::fs::write(folder.path().join("other.meta"), head.replacen("\"qs\"", "\"rkh\"", 1)).unwrap();
    let (code, text) = refused(&["decode", path, second.to_str().unwrap()]);
    assert!(code == 2 && text.contains("was recorded with qs") && text.contains("with rkh: open them apart"), "{text}");
}
