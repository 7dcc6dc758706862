//! The lines of a script: those of a file, or of stdin as they come.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use spytui_engine::unreadable;

use super::{
    problem::Problem,
    step::{self, Step},
    words::ScriptWords,
};
use crate::cli::failure::Failure;

/// Lines of stdin read ahead.
const AHEAD: usize = 64;
/// Bytes of a line at most, its end aside.
const LONGEST: usize = 64 << 10;
/// Some editors begin a text with it.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Number, from 1.
    pub(super) number: usize,
    pub(super) text: String,
}

/// A line that can't be read: nothing behind it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadLine {
    /// Number, from 1.
    pub(super) number: usize,
    pub(super) why: String,
}

#[derive(Debug)]
pub(super) struct Script {
    /// Name in messages.
    pub(super) name: String,
    source: Source,
}

#[derive(Debug)]
enum Source {
    File(VecDeque<Line>),
    Stdin(Receiver<Result<Line, BadLine>>),
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Line(Line),
    /// It can't be read.
    Bad(BadLine),
    /// Nobody has written it yet.
    NotYet,
    End,
}

impl Script {
    /// Opens a file, or stdin (`-`).
    ///
    /// # Errors
    /// It can't be read (2).
    pub(super) fn open(path: &Path) -> Result<Script, Failure> {
        if path.as_os_str() == "-" {
            let source = Source::Stdin(of_stdin().map_err(|e| Failure::usage(format!("--exec -: {e}")))?);
            return Ok(Script { name: "stdin".to_owned(), source });
        }
        let file = File::open(path);
        let file = file.map_err(|error| Failure::usage(format!("--exec {}", unreadable(path, &error))))?;
        Script::of(path.display().to_string(), BufReader::new(file))
    }

    /// Reads the lines of a file called `name`.
    ///
    /// # Errors
    /// It can't be read (2).
    pub(super) fn of(name: String, file: impl BufRead) -> Result<Script, Failure> {
        let lines: Result<_, BadLine> = Lines::new(file).collect();
        let lines = lines.map_err(|bad| Failure::usage(format!("--exec {name}:{}: {}", bad.number, bad.why)))?;
        Ok(Script { name, source: Source::File(lines) })
    }

    /// Looks for mistakes in the lines that are known. `reads_only` is why nothing can be sent.
    ///
    /// # Errors
    /// The first one, with its line.
    pub(super) fn check(&self, words: &ScriptWords, reads_only: Option<&str>) -> Result<(), String> {
        for line in self.known() {
            let step = step::read(&line.text, words).and_then(|step| match (step, reads_only) {
                (Some(Step::Target { .. }), Some(why)) => Err(Problem::of_run(why)),
                _ => Ok(()),
            });
            step.map_err(|problem| problem.in_line(&format!("{}:{}", self.name, line.number), &line.text))?;
        }
        Ok(())
    }

    /// The lines that are known before the first one is run: those of a file.
    fn known(&self) -> impl Iterator<Item = &Line> {
        match &self.source {
            Source::File(lines) => Some(lines.iter()),
            Source::Stdin(_) => None,
        }
        .into_iter()
        .flatten()
    }

    /// The next line; waits no longer than `patience` for it.
    pub(super) fn next(&mut self, patience: Duration) -> Next {
        match &mut self.source {
            Source::File(lines) => lines.pop_front().map_or(Next::End, Next::Line),
            Source::Stdin(lines) => match lines.recv_timeout(patience) {
                Ok(Ok(line)) => Next::Line(line),
                Ok(Err(bad)) => Next::Bad(bad),
                Err(RecvTimeoutError::Timeout) => Next::NotYet,
                Err(RecvTimeoutError::Disconnected) => Next::End,
            },
        }
    }
}

/// Reads in a thread, because a read can't be interrupted.
fn of_stdin() -> io::Result<Receiver<Result<Line, BadLine>>> {
    let (send, lines) = bounded(AHEAD);
    std::thread::Builder::new().name("script".to_owned()).spawn(move || {
        for line in Lines::new(io::stdin().lock()) {
            if send.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// The lines of a reader; the last one is that which can't be read, if there is one.
struct Lines<R> {
    /// `None` at the end.
    reader: Option<R>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R) -> Lines<R> {
        Lines { reader: Some(reader), number: 0 }
    }

    /// The text of the next line; `None` at the end.
    fn read(&mut self) -> Result<Option<String>, String> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let mut bytes = Vec::new();
        // The line, its end, and one byte more than that may have.
        let most = LONGEST as u64 + 3;
        reader.take(most).read_until(b'\n', &mut bytes).map_err(|error| error.to_string())?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > LONGEST {
            return Err(format!("the line is longer than {} kB", LONGEST >> 10));
        }
        let text =
            std::str::from_utf8(line).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
        let text = if self.number == 1 { text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text) } else { text };
        Ok(Some(text.to_owned()))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Line, BadLine>;

    fn next(&mut self) -> Option<Result<Line, BadLine>> {
        self.number += 1;
        let number = self.number;
        let line = self.read();
        if !matches!(line, Ok(Some(_))) {
            self.reader = None;
        }
        line.map(|text| text.map(|text| Line { number, text })).map_err(|why| BadLine { number, why }).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Result<String, (usize, String)>> {
        let lines = Lines::new(bytes);
        lines.map(|line| line.map(|line| line.text).map_err(|bad| (bad.number, bad.why))).collect()
    }

    #[test]
    fn a_line_that_can_not_be_read_ends_the_lines_with_its_number() {
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(read("\u{FEFF}wait 1s\r\n\n \u{FEFF}q".as_bytes()), [text("wait 1s"), text(""), text(" \u{FEFF}q")]);
        assert_eq!(read(b"a\nb\xFF\nc"), [text("a"), Err((2, "byte 2 is not UTF-8".to_owned()))]);
        let longest = "x".repeat(LONGEST);
        assert_eq!(read(format!("{longest}\r\n{longest}").as_bytes()), [text(&longest), text(&longest)]);
        assert_eq!(read(format!("{longest}x\n").as_bytes()), [Err((1, "the line is longer than 64 kB".to_owned()))]);
        // Nothing more is read of a line without an end.
        let mut endless = Lines::new(BufReader::new(io::repeat(0)));
        assert!(endless.next().is_some_and(|line| line.is_err()) && endless.next().is_none());
    }
}
