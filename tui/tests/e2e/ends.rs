//! Whatever ends or stops the program, the terminal is what it was before.

use rustix::process::Signal;

use crate::rig::{Stage, file_args, spytui};

fn shown() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.is_claimed();
    stage
}

#[test]
fn quitting_by_command_and_by_key() {
    for keys in [":q\r", ":quit\r", "qq", "qy", "2qqq"] {
        let mut stage = shown();
        stage.types(keys);
        assert_eq!(stage.code(), 0, "{keys:?}");
        stage.is_given_back();
    }
}

#[test]
fn q_asks_and_takes_only_answers() {
    let mut stage = shown();
    stage.types("q");
    stage.shows("quit? q yes");
    stage.types("n");
    stage.shows("n is no answer; quit? q yes");
    stage.types("\x1b");
    stage.shows_not("quit?");
    stage.types("2q");
    stage.shows("─ Records ─");
    stage.types("qs");
    stage.shows(":wq");
    let path = stage.home.path().join("kept");
    stage.types(&format!("{}\r", path.display()));
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    assert_eq!(std::fs::read(path.with_extension("bin")).unwrap(), crate::rig::bytes_of("oven-734.bin"));
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
        stage.resize(120, 40);
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
