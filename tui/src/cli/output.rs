//! Rows to an output in one of the formats.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
};

use parking_lot::Mutex;
use spytui_engine::{
    export::{Csv, Jsonl, Native, Reference},
    trace::stream::Sink,
};

use super::{
    args::Format,
    failure::{self, Failure},
};
use crate::sys;

/// Size of the output buffer. A block of rendered rows is longer and is written without being copied.
pub(super) const BUFFER: usize = 12 * 1024;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowStyle {
    pub format: Format,
    /// No cell of csv is a formula.
    pub csv_safe: bool,
    /// The output is a terminal, which would obey control bytes.
    pub to_terminal: bool,
}

impl RowStyle {
    /// For standard output.
    pub fn of_stdout(format: Format, csv_safe: bool) -> RowStyle {
        RowStyle { format, csv_safe, to_terminal: sys::is_stdout_terminal() }
    }

    /// For a file or the clipboard.
    pub fn of_file(format: Format) -> RowStyle {
        RowStyle { format, csv_safe: true, to_terminal: false }
    }
}

/// A sink for `style` that writes to `out`; rows are of `several` sources, and `fields` are columns of csv.
pub fn sink<'a>(style: RowStyle, out: impl Write + 'a, several: bool, fields: Vec<String>) -> Box<dyn Sink + 'a> {
    match style.format {
        Format::Native => Box::new(Native::new(out)),
        Format::Reference => Box::new(Reference::new(out).to_terminal(style.to_terminal)),
        Format::Jsonl => Box::new(Jsonl::new(out)),
        Format::Csv => Box::new(Csv::new(out, several).safe(style.csv_safe).with_fields(fields)),
    }
}

/// What [`Stdout`] writes to. It is global, so that rows before a plugin's mistake are written whoever ends the program.
static STDOUT: Mutex<Option<BufWriter<File>>> = Mutex::new(None);

/// Stdout with a large buffer, so that a row costs no system call. The standard library's own handle breaks output
/// at every line; a duplicate of the descriptor does not.
#[derive(Debug)]
pub struct Stdout(());

impl Stdout {
    /// The buffered output.
    pub fn open() -> Result<Stdout, Failure> {
        let file = sys::stdout_file().map_err(|e| Failure::input(format!("stdout: {e}")))?;
        *STDOUT.lock() = Some(BufWriter::with_capacity(BUFFER, file));
        Ok(Stdout(()))
    }

    /// Writes what is held, unless that is under way; from any thread.
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

/// Writes lines to standard output, with everything visible that a terminal would obey.
pub fn print(lines: &str) -> Result<(), Failure> {
    print_as_is(failure::safe(lines).as_bytes())
}

/// Writes bytes to standard output that are for a program, or hold nothing from outside.
pub fn print_as_is(bytes: &[u8]) -> Result<(), Failure> {
    ended(sys::stdout_file().and_then(|mut out| out.write_all(bytes)))
}

/// Treats a closed pipe as a normal end; any other error is reported.
pub fn ended<T: Default>(result: io::Result<T>) -> Result<T, Failure> {
    match result {
        Ok(value) => Ok(value),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(T::default()),
        Err(error) => Err(Failure::input(format!("output: {error}"))),
    }
}
