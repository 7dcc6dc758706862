//! The program's own log: a file in the state directory, and the newest lines for the Log pane.
//!
//! Global, because a panic or foreign output may come from any thread. It never writes to the screen, and the program
//! continues if the log can't be written.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crossbeam_channel::Sender;
use parking_lot::Mutex;

use crate::sys::open_private;

/// Newest lines kept until the Log pane takes them.
const KEPT: usize = 1_000;
/// Longer lines are cut.
const LONGEST: usize = 2_000;
/// A larger log file is moved aside.
const LARGEST: u64 = 4 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Debug,
    Info,
    Warning,
    Error,
}

impl LogLevel {
    /// The word at the start of a line.
    pub fn word(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
        }
    }

    /// The level for a value of `SPYTUI_LOG`.
    pub fn named(word: &str) -> Option<LogLevel> {
        [LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error]
            .into_iter()
            .find(|level| level.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    pub time: SystemTime,
    pub level: LogLevel,
    /// Origin: `app`, `stderr`, a plugin.
    pub source: String,
    /// One line of raw text; must be sanitised before drawing.
    pub text: String,
}

struct AppLog {
    lines: VecDeque<LogLine>,
    file: Option<LogFile>,
    least: LogLevel,
    waker: Option<Sender<()>>,
}

struct LogFile {
    file: File,
    path: PathBuf,
    len: u64,
}

impl LogFile {
    /// Opens the file; moves it aside first if too large. Other runs may write to it, too.
    fn open(path: &Path) -> io::Result<LogFile> {
        let open = || open_private(OpenOptions::new().append(true).create(true), path);
        let mut file = open()?;
        if file.metadata()?.len() > LARGEST {
            std::fs::rename(path, path.with_extension("old"))?;
            file = open()?;
        }
        let len = file.metadata()?.len();
        Ok(LogFile { file, path: path.to_owned(), len })
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        if self.len > LARGEST {
            *self = LogFile::open(&self.path)?;
        }
        self.len += text.len() as u64;
        self.file.write_all(text.as_bytes())
    }
}

static LOG: Mutex<AppLog> =
    Mutex::new(AppLog { lines: VecDeque::new(), file: None, least: LogLevel::Info, waker: None });

/// Also appends lines from level `least` on to the file at `path`. Errors: the file can't be opened; the log then stays
/// in memory.
pub fn open(path: &Path, least: LogLevel) -> io::Result<()> {
    let file = LogFile::open(path)?;
    let mut log = LOG.lock();
    log.file = Some(file);
    log.least = least;
    Ok(())
}

/// Adds a line; line ends inside `text` split it.
pub fn note(level: LogLevel, source: &str, text: &str) {
    let mut log = LOG.lock();
    for line in text.lines() {
        log.add(level, source, line);
    }
    // A full channel means that the listener is already notified.
    let _ = log.waker.as_ref().map(|waker| waker.try_send(()));
}

/// Notifies `waker` whenever lines were added, while it has room; a channel of one is enough.
pub fn wake(waker: Sender<()>) {
    LOG.lock().waker = Some(waker);
}

/// Returns the lines added since the last call.
pub fn take() -> Vec<LogLine> {
    LOG.lock().lines.drain(..).collect()
}

impl AppLog {
    fn add(&mut self, level: LogLevel, source: &str, text: &str) {
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let line = LogLine { time: SystemTime::now(), level, source: source.into(), text: text[..end].into() };
        if level >= self.least {
            self.write(&line);
        }
        if self.lines.len() >= KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    /// A full disk ends the file, not the program.
    fn write(&mut self, line: &LogLine) {
        let Some(file) = &mut self.file else { return };
        let seconds = line.time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let text = format!("{:.3} {} {}: {}\n", seconds.as_secs_f64(), line.level.word(), line.source, line.text);
        if file.write(&text).is_err() {
            self.file = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_and_bounded() {
        let mut log = AppLog { lines: VecDeque::new(), file: None, least: LogLevel::Info, waker: None };
        log.add(LogLevel::Error, "app", &"é".repeat(LONGEST));
        assert!(log.lines[0].text.len() <= LONGEST);
        for i in 0..2_000 {
            log.add(LogLevel::Info, "app", &i.to_string());
        }
        assert_eq!(log.lines.len(), KEPT);
        assert_eq!(log.lines.back().map(|line| line.text.as_str()), Some("1999"));
    }

    #[test]
    fn the_file_is_moved_aside_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut file = LogFile::open(&path).unwrap();
        let line = format!("{}\n", "x".repeat(LONGEST));
        for _ in 0..=3 * LARGEST / LONGEST as u64 {
            file.write(&line).unwrap();
        }
        let len = |path: &Path| path.metadata().unwrap().len();
        assert!(len(&path) <= LARGEST + line.len() as u64);
        assert!((LARGEST..=LARGEST + line.len() as u64).contains(&len(&path.with_extension("old"))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn level_words_are_found() {
        assert_eq!(LogLevel::named("debug"), Some(LogLevel::Debug));
        assert_eq!(LogLevel::named("loud"), None);
    }
}
