//! Writes rows in one of the formats. A reader that has stopped reading can't keep the program from ending, and rows
//! are flushed if a plugin ends it.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use spytui_engine::{
    export::{CsvRows, Escape, Jsonl, NativeRows, ReferenceRows},
    present::sanitise::sanitise_lines,
    trace::stream::Sink,
};

use super::{
    args::RowFormat,
    failure::{self, Failure},
};
use crate::{
    app_log::{self, LogLevel},
    sys,
    term::{give_back_for_good, is_held, leave},
};

/// Size of the output buffer. Blocks of rendered rows are longer and written without copying.
const BUFFER: usize = 12 * 1024;

#[derive(Debug, Clone, Copy)]
pub struct RowStyle {
    pub format: RowFormat,
    /// No CSV cell is a formula.
    pub csv_safe: bool,
    /// Given if the output is a terminal, which would obey control bytes.
    pub escape: Option<Escape>,
}

impl RowStyle {
    pub fn of_stdout(format: RowFormat, csv_safe: bool) -> RowStyle {
        RowStyle { format, csv_safe, escape: sys::is_stdout_terminal().then_some(sanitise_lines) }
    }

    pub fn of_file(format: RowFormat) -> RowStyle {
        RowStyle { format, csv_safe: true, escape: None }
    }
}

/// A sink for `style` that writes to `out`; `several` = rows are from several sources, `fields` = additional CSV
/// columns.
pub fn sink<'a>(style: RowStyle, out: impl Write + 'a, several: bool, fields: Vec<String>) -> Box<dyn Sink + 'a> {
    match style.format {
        RowFormat::Native => Box::new(NativeRows::new(out)),
        RowFormat::Reference | RowFormat::Matlab | RowFormat::QspySequence => {
            Box::new(ReferenceRows::new(out, style.escape))
        }
        RowFormat::Jsonl => Box::new(Jsonl::new(out)),
        RowFormat::Csv => Box::new(CsvRows::new(out, several).safe(style.csv_safe).with_fields(fields)),
    }
}

/// The output of [`Stdout`]. Global, so that rows before a plugin's failure are written whoever ends the program.
static STDOUT: Mutex<Option<BufWriter<File>>> = Mutex::new(None);

/// Stdout with a large buffer, so that rows cost no system call. The standard library's handle flushes at every line; a
/// duplicate of the descriptor does not.
#[derive(Debug)]
pub struct Stdout(());

impl Stdout {
    pub fn open() -> Result<Stdout, Failure> {
        let file = sys::stdout_file().map_err(|e| Failure::input(format!("stdout: {e}")))?;
        *STDOUT.lock() = Some(BufWriter::with_capacity(BUFFER, file));
        Ok(Stdout(()))
    }

    /// Flushes the buffer from any thread, unless a flush is in progress.
    pub fn flush_from_outside() {
        if let Some(mut out) = STDOUT.try_lock()
            && let Some(out) = &mut *out
        {
            // The program ends for another reason, which is reported.
            let _ = out.flush();
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        STDOUT.lock().as_mut().map_or(Ok(bytes.len()), |out| out.write(bytes))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        STDOUT.lock().as_mut().map_or(Ok(()), |out| out.write_all(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        STDOUT.lock().as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Stdout {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// Writes lines to standard output with control bytes escaped.
pub fn print(lines: &str) -> Result<(), Failure> {
    print_as_is(failure::safe(lines).as_bytes())
}

/// Writes bytes unescaped to standard output, for programs or without foreign content.
pub fn print_as_is(bytes: &[u8]) -> Result<(), Failure> {
    ended(sys::stdout_file().and_then(|mut out| out.write_all(bytes)))
}

/// Treats a closed pipe as a normal end; reports any other error.
pub fn ended<T: Default>(result: io::Result<T>) -> Result<T, Failure> {
    match result {
        Ok(value) => Ok(value),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(T::default()),
        Err(error) => Err(Failure::input(format!("output: {error}"))),
    }
}

/// How often a blocked write checks for a stop.
const LOOK: Duration = Duration::from_millis(50);
/// How long a reader may take after a stop.
const LAST_CHANCE: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub struct PatientOutput {
    file: File,
    /// Bytes written at once, so that a write to a pipe with room does not block; `None` = writes never block.
    piece: Option<usize>,
    stop: Arc<AtomicBool>,
    /// Nobody read after the stop.
    given_up: bool,
}

impl PatientOutput {
    /// A buffered standard output that gives up soon after `stop` is set. Errors: standard output is closed.
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

/// Longer than recordings lag behind.
const LAST_BYTES: Duration = Duration::from_millis(200);

/// Ends the program from any thread. Asks nothing of other threads, which may be blocked.
pub fn end(code: u8, why: &str) -> ! {
    sleep(LAST_BYTES);
    Stdout::flush_from_outside();
    give_back_for_good();
    failure::say(why);
    sys::end_at_once(code)
}

/// Reports a plugin failure that the program survives.
pub fn report(text: &str) {
    match is_held() {
        true => app_log::note(LogLevel::Error, "plugin", text),
        false => failure::say(text),
    }
}

/// Leaves the screen, whose thread is in a plugin. The screen returns when the plugin does; until then signals end the
/// program.
pub fn leave_screen(why: &str) {
    leave();
    failure::say(&format!("{why}, so there is no screen now. Receiving and recording continue; ^c twice ends."));
}
