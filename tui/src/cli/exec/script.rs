//! The lines of a script: those of a file, or of stdin as they come.

use std::{
    collections::VecDeque,
    io::{self, BufRead},
    path::Path,
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use spytui_engine::unreadable;

use crate::cli::failure::Failure;

/// Lines of stdin read ahead.
const AHEAD: usize = 64;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Number, from 1.
    pub(super) number: usize,
    pub(super) text: String,
}

/// A script.
#[derive(Debug)]
pub(super) struct Script {
    /// Name in messages.
    pub(super) name: String,
    source: Source,
}

#[derive(Debug)]
enum Source {
    File(VecDeque<Line>),
    Stdin(Receiver<Line>),
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Line(Line),
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
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| Failure::usage(format!("--exec {}", unreadable(path, &error))))?;
        Ok(Script::of_text(&path.display().to_string(), &text))
    }

    pub(super) fn of_text(name: &str, text: &str) -> Script {
        let lines = (1..).zip(text.lines()).map(|(number, text)| Line { number, text: text.to_owned() });
        Script { name: name.to_owned(), source: Source::File(lines.collect()) }
    }

    /// The lines that are known before the first one is run: those of a file.
    pub(super) fn known(&self) -> impl Iterator<Item = &Line> {
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
                Ok(line) => Next::Line(line),
                Err(RecvTimeoutError::Timeout) => Next::NotYet,
                Err(RecvTimeoutError::Disconnected) => Next::End,
            },
        }
    }
}

/// Reads in a thread, because a read can't be interrupted.
fn of_stdin() -> io::Result<Receiver<Line>> {
    let (send, lines) = bounded(AHEAD);
    std::thread::Builder::new().name("script".to_owned()).spawn(move || {
        let texts = io::stdin().lock().lines().map_while(Result::ok);
        for (number, text) in (1..).zip(texts) {
            if send.send(Line { number, text }).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}
