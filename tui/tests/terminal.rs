//! Whatever ends the program, the terminal is restored: modes, screen, cursor, bracketed paste.

#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

const PATIENCE: Duration = Duration::from_secs(20);
const PROMPT: &[u8] = b"$ spytui\r\n";

/// A program in a pseudo-terminal, with an emulator that reads its screen.
struct Stage {
    master: Option<Box<dyn MasterPty + Send>>,
    keyboard: Option<Box<dyn Write + Send>>,
    emulator: Arc<Mutex<vt100::Parser>>,
    /// The reader ends with the next output.
    leaving: Arc<AtomicBool>,
    pid: Pid,
    modes: String,
}

fn example() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    let path = path.join("examples/term_probe");
    assert!(path.exists(), "build it first: cargo build -p spytui --example term_probe");
    path
}

impl Stage {
    fn start() -> Stage {
        let size = PtySize { rows: 10, cols: 60, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let modes = modes(&*pair.master);
        let mut command = CommandBuilder::new(example());
        command.env("TERM", "xterm");
        command.env("LANG", "C.UTF-8");
        command.env("RUST_BACKTRACE", "0");
        let child = pair.slave.spawn_command(command).unwrap();
        let pid = Pid::from_raw(child.process_id().unwrap() as i32).unwrap();
        let emulator = Arc::new(Mutex::new(vt100::Parser::new(10.try_into().unwrap(), 60.try_into().unwrap(), 0)));
        emulator.lock().unwrap().process(PROMPT);
        let mut output = pair.master.try_clone_reader().unwrap();
        let screen = Arc::clone(&emulator);
        let leaving = Arc::new(AtomicBool::new(false));
        let left = Arc::clone(&leaving);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                screen.lock().unwrap().process(&buffer[..count]);
                if left.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        let stage = Stage { master: Some(pair.master), keyboard: Some(keyboard), emulator, leaving, pid, modes };
        stage.shows("probe 60x10");
        stage
    }

    fn contents(&self) -> String {
        self.emulator.lock().unwrap().screen().contents()
    }

    fn shows(&self, text: &str) {
        self.until(text, |stage| stage.contents().contains(text));
    }

    fn until(&self, what: &str, done: impl Fn(&Stage) -> bool) {
        let start = Instant::now();
        while !done(self) {
            assert!(start.elapsed() < PATIENCE, "waited for {what}; screen:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn types(&mut self, keys: &[u8]) {
        self.keyboard.as_mut().unwrap().write_all(keys).unwrap();
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    fn code(&self) -> i32 {
        let (_, status) = waitpid(Some(self.pid), WaitOptions::empty()).unwrap().unwrap();
        status.exit_status().unwrap_or(-1)
    }

    fn signal_of_end(&self) -> Option<i32> {
        let (_, status) = waitpid(Some(self.pid), WaitOptions::empty()).unwrap().unwrap();
        status.terminating_signal()
    }

    fn modes(&self) -> String {
        modes(&**self.master.as_ref().unwrap())
    }

    fn is_given_back(&self) {
        self.until("the modes of before", |stage| stage.modes() == stage.modes);
        self.until("the first screen", |stage| {
            let emulator = stage.emulator.lock().unwrap();
            let screen = emulator.screen();
            !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
        });
        assert!(self.contents().starts_with("$ spytui"), "{}", self.contents());
    }
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

#[test]
fn quitting_gives_the_terminal_back() {
    let mut stage = Stage::start();
    assert_ne!(stage.modes(), stage.modes);
    assert!(stage.emulator.lock().unwrap().screen().alternate_screen());
    stage.types(b"q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
}

#[test]
fn a_panic_gives_it_back_and_prints_last() {
    let mut stage = Stage::start();
    stage.types(b"P");
    assert_eq!(stage.code(), 101);
    stage.is_given_back();
    stage.shows("asked to");
}

#[test]
fn an_abort_gives_it_back_by_the_guard() {
    let mut stage = Stage::start();
    stage.types(b"A");
    assert_eq!(stage.signal_of_end(), Some(6));
    stage.is_given_back();
    stage.shows("spytui ended abnormally; the terminal was restored.");
}

#[test]
fn an_end_while_the_terminal_is_being_claimed_leaves_what_it_printed() {
    let mut stage = Stage::start();
    stage.types(b"E");
    assert_eq!(stage.code(), 4);
    stage.is_given_back();
    stage.shows("ended by another thread");
}

#[test]
fn a_kill_gives_it_back_also_after_a_stop() {
    let mut stage = Stage::start();
    stage.types(b"s");
    let (_, status) = waitpid(Some(stage.pid), WaitOptions::UNTRACED).unwrap().unwrap();
    assert!(status.stopped());
    stage.is_given_back();
    stage.signal(Signal::CONT);
    stage.shows("probe 60x10");
    stage.signal(Signal::KILL);
    assert_eq!(stage.signal_of_end(), Some(9));
    stage.is_given_back();
}

#[test]
fn a_panic_elsewhere_goes_to_the_log() {
    let mut stage = Stage::start();
    stage.types(b"T");
    stage.shows("panic: in a thread");
    assert!(stage.emulator.lock().unwrap().screen().alternate_screen());
    stage.types(b"q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    assert!(!stage.contents().contains("thread"));
}

#[test]
fn signals_give_it_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        let stage = Stage::start();
        stage.signal(signal);
        assert_eq!(stage.code(), code, "{signal:?}");
        stage.is_given_back();
    }
}

#[test]
fn stopping_gives_it_back_and_going_on_takes_it_again() {
    for by_key in [true, false] {
        let mut stage = Stage::start();
        if by_key {
            stage.types(b"s");
        } else {
            stage.signal(Signal::TSTP);
        }
        let (_, status) = waitpid(Some(stage.pid), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped());
        stage.is_given_back();
        stage.signal(Signal::CONT);
        stage.shows("probe 60x10");
        assert_ne!(stage.modes(), stage.modes);
        stage.types(b"x");
        stage.shows("last key Char('x')");
        stage.types(b"q");
        assert_eq!(stage.code(), 0);
        stage.is_given_back();
    }
}

#[test]
fn standard_error_never_reaches_the_screen() {
    let mut stage = Stage::start();
    stage.types(b"e");
    stage.types(b"x");
    stage.shows("stderr: written to standard error");
    stage.types(b"q");
    assert_eq!(stage.code(), 0);
    stage.is_given_back();
    assert!(!stage.contents().contains("written"));
}

#[test]
fn answers_are_no_keys_and_keys_are_not_eaten() {
    let mut stage = Stage::start();
    stage.types(b"a\x1b[?2026;2$y\x1b[?62;22cb");
    stage.shows("last key Char('b')");
    stage.types("é".as_bytes());
    stage.shows("last key Char('é')");
    stage.types(b"\x1b[A");
    stage.shows("last key Up");
    stage.types(b"\x1b");
    stage.shows("last key Esc");
    stage.types(b"\x1b[200~:q\r\x1b[201~");
    stage.shows("Paste(\":q\\r\")");
    stage.types(b"q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn a_terminal_that_goes_away_ends_the_program() {
    let mut stage = Stage::start();
    stage.leaving.store(true, Ordering::Relaxed);
    stage.types(b"x");
    stage.keyboard = None;
    stage.master = None;
    let code = stage.code();
    assert!([3, 129].contains(&code), "{code}");
}

#[test]
fn absurd_sizes_are_clamped() {
    let stage = Stage::start();
    let size = PtySize { rows: 60_000, cols: 65_000, pixel_width: 0, pixel_height: 0 };
    stage.master.as_ref().unwrap().resize(size).unwrap();
    stage.shows("probe 1000x500");
    stage.signal(Signal::TERM);
    assert_eq!(stage.code(), 143);
}

#[test]
fn a_new_size_is_taken() {
    let stage = Stage::start();
    let size = PtySize { rows: 8, cols: 50, pixel_width: 0, pixel_height: 0 };
    stage.master.as_ref().unwrap().resize(size).unwrap();
    stage.shows("probe 50x8");
    stage.signal(Signal::TERM);
    assert_eq!(stage.code(), 143);
}
