//! Whatever ends or stops the program, the terminal is restored.

use std::time::Duration;

use rustix::process::Signal;

use crate::rig::{Stage, capture, file_args, program, spytui};

fn shown() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.is_claimed();
    stage
}

#[test]
fn quitting_by_command_and_by_key() {
    for keys in [":q\r", ":quit\r"] {
        let mut stage = shown();
        stage.types(keys);
        assert_eq!(stage.code(), 0, "{keys:?}");
        stage.is_given_back();
    }
    for (keys, answer) in [("q", "q"), ("q", "y"), ("2qq", "q")] {
        let mut stage = shown();
        stage.types(keys);
        stage.shows("quit? q yes");
        // Nobody types faster.
        std::thread::sleep(Duration::from_millis(40));
        stage.types(answer);
        assert_eq!(stage.code(), 0, "{keys:?}");
        stage.is_given_back();
    }
}

/// A terminal without bracketed paste sends the text as keys.
#[test]
fn a_paste_does_not_quit() {
    let mut stage = shown();
    stage.types("the quick y");
    stage.shows("was pasted; quit? q yes");
    stage.types("\x1b");
    stage.shows_not("quit?");
}

#[test]
fn q_asks_and_takes_only_answers() {
    let mut stage = shown();
    stage.types("q");
    stage.shows("quit? q yes");
    stage.types("n");
    stage.shows("n is not an answer; quit? q yes");
    stage.types("\x1b");
    stage.shows_not("quit?");
    stage.types("2q");
    stage.shows("─ Records ─");
    // Files on disk need no saving.
    stage.types("qs");
    stage.shows("s is not an answer; quit? q yes · Esc stays");
    stage.types("\x1b");
    stage.shows_not("quit?");
    let path = stage.home.path().join("kept");
    stage.types(&format!(":wq {}\r", path.display()));
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    assert_eq!(std::fs::read(path.with_extension("bin")).unwrap(), crate::rig::bytes_of("oven-734.bin"));
}

#[test]
fn what_was_saved_is_said_after_the_end_and_what_is_not_kept() {
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("QS 7.3.4");
    stage.shows("Disp");
    stage.types("km");
    stage.shows("mark 1");
    stage.types("q");
    stage.shows("quit? q yes · s save data (the mark is not saved) · Esc stays");
    // Nobody types faster.
    std::thread::sleep(Duration::from_millis(40));
    stage.types("s");
    stage.shows(":wq");
    stage.types("kept\r");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    stage.shows(" B in kept.bin; spytui kept.bin opens it");
}

#[test]
fn interrupting_twice_quits() {
    let mut stage = shown();
    stage.types("\x03");
    stage.shows("^c again within a second quits");
    stage.types("\x03");
    assert_eq!(stage.code(), 130);
    stage.is_given_back();
}

#[test]
fn signals_give_the_terminal_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        let mut stage = shown();
        stage.signal(signal);
        assert_eq!(stage.code(), code, "{signal:?}");
        stage.is_given_back();
    }
}

#[test]
fn what_can_not_be_handled_is_cleaned_up_by_the_guard() {
    for signal in [Signal::KILL, Signal::ABORT] {
        let mut stage = shown();
        stage.signal(signal);
        assert_eq!(stage.code(), -signal.as_raw());
        stage.is_given_back();
        stage.shows("spytui ended abnormally; the terminal was restored.");
    }
}

#[test]
fn a_terminal_that_is_not_read_keeps_nobody_from_ending() {
    let mut stage = shown();
    stage.settles();
    let end = |stage: &mut Stage| {
        // More than the system buffers for a terminal.
        for _ in 0..60 {
            stage.types("gG");
            std::thread::sleep(Duration::from_millis(10));
        }
        stage.signal(Signal::TERM);
    };
    assert_eq!(stage.ends_unread(end, Duration::from_secs(3)), Some(143));
}

#[test]
fn too_few_files_leave_the_terminal_as_it_was() {
    for most in 3..16 {
        let line = format!("ulimit -n {most}; exec \"$0\" --proto qs \"$1\"");
        let binary = env!("CARGO_BIN_EXE_spytui");
        let args = ["-c".to_owned(), line, binary.to_owned(), capture("oven-734.bin").display().to_string()];
        let mut stage = program("bash", args).start();
        stage.until("an end or the screen", |stage| stage.has_ended() || stage.screen().contains("2 360 rec"));
        if !stage.has_ended() {
            stage.command("q");
        }
        let code = stage.code();
        assert!(code == 0 || code == 3 || code == 127, "{most}: {code}");
        stage.is_given_back();
    }
}

#[test]
fn stopping_gives_it_back_and_going_on_takes_it_again() {
    for by_key in [true, false] {
        let mut stage = shown();
        stage.types("2");
        stage.shows("67 names");
        if by_key {
            stage.types("\x1a");
        } else {
            stage.signal(Signal::TSTP);
        }
        stage.is_stopped();
        stage.is_given_back();
        stage.resize(140, 40);
        stage.signal(Signal::CONT);
        stage.is_claimed();
        stage.shows("─┬─ Dictionary");
        stage.shows("TELEM");
        stage.types("1");
        stage.shows_not("Dictionary");
        stage.command("q");
        assert_eq!(stage.code(), 0);
        stage.is_given_back();
    }
}

#[test]
fn a_terminal_that_goes_away_ends_the_program() {
    let mut stage = shown();
    stage.hang_up();
    assert_eq!(stage.code(), 129);
}
