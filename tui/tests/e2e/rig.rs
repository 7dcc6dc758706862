//! The program in a pseudo-terminal, an emulator that reads its screen, and its environment: a separate home folder,
//! captures, ports.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid};
use tempfile::TempDir;

/// How long a test waits before it fails: enough for a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Polling interval of conditions without output.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
const PROMPT: &[u8] = b"$ spytui\r\n";
/// Queries to a terminal, and the answer of one that supports synchronised updates.
const QUESTIONS: &[u8] = b"\x1b[?2026$p\x1b[c";
const ANSWERS: &[u8] = b"\x1b[?2026;2$y\x1b[?62c";
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";

/// A capture of the QS decoder.
pub fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qs/tests/captures").join(name)
}

/// The bytes of a capture.
pub fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(capture(name)).unwrap()
}

/// A folder for the test.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Runs a test on all cases at the same time: they wait for programs of their own.
pub fn together<T: Sync>(cases: &[T], test: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| cases.iter().for_each(|case| drop(scope.spawn(|| test(case)))));
}

/// How the program is started.
pub struct Start {
    program: OsString,
    args: Vec<OsString>,
    size: (u16, u16),
    env: Vec<(String, OsString)>,
    home: Option<TempDir>,
}

/// Starts the program on a terminal with these arguments.
pub fn spytui<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Start {
    program(env!("CARGO_BIN_EXE_spytui"), args)
}

/// Starts another program on a terminal, which starts ours.
pub fn program<A: Into<OsString>>(program: &str, args: impl IntoIterator<Item = A>) -> Start {
    let args = args.into_iter().map(Into::into).collect();
    Start { program: program.into(), args, size: (80, 24), env: Vec::new(), home: None }
}

/// The arguments for a capture with its decoder.
pub fn file_args(name: &str) -> Vec<OsString> {
    vec!["--proto".into(), "qs".into(), capture(name).into()]
}

impl Start {
    pub fn size(mut self, width: u16, height: u16) -> Start {
        self.size = (width, height);
        self
    }

    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Start {
        self.env.push((name.into(), value.into()));
        self
    }

    /// With the files of an earlier run.
    pub fn home(mut self, home: TempDir) -> Start {
        self.home = Some(home);
        self
    }

    pub fn start(self) -> Stage {
        let home = self.home.unwrap_or_else(folder);
        let pair = native_pty_system().openpty(pty_size(self.size)).unwrap();
        let modes = modes(&*pair.master);
        let mut command = CommandBuilder::new(&self.program);
        command.args(&self.args);
        set_environment(|name, value| command.env(name, value), home.path());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        ["LC_ALL", "LC_CTYPE", "NO_COLOR", "COLORTERM", "TMUX", "SSH_TTY", "SSH_CONNECTION", "COLORFGBG"]
            .iter()
            .for_each(|name| command.env_remove(name));
        self.env.iter().for_each(|(name, value)| command.env(name, value));
        command.cwd(home.path());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let pid = Pid::from_raw(child.process_id().unwrap() as i32).unwrap();
        let terminal = Arc::new(Terminal { sink: Mutex::new(Sink::new(self.size)), output: Condvar::new() });
        let keyboard = Keyboard(Arc::new(Mutex::new(Some(pair.master.take_writer().unwrap()))));
        read_screen(pair.master.try_clone_reader().unwrap(), terminal.clone(), keyboard.clone());
        Stage { master: Some(pair.master), keyboard, terminal, pid, modes, home, ended: false }
    }
}

/// A home folder for everything the program stores.
pub fn set_environment(mut env: impl FnMut(&str, OsString), home: &Path) {
    env("HOME", home.into());
    for (name, folder) in [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_RUNTIME_DIR", "run"),
    ] {
        env(name, home.join(folder).into());
    }
    env("RUST_BACKTRACE", "0".into());
}

fn pty_size((cols, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

/// Output to the terminal.
struct Sink {
    emulator: vt100::Parser,
    raw: Vec<u8>,
    /// An incomplete frame.
    open: Vec<u8>,
    /// The screens so far, one after each piece of output.
    screens: Vec<String>,
    /// The reader ends with the next output, releasing the terminal.
    leaving: bool,
}

impl Sink {
    fn new((cols, rows): (u16, u16)) -> Sink {
        let mut emulator = vt100::Parser::new(rows.try_into().unwrap(), cols.try_into().unwrap(), 0);
        emulator.process(PROMPT);
        Sink { emulator, raw: Vec::new(), open: Vec::new(), screens: Vec::new(), leaving: false }
    }

    /// Adds a piece of output. Synchronised updates are shown completely, so no test sees half of one.
    fn take(&mut self, output: &[u8]) {
        self.raw.extend_from_slice(output);
        self.open.extend_from_slice(output);
        let whole = whole(&self.open);
        self.emulator.process(&self.open[..whole]);
        self.open.drain(..whole);
        let screen = self.emulator.screen().contents();
        if self.screens.last() != Some(&screen) {
            self.screens.push(screen);
        }
    }
}

/// Length of the output that can be shown: up to an incomplete frame.
fn whole(output: &[u8]) -> usize {
    let last = |mark: &[u8]| output.windows(mark.len()).rposition(|part| part == mark);
    let begun = (1..BEGIN_FRAME.len()).rev().find(|&length| output.ends_with(&BEGIN_FRAME[..length]));
    match (last(BEGIN_FRAME), last(END_FRAME)) {
        (Some(begin), end) if end.is_none_or(|end| end < begin) => begin,
        _ => output.len() - begun.unwrap_or(0),
    }
}

/// The keys of the terminal, until it is closed.
#[derive(Clone)]
struct Keyboard(Arc<Mutex<Option<Box<dyn Write + Send>>>>);

impl Keyboard {
    fn types(&self, keys: &[u8]) {
        if let Some(keyboard) = &mut *self.0.lock().unwrap() {
            keyboard.write_all(keys).unwrap();
        }
    }

    fn close(&self) {
        *self.0.lock().unwrap() = None;
    }
}

/// The terminal, and a notification of output.
struct Terminal {
    sink: Mutex<Sink>,
    output: Condvar,
}

impl Terminal {
    fn lock(&self) -> MutexGuard<'_, Sink> {
        self.sink.lock().unwrap()
    }
}

fn read_screen(mut output: Box<dyn Read + Send>, terminal: Arc<Terminal>, keyboard: Keyboard) {
    std::thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            let mut sink = terminal.lock();
            sink.take(&buffer[..count]);
            if buffer[..count].windows(QUESTIONS.len()).any(|part| part == QUESTIONS) {
                keyboard.types(ANSWERS);
            }
            terminal.output.notify_all();
            if sink.leaving {
                return;
            }
        }
    });
}

/// The running program.
pub struct Stage {
    master: Option<Box<dyn MasterPty + Send>>,
    keyboard: Keyboard,
    terminal: Arc<Terminal>,
    pub pid: Pid,
    modes: String,
    pub home: TempDir,
    ended: bool,
}

impl Stage {
    /// The screen as text, line by line.
    pub fn screen(&self) -> String {
        self.terminal.lock().emulator.screen().contents()
    }

    /// The line under the cursor: the one with its sign, which losses get without colours; otherwise the first line
    /// reversed at its time column.
    pub fn cursor_line(&self) -> String {
        let sink = self.terminal.lock();
        let screen = sink.emulator.screen();
        let (rows, cols) = screen.size();
        let (rows, cols): (u16, u16) = (rows.into(), cols.into());
        let reversed = |row: &u16| (0..4).all(|col| screen.cell(*row, col).is_some_and(vt100::Cell::inverse));
        let signed = |row: &u16| screen.cell(*row, 0).is_some_and(|cell| cell.contents() == "►");
        let row = (3..rows - 2).find(signed).or_else(|| (3..rows - 2).find(reversed));
        row.map(|row| screen.contents_between(row, 0, row, cols)).unwrap_or_default()
    }

    /// The underlined text, with a blank between its parts.
    pub fn underlined(&self) -> String {
        let sink = self.terminal.lock();
        let screen = sink.emulator.screen();
        let (rows, cols) = screen.size();
        let (rows, cols): (u16, u16) = (rows.into(), cols.into());
        let cells = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        let text = cells.map(|(row, col)| match screen.cell(row, col) {
            Some(cell) if cell.underline() => cell.contents().to_owned(),
            _ => " ".to_owned(),
        });
        text.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Everything that was written to the terminal.
    pub fn raw(&self) -> Vec<u8> {
        self.terminal.lock().raw.clone()
    }

    /// Bytes written to the terminal so far.
    pub fn written(&self) -> usize {
        self.terminal.lock().raw.len()
    }

    pub fn shows(&self, text: &str) {
        self.until(&format!("{text:?}"), |stage| stage.screen().contains(text));
    }

    /// The text was on the screen, and disappears.
    pub fn shows_not(&self, text: &str) {
        self.until(&format!("{text:?} to be seen"), |stage| stage.has_shown(text));
        self.until(&format!("no {text:?}"), |stage| !stage.screen().contains(text));
    }

    /// The text was on no screen so far, including the present one.
    pub fn has_never_shown(&self, text: &str) {
        self.settles();
        assert!(!self.has_shown(text), "{text:?} was on the screen, which is:\n{}\n----", self.screen());
    }

    fn has_shown(&self, text: &str) -> bool {
        self.terminal.lock().screens.iter().any(|screen| screen.contains(text))
    }

    pub fn until(&self, what: &str, done: impl Fn(&Stage) -> bool) {
        assert!(self.comes_within(PATIENCE, done), "waited for {what}; the screen:\n{}\n----", self.screen());
    }

    /// Waits until a condition holds, or the time is over.
    pub fn comes_within(&self, patience: Duration, done: impl Fn(&Stage) -> bool) -> bool {
        let start = Instant::now();
        while start.elapsed() < patience {
            let seen = self.written();
            if done(self) {
                return true;
            }
            // The condition may change without output: check again after a while.
            let unchanged = |sink: &mut Sink| sink.raw.len() == seen;
            drop(self.terminal.output.wait_timeout_while(self.terminal.lock(), LOOK_AGAIN, unchanged));
        }
        false
    }

    /// Waits until nothing was written for a while.
    pub fn settles(&self) {
        let mut before = self.written();
        loop {
            std::thread::sleep(Duration::from_millis(60));
            let now = self.written();
            if now == before {
                return;
            }
            before = now;
        }
    }

    pub fn types(&mut self, keys: &str) {
        self.types_bytes(keys.as_bytes());
    }

    /// Types bytes, perhaps a part of a key.
    pub fn types_bytes(&self, bytes: &[u8]) {
        self.keyboard.types(bytes);
    }

    /// A command with its Enter.
    pub fn command(&mut self, line: &str) {
        self.types(&format!(":{line}\r"));
    }

    pub fn resize(&self, width: u16, height: u16) {
        let mut sink = self.terminal.lock();
        sink.emulator.screen_mut().set_size(height.try_into().unwrap(), width.try_into().unwrap());
        self.master.as_ref().unwrap().resize(pty_size((width, height))).unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Whether the program has ended.
    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid), options).unwrap().is_some()
    }

    /// Waits for the end; returns the exit code, or minus the signal.
    pub fn code(&mut self) -> i32 {
        let start = Instant::now();
        loop {
            if let Some((_, status)) = waitpid(Some(self.pid), WaitOptions::NOHANG).unwrap() {
                self.ended = true;
                let signal = status.terminating_signal().map(|signal| -signal);
                return status.exit_status().or(signal).unwrap_or(i32::MIN);
            }
            assert!(start.elapsed() < PATIENCE, "waited for the end; the screen:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Acts while nobody reads the terminal; returns the exit code if the program ends in time.
    pub fn ends_unread(&mut self, act: impl FnOnce(&mut Stage), time: Duration) -> Option<i32> {
        let terminal = self.terminal.clone();
        // The reader needs it for every piece of output.
        let _unread = terminal.lock();
        act(self);
        let start = Instant::now();
        while start.elapsed() < time {
            if let Some((_, status)) = waitpid(Some(self.pid), WaitOptions::NOHANG).unwrap() {
                self.ended = true;
                return status.exit_status();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// Waits until the process is stopped.
    pub fn is_stopped(&self) {
        let (_, status) = waitpid(Some(self.pid), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
    }

    /// The line discipline's modes, as text.
    pub fn modes(&self) -> String {
        modes(&**self.master.as_ref().unwrap())
    }

    /// The terminal is as it was before the program.
    pub fn is_given_back(&self) {
        self.is_left();
        assert!(self.screen().starts_with("$ spytui"), "{}", self.screen());
    }

    /// The same, but it showed what was typed while the program was stopped.
    pub fn is_left(&self) {
        self.until("the modes of before", |stage| stage.modes() == stage.modes);
        self.until("the first screen", |stage| {
            let sink = stage.terminal.lock();
            let screen = sink.emulator.screen();
            !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
        });
    }

    /// The program has claimed the terminal.
    pub fn is_claimed(&self) {
        self.until("raw modes", |stage| stage.modes() != stage.modes);
        self.until("the second screen", |stage| stage.terminal.lock().emulator.screen().alternate_screen());
    }

    /// Closes the terminal.
    pub fn hang_up(&mut self) {
        self.terminal.lock().leaving = true;
        self.types("j");
        self.until("the last output", |stage| Arc::strong_count(&stage.terminal) == 1);
        self.keyboard.close();
        self.master = None;
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.ended {
            let _ = kill_process(self.pid, Signal::KILL);
            let _ = waitpid(Some(self.pid), WaitOptions::empty());
        }
    }
}
