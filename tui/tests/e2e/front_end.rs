//! Front ends of the QS reference host: recorded exchanges, packet by packet, and front ends that misbehave.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpStream, UdpSocket},
    path::Path,
    process::{Child, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    lines::{command, refused},
    rig::{bytes_of, capture, spytui},
};

const PATIENCE: Duration = Duration::from_secs(8);

/// The program, a target and a front end.
struct Exchange {
    child: Child,
    target_address: String,
    target: Option<TcpStream>,
    front_end: UdpSocket,
    lines: mpsc::Receiver<String>,
}

impl Exchange {
    fn start(args: &[&str]) -> Exchange {
        Exchange::start_in(&capture(""), args)
    }

    fn start_in(folder: &Path, args: &[&str]) -> Exchange {
        let fixed = ["--proto", "qs", "--listen", "0", "--qspy", "127.0.0.1:0", "--headless"];
        let mut command = command(fixed.iter().chain(args));
        let mut child = command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut address_after = |begin: &str| {
            let line = said.find(|line| line.contains(begin)).unwrap();
            let rest = &line[line.find(begin).unwrap() + begin.len()..];
            rest.split_whitespace().next().unwrap().trim_end_matches(':').to_owned()
        };
        let (served, target_address) = (address_after("served at udp "), address_after("listen "));
        let front_end = UdpSocket::bind("127.0.0.1:0").unwrap();
        front_end.connect(served).unwrap();
        front_end.set_read_timeout(Some(PATIENCE)).unwrap();
        Exchange { child, target_address, target: None, front_end, lines }
    }

    /// Waits until the program has taken the packets sent so far.
    fn packets_are_taken(&self) {
        let port = format!(":{:04X}", self.front_end.peer_addr().unwrap().port());
        let is_waiting = || {
            let sockets = std::fs::read_to_string("/proc/net/udp").unwrap();
            let of_port = |line: &&str| line.split_whitespace().nth(1).is_some_and(|local| local.ends_with(&port));
            sockets.lines().filter(of_port).any(|line| !line.contains(":00000000 00:"))
        };
        while is_waiting() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // The last one is taken, but perhaps not dealt with.
        std::thread::sleep(Duration::from_millis(100));
    }

    fn connect(&mut self) {
        let target = TcpStream::connect(&self.target_address).unwrap();
        target.set_read_timeout(Some(PATIENCE)).unwrap();
        target.set_nodelay(true).unwrap();
        self.target = Some(target);
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.target.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&self, packet: &[u8]) {
        self.front_end.send(packet).unwrap();
    }

    fn packet(&self) -> Vec<u8> {
        let mut packet = [0; 2048];
        let len = self.front_end.recv(&mut packet).unwrap();
        packet[..len].to_vec()
    }

    fn frame(&mut self, len: usize) -> Vec<u8> {
        let mut frame = vec![0; len];
        self.target.as_mut().unwrap().read_exact(&mut frame).unwrap();
        frame
    }

    /// Waits for a line with this.
    fn prints(&self, part: &str) -> String {
        let next = || self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no line with {part:?}"));
        std::iter::repeat_with(next).find(|line| line.contains(part)).unwrap()
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&bytes_of(name)).unwrap()
}

#[test]
fn recorded_sessions_are_equal_packet_by_packet() {
    for name in ["be-session.json", "be-session-qview.json"] {
        let mut exchange = Exchange::start(&[]);
        for event in read(name)["events"].as_array().unwrap() {
            let step = format!("{name}, event {}", event["n"]);
            match (event["event"].as_str(), event["dir"].as_str().unwrap()) {
                (Some("connect"), _) => {
                    // Commands without a target are lost.
                    exchange.packets_are_taken();
                    exchange.connect();
                }
                (Some(_), _) => exchange.target = None,
                (None, "fe->be") => exchange.send(&unhex(&event["hex"])),
                (None, "target->be") => exchange.feed(&unhex(&event["hex"])),
                (None, "be->fe") => assert_eq!(exchange.packet(), unhex(&event["hex"]), "{step}"),
                (None, _) => {
                    let expected = unhex(&event["hex"]);
                    assert_eq!(exchange.frame(expected.len()), expected, "{step}");
                }
            }
        }
    }
}

#[test]
fn every_packet_has_the_effect_that_it_has_at_the_reference_host() {
    let golden = read("rx-golden.json");
    let mut exchange = Exchange::start(&[]);
    exchange.connect();
    exchange.feed(&unhex(&golden["stream_sent_to_host_hex"]));
    exchange.prints("SIG_BIG");
    // Frames that this test sends for the user's keys in between.
    let of_user = |step: &&Value| step.get("front_end_packet_hex").is_none();
    let mut skipped = 0;
    for step in golden["steps"].as_array().unwrap() {
        let name = step["command"].as_str().unwrap();
        let mut frame = unhex(&step["target_frame_hex"]);
        if of_user(&step) {
            skipped += 1;
            continue;
        }
        if name.starts_with("INFO after the target reported a reset") {
            // The info at the start of the stream, with the next number of the target.
            let mut info = unhex(&golden["stream_sent_to_host_hex"])[4..24].to_vec();
            let raised = 0x23 - info[0];
            (info[0], info[18]) = (0x23, info[18] - raised);
            exchange.feed(&info);
            assert_eq!(exchange.packet(), info[..18], "target info");
            skipped = 0;
        } else if skipped > 0 && frame.len() > 2 {
            // Without those frames, the numbers are lower, and the sums higher.
            let at = frame.len() - 2;
            (frame[0], frame[at]) = (frame[0] - skipped, frame[at] + skipped);
        }
        exchange.send(&unhex(&step["front_end_packet_hex"]));
        for packet in step["back_to_front_end_hex"].as_array().unwrap() {
            assert_eq!(exchange.packet(), unhex(packet), "{name}");
        }
        assert_eq!(exchange.frame(frame.len()), frame, "{name}");
    }
}

#[test]
fn commands_of_front_ends_are_rows_with_their_origin() {
    let mut exchange = Exchange::start(&[]);
    exchange.connect();
    exchange.feed(&bytes_of("oven-734.bin")[..4096]);
    exchange.send(&[0, 128, 2]);
    assert_eq!(exchange.packet(), [1, 128]);
    exchange.prints("front end attached, channels 00000010");
    exchange.send(&[&[1, 141, 255][..], b"bump opens the gate\0"].concat());
    exchange.prints("bump opens the gate");
    let mask = [[2, 10, 16].as_slice(), &[0xFE; 16]].concat();
    exchange.send(&mask);
    let origin = format!("front end {}", exchange.front_end.local_addr().unwrap());
    let line = exchange.prints("raw 10 10fe");
    assert!(line.contains(&origin) && line.contains("QS_RX_GLB_FILTER"), "{line}");
    // Two commands at once: the second does not wait for the answer to the first.
    exchange.send(&[3, 3, 0]);
    exchange.send(&[4, 3, 1]);
    let frames = exchange.frame(21 + 5 + 5);
    assert_eq!(frames[21..], [2, 3, 0, !5, 0x7E, 3, 3, 1, !7, 0x7E]);
    let next = || exchange.lines.recv_timeout(PATIENCE).unwrap();
    let before: Vec<String> = std::iter::repeat_with(next).take_while(|line| !line.contains("tick 1")).collect();
    assert!(before.iter().all(|line| !line.contains("tick sent, no answer")), "{before:?}");
    // The front end ends the program.
    exchange.send(&[5, 129, 1]);
    assert_eq!(exchange.child.wait().unwrap().code(), Some(0));
}

#[test]
fn front_ends_that_misbehave_harm_nothing() {
    // Nonsense may switch files on.
    let folder = tempfile::tempdir().unwrap();
    let mut exchange = Exchange::start_in(folder.path(), &[]);
    exchange.connect();
    exchange.feed(&bytes_of("oven-734.bin")[..4096]);
    exchange.prints("TEMP_SIG");
    exchange.send(&[0, 128, 3]);
    assert_eq!(exchange.packet(), [1, 128]);
    // Another address.
    let served = exchange.front_end.peer_addr().unwrap();
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..100 {
        other.send_to(&[0, 128, 2], served).unwrap();
    }
    let line = exchange.prints("refused a second front end");
    assert!(line.contains(&other.local_addr().unwrap().to_string()), "{line}");
    // Nonsense of every length, and a flood.
    for len in 0..600_u32 {
        let nonsense: Vec<u8> = (0..len).map(|i| (i * 167 + len * 13) as u8).collect();
        // A detached front end may end the program.
        if nonsense.get(1) != Some(&129) {
            exchange.send(&nonsense);
        }
    }
    (0..20_000).for_each(|n| exchange.send(&[9, if n % 20 == 0 { 132 } else { 200 }]));
    exchange.feed(&bytes_of("oven-734.bin")[4096..8192]);
    exchange.prints("Disp");
    // It vanishes; the capture continues.
    let front_end = std::mem::replace(&mut exchange.front_end, UdpSocket::bind("127.0.0.1:0").unwrap());
    drop(front_end);
    exchange.feed(&bytes_of("oven-734.bin")[8192..50_000]);
    exchange.prints("Disp");
    assert_eq!(exchange.child.try_wait().unwrap(), None);
    assert!(std::fs::read_dir(folder.path()).unwrap().count() <= 32);
}

#[test]
fn files_are_switched_on_and_off() {
    let folder = tempfile::tempdir().unwrap();
    let mut exchange = Exchange::start_in(folder.path(), &["-o", "sequence-objects=controller,?"]);
    exchange.connect();
    let bytes = bytes_of("oven-734.bin");
    exchange.feed(&bytes);
    exchange.prints("Disp");
    exchange.send(&[0, 128, 2]);
    assert_eq!(exchange.packet(), [1, 128]);
    let file_of = |ending: &str| {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|other| other == ending)).min()
    };
    let wait_for = |what: &str, is_true: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !is_true() {
            assert!(start.elapsed() < PATIENCE, "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    // On, on again, toggled; each with everything received.
    for (packet, ending) in
        [(&[1, 132, 1][..], "bin"), (&[2, 132, 1], "bin"), (&[3, 133], "mat"), (&[4, 134, 2], "seq")]
    {
        exchange.send(packet);
        wait_for(ending, &|| file_of(ending).is_some_and(|file| file.metadata().unwrap().len() > 0));
    }
    wait_for("bytes", &|| std::fs::read(file_of("bin").unwrap()).unwrap() == bytes);
    exchange.prints("front end switches the sequence file on or off");
    exchange.send(&[5, 132, 0]);
    exchange.send(&[6, 134]);
    // Names are saved only where the host has a file for them.
    exchange.send(&[7, 130]);
    assert_eq!(exchange.packet()[2..], [&[130][..], b"   <QSPY-> Dictionaries NOT configured (no -d option)"].concat());
    exchange.send(&[8, 140]);
    exchange.prints("front end cleared its host's screen");
    exchange.feed(&bytes[..40]);
    exchange.send(&[9, 129, 1]);
    assert_eq!(exchange.child.wait().unwrap().code(), Some(0));
    assert_eq!(std::fs::read(file_of("bin").unwrap()).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn an_address_in_use_and_a_file_in_its_place_are_refused() {
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, said) = refused(&["--proto", "qs", "--listen", "0", "--headless", "--qspy", &address]);
    assert_eq!(code, 3);
    assert!(said.contains(&format!("can't serve front ends at udp {address}")), "{said}");
    assert!(said.contains("end what serves there, or choose another ADDR:PORT"), "{said}");
    let (code, said) = refused(&["--proto", "qs", "--headless", "--qspy", "trace.bin"]);
    assert_eq!(code, 2);
    assert!(said.contains("trace.bin: give ADDR:PORT, as 127.0.0.1:7701"), "{said}");
    let (code, said) = refused(&["--proto", "rkh", "--listen", "0", "--headless", "--qspy", "127.0.0.1:0"]);
    assert_eq!((code, said.contains("rkh has no front ends")), (3, true), "{said}");
}

#[test]
fn the_screen_serves_a_front_end_and_names_it() {
    let mut stage = spytui(["--proto", "qs", "--listen", "0", "--qspy", "127.0.0.1:0"]).size(120, 30).start();
    stage.types("6");
    stage.shows("front end at udp 127.0.0.1:");
    stage.shows("nobody attached");
    stage.command("qspy off");
    stage.shows("front ends are no longer served");
    stage.command("qspy on 0.0.0.0:0");
    // Whoever reaches this machine reaches it: the header says so.
    stage.shows("open: udp 0.0.0.0:");
    stage.command("qspy on here");
    stage.shows("here: give ADDR:PORT");
}
