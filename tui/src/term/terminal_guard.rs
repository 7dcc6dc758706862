//! Terminal modes: claimed once and restored exactly once, however the program ends, even by a panic or signal.
//! Meanwhile standard output and standard error go to the program's log.
//!
//! The state to restore is global, so that the panic hook and the signal thread can access it. Whoever takes it first
//! restores the terminal. If nobody can, as after an abort, the guard process does.

use std::{
    io::{self, BufRead as _, BufReader, PipeReader, Read as _},
    mem,
    panic::{set_hook, take_hook},
    process,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;
use parking_lot::Mutex;

use super::keyboard::TermEvent;
use crate::{
    app_log::{self, LogLevel},
    sys::{self, Descriptor, Guard, Redirected, ScreenSignal, ScreenSignals, TerminalModes},
};

/// Alternate screen, cleared; cursor hidden; bracketed paste.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[m\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h";
const ENTER_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";
/// Undoes all of this, and resets the scroll margins.
const LEAVE: &[u8] = b"\x1b[r\x1b[m\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[2J\x1b[H\x1b[?25h\x1b[?1049l";
const END_UPDATE: &[u8] = b"\x1b[?2026l";
/// Queries for synchronised updates and for device attributes. Every terminal answers the latter.
const QUESTIONS: &[u8] = b"\x1b[?2026$p\x1b[c";

/// Maximum delay at exit by a terminal that accepts no bytes.
const PATIENCE: Duration = Duration::from_millis(200);
const CLAIM_TRIES: u32 = 10;
/// Maximum size drawn. Some programs set absurd sizes, and every cell costs memory.
const LARGEST: (u16, u16) = (1_000, 500);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TerminalUse {
    /// Ask the terminal for its modes; the answers arrive through the input thread.
    pub ask: bool,
    /// Use the mouse, which disables the terminal's own selection.
    pub mouse: bool,
}

struct Held {
    output: Descriptor,
    input: Descriptor,
    before: TerminalModes,
    synchronised: bool,
    owner: ThreadId,
    /// Dropped last: restores standard output and standard error.
    _capture: Option<Redirected>,
}

static HELD: Mutex<Option<Held>> = Mutex::new(None);
static GUARD: Mutex<Option<Guard>> = Mutex::new(None);
/// A write to the terminal is in progress. It may block for as long as nobody reads.
static WRITING: AtomicBool = AtomicBool::new(false);
/// The thread that handles signals' events is in a plugin.
static IS_LEFT: AtomicBool = AtomicBool::new(false);

/// Starts the process that restores the terminal if this one can't. Call before anything is opened, as the guard
/// inherits open files.
pub fn start_guard() {
    let guard = sys::terminal_output().and_then(|output| Guard::start(&output, &sys::keyboard()?));
    match guard {
        Ok(guard) => *GUARD.lock() = Some(guard),
        // Everything except an abort works without it.
        Err(error) => app_log::note(LogLevel::Info, "app", &format!("no guard for the terminal: {error}")),
    }
}

/// Restores the terminal because the thread that holds it is in a plugin. Until it is claimed again, nobody handles
/// signals.
pub fn leave() {
    IS_LEFT.store(true, Ordering::Relaxed);
    give_back();
}

/// The claimed terminal. Dropping it restores the terminal.
pub struct Terminal {
    output: Descriptor,
    claim: TerminalUse,
}

impl Terminal {
    /// Claims the terminal on standard output, with the keyboard on standard input, or the controlling terminal if
    /// these are something else. Errors: there is no terminal, or it refuses raw mode.
    pub fn claim(claim: TerminalUse) -> io::Result<Terminal> {
        let output = sys::terminal_output()?;
        take(&output, claim, claim.ask)?;
        Ok(Terminal { output, claim })
    }

    /// Columns and rows, at most 1 000 and 500; 80 by 24 if unknown.
    pub fn size(&self) -> (u16, u16) {
        let (width, height) = sys::window_size(&self.output).unwrap_or((80, 24));
        (width.min(LARGEST.0), height.min(LARGEST.1))
    }

    /// `true` if the terminal accepts bytes now; `false` on a blocked line.
    pub fn writable(&self) -> bool {
        sys::writable(&self.output, Duration::ZERO)
    }

    /// Writes a frame, unless the terminal was restored.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        if !is_held() {
            return Ok(());
        }
        WRITING.store(true, Ordering::Relaxed);
        let result = write_all(&self.output, bytes);
        WRITING.store(false, Ordering::Relaxed);
        result
    }

    /// Sets whether updates are synchronised, so that an interrupted one can be ended.
    pub fn set_synchronised(&self, on: bool) {
        if let Some(held) = HELD.lock().as_mut() {
            held.synchronised = on;
        }
    }

    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.claim.mouse = on;
        self.write(if on { ENTER_MOUSE } else { b"\x1b[?1006l\x1b[?1000l" })
    }

    /// Restores the terminal, stops the whole process group, and claims the terminal again when continued.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back();
        sys::stop_process_group()?;
        self.claim_again()
    }

    /// Restores the terminal modes after the process was stopped and continued. The screen must be redrawn in any case.
    pub fn claim_again(&mut self) -> io::Result<()> {
        if still_raw() {
            return Ok(());
        }
        give_back();
        let mut tries = 1;
        loop {
            match take(&self.output, self.claim, false) {
                Err(_) if tries < CLAIM_TRIES => tries += 1,
                outcome => return outcome,
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn take(output: &Descriptor, claim: TerminalUse, ask: bool) -> io::Result<()> {
    let input = sys::keyboard()?;
    let before = TerminalModes::of(&input)?;
    let output = output.try_clone()?;
    let owner = thread::current().id();
    // Locked until the end: another thread that ends the program meanwhile has to restore all of it.
    let mut held = HELD.lock();
    if let Some(guard) = GUARD.lock().as_mut() {
        // A guard that does not answer is not waited for: it is only needed in rare cases.
        let _ = guard.hold(&[END_UPDATE, LEAVE].concat());
    }
    let capture = capture().ok();
    let claimed = held.insert(Held { output, input, before, synchronised: false, owner, _capture: capture });
    IS_LEFT.store(false, Ordering::Relaxed);
    let entered = enter(claimed, claim, ask);
    if entered.is_err() {
        restore(held.take());
    }
    entered
}

fn enter(held: &Held, claim: TerminalUse, ask: bool) -> io::Result<()> {
    held.before.raw().apply(&held.input)?;
    write_all(&held.output, ENTER)?;
    write_all(&held.output, if claim.mouse { ENTER_MOUSE } else { b"" })?;
    write_all(&held.output, if ask { QUESTIONS } else { b"" })
}

/// `true` if the terminal is held and its modes are unchanged.
fn still_raw() -> bool {
    let held = HELD.lock();
    let Some(held) = held.as_ref() else { return false };
    TerminalModes::of(&held.input).is_ok_and(|now| now.same_flags(&held.before.raw()))
}

/// Restores the terminal if held; from any thread, any number of times. Writes nothing to a terminal that is gone or
/// accepts no bytes.
fn give_back() {
    restore(HELD.lock().take());
}

/// Restores the terminal before the program ends: a thread that is about to claim it or write to it never does.
pub fn give_back_for_good() {
    let mut held = HELD.lock();
    restore(held.take());
    mem::forget(held);
}

fn restore(held: Option<Held>) {
    let Some(held) = held else { return };
    if let Some(guard) = GUARD.lock().as_mut() {
        guard.release();
    }
    if sys::writable(&held.output, PATIENCE) {
        let _ = write_all(&held.output, if held.synchronised { END_UPDATE } else { b"" });
        let _ = write_all(&held.output, LEAVE);
    }
    // If this fails, the terminal is gone.
    let _ = held.before.apply(&held.input);
}

pub fn is_held() -> bool {
    HELD.lock().is_some()
}

/// Whether the terminal is held, and whether this thread claimed it.
pub(super) fn holder() -> (bool, bool) {
    let held = HELD.lock();
    (held.is_some(), held.as_ref().is_some_and(|held| held.owner == thread::current().id()))
}

fn write_all(output: &Descriptor, bytes: &[u8]) -> io::Result<()> {
    sys::write_all(output, bytes, PATIENCE)
}

/// Longer lines are split.
const LONGEST: u64 = 1_000;

/// Captures output meant for the terminal, until the result is dropped; redirections by the user stay.
fn capture() -> io::Result<Redirected> {
    let (redirected, reader) = Redirected::begin()?;
    thread::Builder::new().name("captured output".into()).spawn(move || collect(reader))?;
    Ok(redirected)
}

fn collect(pipe: PipeReader) {
    let mut lines = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => app_log::note(LogLevel::Warning, "stderr", String::from_utf8_lossy(&line).trim_end()),
        }
    }
}

/// Installs the hook once. Hooks installed later (those that catch plugins) run before it.
///
/// A panic of the drawing thread ends the program, so the terminal is restored before the message is printed. A panic
/// of another thread goes to the log while the screen stays.
pub fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            app_log::note(LogLevel::Error, "panic", &info.to_string());
            let (held, ours) = holder();
            if ours {
                give_back();
            }
            if ours || !held {
                print(info);
            }
        }));
    });
}

/// Time limit for an orderly shutdown.
const END_PATIENCE: Duration = Duration::from_secs(5);
/// Time limit for a write to the terminal during a shutdown.
const WRITE_PATIENCE: Duration = Duration::from_millis(600);
const LOOK: Duration = Duration::from_millis(50);

/// Starts the thread that turns signals into events.
///
/// A second request to end, or no end after five seconds, restores the terminal and exits at once; a terminal that is
/// not read gets only a moment.
pub fn listen_to_signals(events: Sender<TermEvent>) -> io::Result<()> {
    let signals = ScreenSignals::take()?;
    let listen = move || {
        let mut ending = false;
        signals.listen(|signal| {
            match signal {
                ScreenSignal::Suspend | ScreenSignal::Continued | ScreenSignal::Resized => {}
                end if ending => exit(end),
                // Nobody could survive it on purpose.
                ScreenSignal::HungUp if IS_LEFT.load(Ordering::Relaxed) => exit(signal),
                // A hang-up may be survived on purpose, a request to end may not.
                ScreenSignal::HungUp => {}
                ScreenSignal::Terminate(_) => {
                    ending = true;
                    insist(signal);
                }
            }
            events.send(TermEvent::Signal(signal)).is_ok()
        });
    };
    thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

fn insist(signal: ScreenSignal) {
    let last_resort = thread::Builder::new().name("last resort".into());
    let _ = last_resort.spawn(move || {
        let start = Instant::now();
        let mut written = start;
        while start.elapsed() < END_PATIENCE && written.elapsed() < WRITE_PATIENCE {
            thread::sleep(LOOK);
            if !WRITING.load(Ordering::Relaxed) {
                written = Instant::now();
            }
        }
        exit(signal)
    });
}

fn exit(signal: ScreenSignal) -> ! {
    give_back_for_good();
    process::exit(signal.exit_code())
}
