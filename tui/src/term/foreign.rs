//! Output of others while the screen is up: standard error, and standard output, end in the log.
//!
//! A plugin or a C library that prints would otherwise write over the screen.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::fd::OwnedFd;
use std::thread;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::stdio::{dup2_stderr, dup2_stdout, stderr, stdout};
use rustix::termios::isatty;

use crate::journal::{self, Level};

/// Longer lines come in pieces.
const LONGEST: u64 = 1_000;

/// The redirection; ends when it is put back.
pub(super) struct Foreign {
    out: Option<OwnedFd>,
    err: Option<OwnedFd>,
}

impl Foreign {
    /// Redirects what goes to a terminal; what the user sent elsewhere stays there.
    pub(super) fn redirect() -> io::Result<Foreign> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let mut foreign = Foreign { out: None, err: None };
        if isatty(stdout()) {
            foreign.out = Some(fcntl_dupfd_cloexec(stdout(), 3)?);
            dup2_stdout(&writer)?;
        }
        if isatty(stderr()) {
            foreign.err = Some(fcntl_dupfd_cloexec(stderr(), 3)?);
            dup2_stderr(&writer)?;
        }
        thread::Builder::new().name("foreign output".into()).spawn(move || collect(File::from(reader)))?;
        Ok(foreign)
    }

    /// Gives the streams back.
    pub(super) fn put_back(&mut self) {
        // Failing here leaves the streams in the log; there is no better place to say so.
        if let Some(out) = self.out.take() {
            let _ = dup2_stdout(out);
        }
        if let Some(err) = self.err.take() {
            let _ = dup2_stderr(err);
        }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.put_back();
    }
}

fn collect(pipe: File) {
    let mut lines = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => journal::note(Level::Warning, "stderr", String::from_utf8_lossy(&line).trim_end()),
        }
    }
}
