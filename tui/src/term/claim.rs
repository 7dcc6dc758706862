//! The terminal's modes: claimed once, given back exactly once, whatever ends the program.
//!
//! What has to be given back lies in one place for the whole process, so that the panic hook and the signal thread
//! reach it without the screen. Whoever takes it out gives it back; everybody else finds nothing to do.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{Signal, kill_current_process_group};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};

use super::foreign::Foreign;

/// Alternate screen, cleared; cursor hidden; pastes marked.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[m\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h";
const ENTER_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";
/// All of it back, and the scroll margins, and an update that was being drawn.
const LEAVE: &[u8] = b"\x1b[r\x1b[m\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[2J\x1b[H\x1b[?25h\x1b[?1049l";
const END_UPDATE: &[u8] = b"\x1b[?2026l";
/// Do you know synchronised updates? And who are you? Every terminal answers the second question.
const QUESTIONS: &[u8] = b"\x1b[?2026$p\x1b[c";

/// How long a terminal that takes no bytes may hold up the end of the program.
const PATIENCE: Duration = Duration::from_millis(200);
const CLAIM_TRIES: u32 = 10;

/// How the terminal is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claim {
    /// Ask the terminal which modes it knows; the answers come through the input thread.
    pub ask: bool,
    /// Take the mouse, and with it the terminal's own selection.
    pub mouse: bool,
}

struct Held {
    output: OwnedFd,
    input: OwnedFd,
    before: Termios,
    synchronised: bool,
    owner: ThreadId,
    /// Dropped last: gives standard output and standard error back.
    _foreign: Option<Foreign>,
}

static HELD: Mutex<Option<Held>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<Held>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The claimed terminal. Dropping it gives the terminal back.
pub struct Terminal {
    output: OwnedFd,
    claim: Claim,
}

impl Terminal {
    /// Claims the terminal on standard output, with the keyboard on standard input, or the controlling terminal where
    /// these are something else.
    ///
    /// # Errors
    /// When there is no terminal, or it refuses raw mode.
    pub fn claim(claim: Claim) -> io::Result<Terminal> {
        let output = terminal_or(isatty(stdout()).then(|| fcntl_dupfd_cloexec(stdout(), 3)))?;
        take(&output, claim, claim.ask)?;
        Ok(Terminal { output, claim })
    }

    /// Columns and rows; 80 by 24 where the terminal does not know.
    pub fn size(&self) -> (u16, u16) {
        match tcgetwinsize(&self.output) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => (80, 24),
        }
    }

    /// Whether the terminal takes bytes now; false on a line that is held up.
    pub fn writable(&self) -> bool {
        ready(self.output.as_fd(), Duration::ZERO)
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        write_all(&self.output, bytes)
    }

    /// Notes that updates are put between marks, so that one that was interrupted is ended too.
    pub fn set_synchronised(&self, on: bool) {
        if let Some(held) = held().as_mut() {
            held.synchronised = on;
        }
    }

    /// Takes or releases the mouse.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.claim.mouse = on;
        self.write(if on { ENTER_MOUSE } else { b"\x1b[?1006l\x1b[?1000l" })
    }

    /// Gives the terminal back, stops the whole process group, and claims the terminal again when it goes on.
    ///
    /// # Errors
    /// When the terminal cannot be claimed again.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back();
        kill_current_process_group(Signal::STOP)?;
        self.claim_again()
    }

    /// Makes sure of the terminal after the process was stopped and continued by others. The screen has to be drawn
    /// again afterwards in any case.
    ///
    /// # Errors
    /// When the terminal cannot be claimed again.
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

/// The keyboard: standard input, or the controlling terminal.
pub(super) fn keyboard() -> io::Result<OwnedFd> {
    terminal_or(isatty(stdin()).then(|| fcntl_dupfd_cloexec(stdin(), 3)))
}

fn terminal_or(standard: Option<rustix::io::Result<OwnedFd>>) -> io::Result<OwnedFd> {
    match standard {
        Some(fd) => Ok(fd?),
        None => Ok(OwnedFd::from(OpenOptions::new().read(true).write(true).open("/dev/tty")?)),
    }
}

fn take(output: &OwnedFd, claim: Claim, ask: bool) -> io::Result<()> {
    let input = keyboard()?;
    let before = tcgetattr(&input)?;
    let mut raw = before.clone();
    raw.make_raw();
    tcsetattr(&input, OptionalActions::Now, &raw)?;
    let output_copy = output.try_clone()?;
    let owner = thread::current().id();
    let foreign = Foreign::redirect().ok();
    *held() = Some(Held { output: output_copy, input, before, synchronised: false, owner, _foreign: foreign });
    write_all(output, ENTER)?;
    write_all(output, if claim.mouse { ENTER_MOUSE } else { b"" })?;
    write_all(output, if ask { QUESTIONS } else { b"" })
}

/// Whether the terminal is held, and its modes are the ones that were set.
fn still_raw() -> bool {
    let held = held();
    let Some(held) = held.as_ref() else { return false };
    tcgetattr(&held.input).is_ok_and(|now| {
        let mut raw = held.before.clone();
        raw.make_raw();
        let flags = |t: &Termios| (t.input_modes, t.output_modes, t.control_modes, t.local_modes);
        flags(&now) == flags(&raw)
    })
}

/// Gives the terminal back if it is held; from any thread, any number of times. Nothing is written to a terminal that
/// has gone away or takes no bytes.
pub fn give_back() {
    let Some(held) = held().take() else { return };
    if ready(held.output.as_fd(), PATIENCE) {
        let _ = write_all(&held.output, if held.synchronised { END_UPDATE } else { b"" });
        let _ = write_all(&held.output, LEAVE);
    }
    // There is nobody left to tell when this fails: the terminal is gone.
    let _ = tcsetattr(&held.input, OptionalActions::Now, &held.before);
}

/// Whether the terminal is held, and whether this thread claimed it.
pub(super) fn holder() -> (bool, bool) {
    let held = held();
    (held.is_some(), held.as_ref().is_some_and(|held| held.owner == thread::current().id()))
}

/// Whether `fd` takes bytes within `patience`.
fn ready(fd: rustix::fd::BorrowedFd<'_>, patience: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
    let limit = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
    let answered = loop {
        match poll(&mut fds, Some(&limit)) {
            Err(Errno::INTR) => {}
            answer => break answer.is_ok_and(|n| n > 0),
        }
    };
    let flags = fds[0].revents();
    answered && flags.contains(PollFlags::OUT) && !flags.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(ready(fd.as_fd(), PATIENCE)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
