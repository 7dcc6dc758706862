//! Serial links on pseudo-terminals.

use crate::common::{Board, bytes, events, note, once, open, symlink, until};
use spytui_engine::io::link::{LineCommand, Link, LinkOptions, LinkSpec, LinkState};
use spytui_engine::io::log::kind::{END, LINK_DOWN, LINK_UP, START};

fn port(board: &Board) -> String {
    format!("serial:{}?baud=921600", board.path.display())
}

fn live(link: &Link) -> bool {
    matches!(link.state(), LinkState::Live | LinkState::Quiet(_))
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| if i % 5 == 0 { 0xff } else { (i / 3) as u8 }).collect()
}

#[test]
fn every_byte_passes_both_ways() {
    let board = Board::new();
    let mut link = open(&port(&board), LinkOptions::default());
    until("open", || live(&link));
    let sent: Vec<u8> = (0..=255).chain(pattern(20_000)).collect();
    board.send(&sent);
    let log = link.sources()[0].log.clone();
    until("all bytes", || log.len() == sent.len() as u64);
    assert_eq!(bytes(&log), sent);
    let command: Vec<u8> = (0..=255).collect();
    assert_eq!(link.sender(0).unwrap().write(&command), Ok(()));
    assert_eq!(board.receive(256), command);
    let counters = link.counters();
    assert_eq!((counters.bytes, counters.sent, counters.line_errors, counters.breaks), (20_256, 256, 0, 0));
    link.stop();
    assert_eq!(events(&log), [(START, 0), (LINK_UP, 0), (END, 20_256)]);
    assert_eq!(link.state(), LinkState::Ended);
}

#[test]
fn bytes_that_came_before_the_first_read_are_there() {
    let board = Board::new();
    let _end = board.raw_end();
    board.send(&[0xff, 0xff, 0, 1, 0xff, 0, 0x7e]);
    let link = open(&port(&board), LinkOptions::default());
    until("open", || live(&link));
    board.send(&[0xff, 0xff, 2]);
    let log = link.sources()[0].log.clone();
    until("all bytes", || log.len() >= 10);
    assert_eq!(bytes(&log), [0xff, 0xff, 0, 1, 0xff, 0, 0x7e, 0xff, 0xff, 2]);
}

#[test]
fn the_real_rate_is_shown_and_can_be_changed() {
    let board = Board::new();
    let link = open(&format!("serial:{}?baud=12345&format=7E2", board.path.display()), LinkOptions::default());
    until("rate", || link.facts().baud == Some(12345));
    link.command(LineCommand::Baud(250_000));
    until("new rate", || link.facts().baud == Some(250_000));
    assert_eq!(link.facts().line_rate, Some(250_000 / 11));
}

#[test]
fn an_unplugged_port_resumes_by_itself_in_the_same_log() {
    let dir = tempfile::tempdir().unwrap();
    let name = dir.path().join("board");
    let board = Board::new();
    symlink(&board.path, &name);
    let mut link = open(&format!("serial:{}", name.display()), LinkOptions::default());
    until("open", || live(&link));
    board.send(b"before");
    let log = link.sources()[0].log.clone();
    until("first bytes", || log.len() == 6);

    std::fs::remove_file(&name).unwrap();
    drop(board);
    until("unplug", || matches!(link.state(), LinkState::NoLink { .. }));
    assert!(note(&link, "unplugged").starts_with(&name.display().to_string()));
    let text = note(&link, "does not exist");
    assert!(text.contains("Present: ") && text.ends_with("Waiting for it."), "{text}");

    let board = Board::new();
    symlink(&board.path, &name);
    until("return", || live(&link));
    board.send(b"after");
    until("second bytes", || log.len() == 11);
    link.stop();
    assert_eq!(bytes(&log), b"beforeafter");
    assert_eq!(events(&log), [(START, 0), (LINK_UP, 0), (LINK_DOWN, 6), (LINK_UP, 6), (END, 11)]);
    assert_eq!(link.counters().connects, 2);
}

#[test]
fn with_once_the_first_end_is_the_end() {
    let board = Board::new();
    let link = open(&port(&board), once());
    until("open", || live(&link));
    board.send(b"x");
    until("byte", || link.counters().bytes == 1);
    drop(board);
    until("end", || link.state() == LinkState::Ended);
    assert!(link.sources()[0].log.ended());

    let link = open("serial:/dev/ttyNOSUCH3", once());
    until("failure", || link.state().is_over());
    assert!(matches!(link.state(), LinkState::Failed(text) if text.starts_with("/dev/ttyNOSUCH3 does not exist.")));
}

#[test]
fn a_port_is_kept_for_one_program_and_comes_when_it_is_free() {
    let board = Board::new();
    let mut first = open(&port(&board), LinkOptions::default());
    until("open", || live(&first));
    let second = open(&port(&board), LinkOptions::default());
    until("refusal", || matches!(second.state(), LinkState::NoLink { .. }));
    let text = note(&second, "in use");
    assert!(text.contains(&format!("{} is in use by", board.path.display())), "{text}");
    first.stop();
    until("free", || live(&second));
}

#[test]
fn a_port_without_modem_lines_says_so_and_works() {
    let board = Board::new();
    let link = open(&format!("{}&dtr=on&rts=off", port(&board)), LinkOptions::default());
    note(&link, "no modem lines; DTR");
    note(&link, "no modem lines; RTS");
    board.send(b"ok");
    until("bytes", || link.counters().bytes == 2);
}

#[test]
fn what_is_no_port_fails_for_good_and_says_why() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let link = open(&format!("serial:{}", file.path().display()), LinkOptions::default());
    until("failure", || link.state().is_over());
    assert!(matches!(link.state(), LinkState::Failed(text) if text.contains("--file")));
}

#[test]
fn a_terminal_given_as_a_path_is_a_port() {
    let board = Board::new();
    let link = Link::open(LinkSpec::path(&board.path), LinkOptions::default()).unwrap();
    until("open", || live(&link));
    board.send(b"hello");
    until("bytes", || link.counters().bytes == 5);
}

#[test]
fn nothing_is_sent_while_there_is_no_link() {
    let link = open("serial:/dev/ttyNOSUCH4", LinkOptions::default());
    until("waiting", || matches!(link.state(), LinkState::NoLink { .. }));
    assert!(link.sender(0).unwrap().write(b"x").is_err());
}
