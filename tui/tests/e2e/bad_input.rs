//! When nothing useful arrives: noise, silence, wrong files, missing things, failing plugins.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::lines::command;
use crate::port::Port;
use crate::rig::{bytes_of, file_args, folder, spytui};

/// Bytes received at a wrong rate: mostly zeros and high bytes.
fn noise(len: usize) -> Vec<u8> {
    let mut random = 12_345_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 24) as u8
    };
    (0..len).map(|_| if next() < 150 { [0x00, 0x80, 0xFF, 0xF8][usize::from(next() % 4)] } else { next() }).collect()
}

#[test]
fn a_wrong_rate_is_reported_and_the_right_one_found() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).size(200, 50).start();
    stage.shows("live");
    port.send(&noise(3_000));
    stage.shows("skipped");
    assert!(!stage.screen().contains("Wrong rate?"), "{}", stage.screen());
    port.send(&noise(6_000));
    stage.shows("No valid frame in ");
    stage.shows(" at 115200 (");
    stage.shows(" % of the bytes are 0x00 or ≥0x80). Wrong rate? :baud auto tries the others.");
    stage.command("baud 230400");
    stage.shows("ttyTEST 230400 8N1");
    port.send(&bytes_of("oven-734.bin"));
    // Noise occasionally passes the check, so it may be one more.
    stage.shows(" 2 36");
    stage.shows_not("Wrong rate?");
    stage.command("baud fast");
    stage.shows("not a baud rate: fast; use 115200, 1MHz or auto");
}

#[test]
fn the_text_about_a_wrong_rate_has_room_at_80_columns() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    port.send(&noise(9_000));
    stage.shows("Wrong rate? :baud auto");
    stage.shows("tries the others.");
    stage.shows("damaged frames");
}

/// The stderr lines of a program without a screen.
fn said_without_a_screen(args: &[&str]) -> (Child, mpsc::Receiver<String>) {
    let mut child = command(args.iter().chain(&["--headless"]));
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (send, said) = mpsc::channel();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    (child, said)
}

#[test]
fn a_wrong_rate_is_reported_without_a_screen_too() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    for proto in [Some("qs"), Some("rkh"), Some("tband"), Some("qnx"), None] {
        let mut port = Port::plug(&path);
        let mut args = vec!["--port", path.to_str().unwrap()];
        args.extend(proto.iter().flat_map(|proto| ["--proto", proto]));
        let (mut child, said) = said_without_a_screen(&args);
        let next = || {
            // Bytes received before the port is opened are discarded.
            port.send(&noise(500));
            said.recv_timeout(Duration::from_millis(20)).ok()
        };
        let line = std::iter::repeat_with(next).take(2_000).flatten().next().unwrap_or_default();
        child.kill().unwrap();
        child.wait().unwrap();
        let (begin, end) = line.split_once(" at 115200 (").unwrap_or_default();
        assert!(begin.starts_with("spytui: No valid frame in "), "{proto:?}: {line}");
        let advice = "Wrong rate? --baud RATE sets another one; :baud auto on the screen tries them.";
        assert!(end.ends_with(advice), "{proto:?}: {line}");
    }
}

#[test]
fn what_is_no_trace_is_reported_without_a_screen_once_until_records_come() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let (mut child, said) = said_without_a_screen(&["--proto", "qs", "--tcp", &address]);
    let mut far = server.accept().unwrap().0;
    let next = || loop {
        let line = said.recv_timeout(Duration::from_secs(20)).unwrap_or_default();
        if line.is_empty() || line.contains("No valid frame") {
            return line;
        }
    };
    far.write_all(&noise(20_000)).unwrap();
    let first = next();
    far.write_all(&bytes_of("oven-734.bin")).unwrap();
    far.write_all(&noise(400_000)).unwrap();
    let second = next();
    drop(far);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(said.iter().filter(|line| line.contains("No valid frame")).count(), 0);
    for line in [first, second] {
        assert!(line.ends_with("Is this QS? --proto auto finds out."), "{line}");
    }
}

#[test]
fn silence_gets_advice() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).size(150, 24).start();
    stage.shows("live");
    stage.shows("quiet 5 s");
    stage.shows("Cable, TX/RX, rate? DTR and RTS are on: :set dtr off. A target that streams only after reset");
    port.send(&bytes_of("oven-734.bin"));
    stage.shows("2 360 rec");
    stage.shows_not("Cable");
}

#[test]
fn a_port_that_is_not_there_is_waited_for() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("ttyTEST does not exist.");
    stage.shows("Waiting for");
    stage.shows("no link, retry ");
    let mut port = Port::plug(&path);
    stage.shows("live");
    port.send(&bytes_of("oven-734.bin"));
    stage.shows("2 360 rec");
    stage.shows_not("does not exist");
    // Reported once, however often it was tried.
    stage.types("9");
    stage.shows("does not exist");
    assert_eq!(stage.screen().matches("does not exist").count(), 1, "{}", stage.screen());
}

#[test]
fn a_server_that_refuses_is_asked_again() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let stage = spytui(["--proto", "qs", "--tcp", &address.to_string()]).start();
    stage.shows("connection refused; is the target listening?");
    stage.shows("no link, retry ");
    let server = std::net::TcpListener::bind(address).unwrap();
    let (mut peer, _) = server.accept().unwrap();
    stage.shows("live");
    peer.write_all(&bytes_of("oven-734.bin")).unwrap();
    stage.shows("2 360 rec");
}

#[test]
fn a_text_is_no_trace() {
    let folder = folder();
    let path = folder.path().join("notes.md");
    std::fs::write(&path, "These are notes about a target, and no trace of one.\n".repeat(120)).unwrap();
    let stage = spytui(["--proto", "qs", path.to_str().unwrap()]).start();
    stage.shows("notes.md is text, not a trace: no QS frame in 6 360 B. :proto auto");
    let stage = spytui(["--proto", "qs", "/dev/null"]).start();
    stage.shows("QS  null");
}

#[test]
fn a_text_is_not_opened_beside_a_trace() {
    let folder = folder();
    let path = folder.path().join("notes.md");
    std::fs::write(&path, "root:x:0:0:root:/root:/bin/bash\n".repeat(30)).unwrap();
    let mut stage = spytui([crate::rig::capture("oven-734.bin")]).start();
    stage.shows("2 360 rec");
    stage.command(&format!("open {}", path.display()));
    stage.shows("notes.md is text, not a trace (no decoder ");
    stage.command("source 2");
    stage.has_never_shown("source 2 of 2");
    // A named decoder is used, with a notice.
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.command(&format!("open {}", path.display()));
    stage.shows("source 2 of 2");
    stage.shows("notes.md is text, not a trace (no decoder ");
}

#[test]
fn a_rate_is_taken_for_when_the_port_comes() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("ttyTEST does not exist.");
    stage.command("baud 9600");
    stage.shows("9600 baud once the port is there");
    stage.command("baud auto");
    stage.shows("there is no port to listen at yet");
    let mut port = Port::plug(&path);
    stage.shows("live");
    port.send(&bytes_of("oven-734.bin"));
    stage.shows("2 360 rec");
    stage.shows("ttyTEST 9600");
}

/// The plugin library of the test build.
fn panics() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let path = folder.join("libspytui_testing_panics.so");
    assert!(path.exists(), "{} was not built", path.display());
    path
}

#[test]
fn a_plugin_that_panics_leaves_the_rest_running() {
    let folder = folder();
    let path = folder.path().join("bytes.bin");
    std::fs::write(&path, b"abc!defg").unwrap();
    let plugin = panics();
    let args = |at: &str| {
        let at = format!("at={at}");
        ["--plugin", plugin.to_str().unwrap(), "--proto", "panics", "-o", &at, path.to_str().unwrap()].map(String::from)
    };
    let mut stage = spytui(args("bytes")).start();
    stage.shows("panics failed: ");
    stage.shows("asked to panic in bytes");
    stage.shows("Receiving and recording continue");
    let copy = folder.path().join("copy");
    stage.command(&format!("record {}", copy.display()));
    stage.shows("everything received so far");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    assert!(!stage.screen().contains("panic"), "{}", stage.screen());
    assert_eq!(std::fs::read(copy.with_extension("bin")).unwrap(), b"abc!defg");

    let mut stage = spytui(args("render")).start();
    stage.shows("[not rendered: ");
    stage.shows(" 8 rec");
    stage.types("9");
    stage.shows("Log");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    assert!(!stage.screen().contains("panic"), "{}", stage.screen());
}

#[test]
fn what_others_write_ends_in_the_log() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    let err = format!("/proc/{}/fd/2", stage.pid.as_raw_nonzero());
    let mut err = std::fs::File::options().write(true).open(err).unwrap();
    err.write_all(b"driver: \x1b[2J\x1b[31mlibrary says hello\n").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    stage.types("j");
    stage.settles();
    assert!(!stage.screen().contains("library says hello"));
    stage.types("9");
    stage.shows("driver: \\x1b[2J\\x1b[31mlibrary says hello");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
}

#[test]
fn a_file_that_is_overwritten_is_not_trusted_and_can_be_opened_again() {
    let folder = folder();
    let path = folder.path().join("run.bin");
    std::fs::write(&path, bytes_of("oven-734.bin")).unwrap();
    let mut stage = spytui(["--proto", "qs", path.to_str().unwrap()]).start();
    stage.shows("2 360 rec");
    stage.shows("checksum ok");
    // In place, like another program that writes to the same file.
    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all(&bytes_of("oven-815.bin")[..30_000]).unwrap();
    stage.shows("run.bin was overwritten while it was shown");
    stage.shows("   changed");
    stage.types("j");
    stage.shows("bytes gone");
    stage.command(&format!("open {}", path.display()));
    stage.shows("checksum ok");
    stage.shows_not("changed");
}

#[test]
fn a_file_is_followed_through_cuts_and_rotations() {
    let folder = folder();
    let path = folder.path().join("run.bin");
    let bytes = bytes_of("oven-734.bin");
    std::fs::write(&path, &bytes).unwrap();
    let mut stage = spytui(["--proto", "qs", "--follow", path.to_str().unwrap()]).start();
    stage.shows("2 360 rec");
    std::fs::rename(&path, folder.path().join("run.bin.1")).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    stage.shows("4 720 rec");
    std::fs::write(&path, &bytes[..20_000]).unwrap();
    stage.shows("was cut from 56 986 to ");
    stage.shows("5 560 rec");
    stage.types("g");
    stage.types("/link up\r");
    stage.shows("══ link up ");
}

#[test]
fn a_rate_that_is_named_ends_the_search_for_one() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let _port = Port::plug(&path);
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    stage.command("baud auto");
    stage.shows("listening at 115200 baud");
    stage.command("baud 57600");
    stage.shows("ttyTEST 57600");
    stage.types("j");
    stage.settles();
    let screen = stage.screen();
    assert!(screen.contains("ttyTEST 57600") && !screen.contains("listening"), "{screen}");
}
