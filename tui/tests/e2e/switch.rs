//! Another decoder in a running session: earlier rows change their meaning at once, and nothing is lost.

use std::{
    io::Write as _,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::port::Port;
use crate::rig::{bytes_of, capture, file_args, folder, spytui};

/// Bytes per second: as much as unoptimised decoders can handle while other tests run.
const RATE: u64 = 100_000;

#[test]
fn the_wrong_decoder_is_reported_and_f2_takes_the_right_one() {
    let path = capture("oven-734.bin");
    let mut stage = spytui(["--proto".into(), "rkh".into(), path.into_os_string()]).start();
    stage.shows("Bytes look like QS");
    stage.shows("F2 switches");
    stage.types("\x1bOQ");
    stage.shows("proto qs");
    stage.types("\r");
    stage.shows("2 360 rec");
    stage.shows("gaps 0");
    stage.shows_not("Bytes look like");
}

#[test]
fn a_file_that_is_opened_beside_a_demo_has_its_own_decoder() {
    let mut stage = spytui(["--demo", "rkh"]).start();
    stage.shows("live");
    stage.command(&format!("open {}", capture("oven-734.bin").display()));
    stage.until("QS", |stage| stage.screen().starts_with(" QS"));
    stage.shows("2 360 rec");
    stage.types("(");
    stage.until("RKH", |stage| stage.screen().starts_with(" RKH"));
}

#[test]
fn a_running_session_is_switched_there_and_back_without_losing_a_byte() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let port = Port::plug(&path);
    let copy = folder.path().join("copy");
    let args = ["--proto", "qs", "--port", path.to_str().unwrap(), "--record", copy.to_str().unwrap()];
    let mut stage = spytui(args).start();
    stage.shows("live");
    let stop = Arc::new(AtomicBool::new(false));
    let sender = {
        let stop = stop.clone();
        std::thread::spawn(move || send_steadily(port, &stop))
    };
    stage.shows("Disp");
    for _ in 0..2 {
        stage.command("proto rkh");
        stage.until("RKH", |stage| stage.screen().starts_with(" RKH"));
        stage.shows("Bytes look like QS");
        stage.types("\x1bOQ\r");
        stage.until("QS", |stage| stage.screen().starts_with(" QS"));
        stage.shows("gaps 0");
        stage.shows("Disp");
    }
    stop.store(true, Ordering::Relaxed);
    let (port, sent) = sender.join().unwrap();
    let file = copy.with_extension("bin");
    stage.until("the whole recording", |_| std::fs::metadata(&file).is_ok_and(|m| m.len() == sent.len() as u64));
    assert!(std::fs::read(&file).unwrap() == sent, "the recording differs from what was sent");
    stage.shows("gaps 0");
    stage.shows("skipped 0 B");
    drop(port);
}

/// Sends a capture repeatedly at the line's rate; returns the port and everything sent.
fn send_steadily(mut port: Port, stop: &AtomicBool) -> (Port, Vec<u8>) {
    let whole = bytes_of("oven-734.bin");
    let (begun, mut sent) = (Instant::now(), Vec::new());
    while !stop.load(Ordering::Relaxed) {
        for piece in whole.chunks(3_000) {
            port.send(piece);
            sent.extend_from_slice(piece);
            let due = Duration::from_micros(sent.len() as u64 * 1_000_000 / RATE);
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
        }
    }
    (port, sent)
}

#[test]
fn a_source_can_be_closed() {
    let (first, second) = (capture("oven-734.bin"), capture("oven-815.bin"));
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.command("close");
    stage.shows("no source would be left; :q quits");
    stage.command(&format!("open {}", second.display()));
    stage.shows("1 997 rec");
    stage.command(&format!("open {}", first.display()));
    stage.shows("2 360 rec");
    // By number, while another one is shown.
    stage.command("close 2");
    stage.shows("oven-815.bin closed");
    stage.command("show oven-815.bin");
    stage.shows("unknown source oven-815.bin; available: 1 oven-734.bin, 2 oven-734.bin");
    stage.types("\x07");
    stage.types("j");
    stage.shows("2 360 rec");
    // The one shown.
    stage.command("close");
    stage.shows("oven-734.bin closed");
    stage.types(")");
    stage.shows("only one source; :open LINK opens another");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn a_demo_is_opened_beside_another() {
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("AO-Post");
    stage.command("open demo:tban");
    stage.shows("no such demo; available: qs rkh tband qnx");
    stage.types("\x07");
    stage.command("open demo:tband");
    stage.shows("source 2 of 2");
    stage.shows("TBAND");
    stage.shows("QUE");
}

/// Whatever is shown next to it.
#[test]
fn a_link_that_is_opened_begins_with_what_its_bytes_are_for() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let mut stage = spytui([capture("oven-734.bin")]).start();
    stage.shows("2 360 rec");
    stage.command(&format!("open tcp:127.0.0.1:{port}"));
    let (mut client, _) = server.accept().unwrap();
    stage.until("auto", |stage| stage.screen().lines().next().is_some_and(|line| line.starts_with(" AUTO")));
    client.write_all(&std::fs::read(crate::attach::demo_capture("tband.bin")).unwrap()).unwrap();
    stage.shows("TBAND FreeRTOS");
}
