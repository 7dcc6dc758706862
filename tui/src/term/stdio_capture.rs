//! Standard output and standard error go to the program's log while the screen is up.
//!
//! A plugin or a C library that prints would otherwise write over the screen.

use std::io::{self, BufRead as _, BufReader, PipeReader, Read as _};
use std::thread;

use crate::app_log::{self, Level};
use crate::sys::Redirected;

/// Longer lines are split.
const LONGEST: u64 = 1_000;

/// The redirection; ends when it is dropped.
pub(super) struct StdioCapture(Redirected);

impl StdioCapture {
    /// Captures what goes to a terminal; what the user sent elsewhere stays there.
    pub(super) fn begin() -> io::Result<StdioCapture> {
        let (redirected, reader) = Redirected::begin()?;
        let capture = StdioCapture(redirected);
        thread::Builder::new().name("captured output".into()).spawn(move || collect(reader))?;
        Ok(capture)
    }
}

impl Drop for StdioCapture {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn collect(pipe: PipeReader) {
    let mut lines = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => app_log::note(Level::Warning, "stderr", String::from_utf8_lossy(&line).trim_end()),
        }
    }
}
