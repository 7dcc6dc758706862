//! Unix: termios, `poll`, `dup2` and signals; and the guard process that gives the terminal back after an abort.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs::{File, Metadata, OpenOptions, Permissions},
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt},
            net::UnixStream,
            process::CommandExt,
        },
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, dup, fcntl_dupfd_cloexec},
    process::{Signal, kill_current_process_group, setsid},
    stdio::{dup2_stderr, dup2_stdout, stderr, stdin, stdout},
    termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr},
};
use signal_hook::{
    consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH, SIGXFSZ},
    iterator::Signals,
};

pub type Descriptor = OwnedFd;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    Bytes,
    /// No byte arrived within the time limit.
    Nothing,
    Gone,
}

pub fn name_bytes(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

pub fn name_of_bytes(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}

/// The terminal to draw on: standard output, or the controlling terminal.
pub fn terminal_output() -> io::Result<Descriptor> {
    terminal_or(isatty(stdout()).then(|| fcntl_dupfd_cloexec(stdout(), 3)))
}

/// The keyboard: standard input, or the controlling terminal.
pub fn keyboard() -> io::Result<Descriptor> {
    terminal_or(isatty(stdin()).then(|| fcntl_dupfd_cloexec(stdin(), 3)))
}

fn terminal_or(standard: Option<rustix::io::Result<OwnedFd>>) -> io::Result<OwnedFd> {
    match standard {
        Some(fd) => Ok(fd?),
        None => Ok(OwnedFd::from(OpenOptions::new().read(true).write(true).open("/dev/tty")?)),
    }
}

/// Columns and rows of a terminal, if known.
pub fn window_size(terminal: &Descriptor) -> Option<(u16, u16)> {
    let size = tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

/// Name and release of the system, as far as known.
pub fn system_name() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or_default();
    let parts = [std::env::consts::OS, release.trim(), std::env::consts::ARCH, name.trim_matches('"')];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[derive(Debug, Clone)]
pub struct TerminalModes(Termios);

impl TerminalModes {
    /// The present modes. Errors: it is not a terminal, or it is gone.
    pub fn of(terminal: &Descriptor) -> io::Result<TerminalModes> {
        Ok(TerminalModes(tcgetattr(terminal)?))
    }

    /// Returns these modes, changed to raw.
    pub fn raw(&self) -> TerminalModes {
        let mut raw = self.0.clone();
        raw.make_raw();
        TerminalModes(raw)
    }

    pub fn apply(&self, terminal: &Descriptor) -> io::Result<()> {
        Ok(tcsetattr(terminal, OptionalActions::Now, &self.0)?)
    }

    /// `true` if the modes are equal, ignoring speeds and control characters.
    pub fn same_flags(&self, other: &TerminalModes) -> bool {
        let flags = |t: &Termios| (t.input_modes, t.output_modes, t.control_modes, t.local_modes);
        flags(&self.0) == flags(&other.0)
    }
}

/// Waits for bytes to read; without `patience`, indefinitely.
pub fn readable(descriptor: &Descriptor, patience: Option<Duration>) -> Readable {
    let limit = patience.map(|p| Timespec { tv_sec: p.as_secs() as _, tv_nsec: p.subsec_nanos().into() });
    let mut fds = [PollFd::from_borrowed_fd(descriptor.as_fd(), PollFlags::IN)];
    match poll(&mut fds, limit.as_ref()) {
        Ok(0) | Err(Errno::INTR) => return Readable::Nothing,
        Ok(_) => {}
        Err(_) => return Readable::Gone,
    }
    let flags = fds[0].revents();
    let hung_up = flags.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
    // Ctrl-D in canonical mode is also readable without a byte, but no hang-up.
    let is_gone = hung_up && rustix::io::ioctl_fionread(descriptor).unwrap_or(0) == 0;
    if is_gone { Readable::Gone } else { Readable::Bytes }
}

pub fn read(descriptor: &Descriptor, buffer: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::io::read(descriptor, buffer)?)
}

/// `true` if a descriptor accepts bytes within `patience`.
pub fn writable(descriptor: &Descriptor, patience: Duration) -> bool {
    let flags = flags_to_write(descriptor, patience);
    flags.contains(PollFlags::OUT) && !flags.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// `true` if a write returns at once, because bytes are accepted or the other end is gone. Waits up to `patience`.
pub fn takes_bytes(descriptor: &impl AsFd, patience: Duration) -> bool {
    !flags_to_write(descriptor, patience).is_empty()
}

/// What a descriptor is ready for within `patience`, which is less than a second; empty if it accepts no bytes.
fn flags_to_write(descriptor: &impl AsFd, patience: Duration) -> PollFlags {
    let mut fds = [PollFd::from_borrowed_fd(descriptor.as_fd(), PollFlags::OUT)];
    let limit = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
    while poll(&mut fds, Some(&limit)) == Err(Errno::INTR) {}
    fds[0].revents()
}

/// Number of bytes that a descriptor with room accepts without blocking; `None` = writes never block for long.
pub fn safe_to_write(file: &File) -> Option<usize> {
    /// POSIX guarantees this much room in a pipe that is ready.
    const PIPE: usize = 4096;
    const TERMINAL: usize = 256;
    let kind = file.metadata().map(|meta| meta.file_type());
    match kind {
        Ok(kind) if kind.is_fifo() || kind.is_socket() => Some(PIPE),
        _ if isatty(file) => Some(TERMINAL),
        _ => None,
    }
}

/// Writes everything; waits up to `patience` whenever no bytes are accepted.
pub fn write_all(descriptor: &Descriptor, mut bytes: &[u8], patience: Duration) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(descriptor, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(writable(descriptor, patience)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Opens a file that only its owner may read, even if it was created with other permissions. Errors: it can't be
/// opened, or belongs to somebody else.
pub fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.mode(0o600).open(path)?;
    let found = file.metadata()?;
    // A device in its place, such as /dev/null, is left unchanged.
    if found.is_file() && found.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// What standard input is. Errors: it is closed.
pub fn stdin_metadata() -> io::Result<Metadata> {
    File::from(dup(stdin())?).metadata()
}

/// The original standard output while it is redirected.
static KEPT_STDOUT: OnceLock<OwnedFd> = OnceLock::new();

/// Reserves standard output for [`stdout_file`]; anything else printed, for example by a plugin, goes to standard error
/// from now on.
pub fn keep_stdout() {
    // If either is closed, they can't be separated.
    if let Ok(kept) = fcntl_dupfd_cloexec(stdout(), 3)
        && KEPT_STDOUT.set(kept).is_ok()
    {
        let _ = dup2_stdout(stderr());
    }
}

/// A copy of standard output as a file. The standard library's handle flushes at every line.
pub fn stdout_file() -> io::Result<File> {
    let kept = KEPT_STDOUT.get().map_or_else(stdout, AsFd::as_fd);
    Ok(File::from(dup(kept)?))
}

pub fn is_stdout_terminal() -> bool {
    KEPT_STDOUT.get().map_or_else(|| isatty(stdout()), isatty)
}

/// Standard output and standard error while redirected.
#[derive(Debug)]
pub struct Redirected {
    out: Option<OwnedFd>,
    err: Option<OwnedFd>,
}

impl Redirected {
    /// Redirects output meant for the terminal into a pipe; redirections by the user stay. Also returns the reading
    /// end.
    pub fn begin() -> io::Result<(Redirected, io::PipeReader)> {
        let (reader, writer) = io::pipe()?;
        let mut redirected = Redirected { out: None, err: None };
        if isatty(stdout()) {
            redirected.out = Some(fcntl_dupfd_cloexec(stdout(), 3)?);
            dup2_stdout(&writer)?;
        }
        if isatty(stderr()) {
            redirected.err = Some(fcntl_dupfd_cloexec(stderr(), 3)?);
            dup2_stderr(&writer)?;
        }
        Ok((redirected, reader))
    }
}

impl Drop for Redirected {
    fn drop(&mut self) {
        // If this fails, output stays in the log; there is no better place to report it.
        if let Some(out) = self.out.take() {
            let _ = dup2_stdout(out);
        }
        if let Some(err) = self.err.take() {
            let _ = dup2_stderr(err);
        }
    }
}

/// Stops all processes of this job; returns when they are continued.
pub fn stop_process_group() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::STOP)?)
}

/// A signal that the screen reacts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenSignal {
    /// A request to stop the process.
    Suspend,
    Continued,
    /// The size changed; query it.
    Resized,
    HungUp,
    /// A request to end, with the signal's number.
    Terminate(i32),
}

impl ScreenSignal {
    pub fn exit_code(self) -> i32 {
        match self {
            ScreenSignal::Terminate(signal) => 128 + signal,
            _ => 128 + SIGHUP,
        }
    }
}

#[derive(Debug)]
pub struct ScreenSignals(Signals);

impl ScreenSignals {
    pub fn take() -> io::Result<ScreenSignals> {
        Ok(ScreenSignals(Signals::new([SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH])?))
    }

    /// Calls `react` for each signal until it returns `false`.
    pub fn listen(mut self, mut react: impl FnMut(ScreenSignal) -> bool) {
        for number in self.0.forever() {
            let signal = match number {
                SIGTSTP => ScreenSignal::Suspend,
                SIGCONT => ScreenSignal::Continued,
                SIGWINCH => ScreenSignal::Resized,
                SIGHUP => ScreenSignal::HungUp,
                other => ScreenSignal::Terminate(other),
            };
            if !react(signal) {
                return;
            }
        }
    }
}

/// Makes a write beyond the file size limit an ordinary error that does not end the program. Unlike ignoring the
/// signal, an empty handler is not inherited by child processes.
pub fn survive_size_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::default()).map(drop)
}

/// Ends the program without the usual cleanup.
pub fn end_at_once(code: u8) -> ! {
    signal_hook::low_level::exit(code.into())
}

/// Handles INT, TERM and HUP: the first one sets `flag` and its number, the second one ends the program.
pub fn stop_on_signals(flag: &Arc<AtomicBool>, number: &Arc<AtomicUsize>) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
        signal_hook::flag::register_usize(signal, number.clone(), signal as usize)?;
    }
    Ok(())
}

/// Name of the program as a guard.
const NAME: &str = "spytui-guard";
/// Time limit for the guard to save the modes, and for a terminal to accept its last bytes.
const PATIENCE: Duration = Duration::from_millis(500);
const NEWS: &[u8] = b"spytui ended abnormally; the terminal was restored.\r\n";

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

#[cfg(test)]
mod tests {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    #[test]
    fn ctrl_d_in_a_terminal_that_takes_lines_is_no_hang_up() {
        let far = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&far).unwrap();
        unlockpt(&far).unwrap();
        let name = ptsname(&far, Vec::new()).unwrap().into_string().unwrap();
        let near = OwnedFd::from(OpenOptions::new().read(true).write(true).open(name).unwrap());
        rustix::io::write(&far, b"\x04").unwrap();
        assert_eq!(readable(&near, None), Readable::Bytes);
        assert_eq!(read(&near, &mut [0; 8]).unwrap(), 0);
        rustix::io::write(&far, b"x\n").unwrap();
        assert_eq!(readable(&near, None), Readable::Bytes);
        assert_eq!(read(&near, &mut [0; 8]).unwrap(), 2);
        drop(far);
        assert_eq!(readable(&near, None), Readable::Gone);
    }
}
