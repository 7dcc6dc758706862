//! Standard output of a run that a signal may end: a reader that has stopped reading does not keep the program.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::{failure::Failure, output::BUFFER};
use crate::sys;

/// How often a blocked write checks for a stop.
const LOOK: Duration = Duration::from_millis(50);
/// How long a reader may take after a stop.
const LAST_CHANCE: Duration = Duration::from_millis(300);

/// Standard output.
#[derive(Debug)]
pub struct PatientOutput {
    file: File,
    /// Bytes written at once, so that a write to a pipe that has room does not block; `None` = writes never block.
    piece: Option<usize>,
    stop: Arc<AtomicBool>,
    /// Nobody read after the stop.
    given_up: bool,
}

impl PatientOutput {
    /// A buffered standard output that gives up soon after `stop` is set.
    ///
    /// # Errors
    /// If standard output is closed.
    pub fn stdout(stop: &Arc<AtomicBool>) -> Result<BufWriter<PatientOutput>, Failure> {
        let file = sys::stdout_file().map_err(|e| Failure::input(format!("stdout: {e}")))?;
        let piece = sys::safe_to_write(&file);
        let output = PatientOutput { file, piece, stop: stop.clone(), given_up: false };
        Ok(BufWriter::with_capacity(BUFFER, output))
    }

    /// Waits until the reader takes bytes.
    fn wait(&mut self) -> io::Result<()> {
        let mut stopped: Option<Instant> = None;
        while !self.given_up && !sys::takes_bytes(&self.file, LOOK) {
            if self.stop.load(Ordering::Relaxed) {
                let since = *stopped.get_or_insert_with(Instant::now);
                self.given_up = since.elapsed() >= LAST_CHANCE;
            }
        }
        if self.given_up { Err(io::Error::new(io::ErrorKind::TimedOut, "standard output is not read")) } else { Ok(()) }
    }
}

impl Write for PatientOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(piece) = self.piece else { return self.file.write(bytes) };
        loop {
            self.wait()?;
            match self.file.write(bytes.get(..piece).unwrap_or(bytes)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
