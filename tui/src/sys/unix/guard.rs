//! The guard: a small process that restores the terminal if the program ends without doing so, as after an abort.
//!
//! It is this program under another name, started before anything else is open, so that it only keeps the terminal
//! open. It runs in its own session: the job's signals do not reach it, and it may set the modes of a terminal that the
//! shell has already taken over. Each message is a length and the bytes that leave the screen: the program now holds
//! the terminal. Length 0 means that it has restored the terminal itself.

use std::{
    env, io,
    io::{Read, Write},
    os::unix::{net::UnixStream, process::CommandExt},
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use rustix::{
    io::fcntl_dupfd_cloexec,
    process::setsid,
    stdio::{stderr, stdin, stdout},
};

use super::{Descriptor, TerminalModes, writable, write_all};

/// Name of the program as a guard.
const NAME: &str = "spytui-guard";
/// Time limit for the guard to save the modes, and for a terminal to accept its last bytes.
const PATIENCE: Duration = Duration::from_millis(500);
const NEWS: &[u8] = b"spytui ended abnormally; the terminal was put back.\r\n";

/// Set if `main` can act as a guard, so that this program can be started as one.
static POSSIBLE: AtomicBool = AtomicBool::new(false);

/// Acts as the guard if this process was started as one; `false` if it is the program itself.
pub fn serve_as_guard() -> bool {
    if env::args_os().next().is_none_or(|name| name != NAME) {
        POSSIBLE.store(true, Ordering::Relaxed);
        return false;
    }
    // Without a terminal to restore, there is nothing to do, and nobody to report to.
    let _ = watch();
    true
}

/// The program's side.
#[derive(Debug)]
pub struct Guard(UnixStream);

impl Guard {
    pub fn start(output: &Descriptor, keyboard: &Descriptor) -> io::Result<Guard> {
        if !POSSIBLE.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let (ours, its) = UnixStream::pair()?;
        let mut command = Command::new(program()?);
        command.arg0(NAME).current_dir("/").stdin(Stdio::from(std::os::fd::OwnedFd::from(its)));
        command.stdout(output.try_clone()?).stderr(keyboard.try_clone()?).spawn()?;
        ours.set_read_timeout(Some(PATIENCE))?;
        Ok(Guard(ours))
    }

    /// The terminal is about to be changed; `leave` leaves the screen. Returns when the modes are saved. Errors: the
    /// guard is gone or does not answer.
    pub fn hold(&mut self, leave: &[u8]) -> io::Result<()> {
        let len = u16::try_from(leave.len()).map_err(io::Error::other)?;
        self.0.write_all(&len.to_le_bytes())?;
        self.0.write_all(leave)?;
        self.0.read_exact(&mut [0])
    }

    /// The program restores the terminal itself.
    pub fn release(&mut self) {
        // A guard that is gone does nothing.
        let _ = self.0.write_all(&[0, 0]);
    }
}

/// The running program; on Linux even if its file was replaced.
fn program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { env::current_exe() }
}

/// The guard's side: saves modes until the program is gone, then restores what is still held.
fn watch() -> io::Result<()> {
    // Only the leader of a process group must stay in its session.
    let _ = setsid();
    let mut program = UnixStream::from(fcntl_dupfd_cloexec(stdin(), 3)?);
    let (output, keyboard) = (fcntl_dupfd_cloexec(stdout(), 3)?, fcntl_dupfd_cloexec(stderr(), 3)?);
    let mut held = None;
    let mut len = [0; 2];
    while program.read_exact(&mut len).is_ok() {
        let mut leave = vec![0; usize::from(u16::from_le_bytes(len))];
        if leave.is_empty() {
            held = None;
            continue;
        }
        program.read_exact(&mut leave)?;
        held = Some((TerminalModes::of(&keyboard)?, leave));
        program.write_all(b"k")?;
    }
    let Some((modes, leave)) = held else { return Ok(()) };
    modes.apply(&keyboard)?;
    if writable(&output, PATIENCE) {
        write_all(&output, &leave, PATIENCE)?;
        write_all(&output, NEWS, PATIENCE)?;
    }
    Ok(())
}
