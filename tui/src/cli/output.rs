//! Rows to an output in one of the formats.

use std::io::{self, BufWriter, IsTerminal, Write};

use spytui_engine::{
    export::{Csv, Jsonl, Native, Reference},
    trace::stream::Sink,
};

use super::{
    args::Format,
    failure::{self, Failure},
};

/// Size of the output buffer. A block of rendered rows is longer and is written without being copied.
pub(super) const BUFFER: usize = 12 * 1024;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowStyle {
    /// The format.
    pub format: Format,
    /// No cell of csv is a formula.
    pub csv_safe: bool,
    /// The output is a terminal, which would obey control bytes.
    pub to_terminal: bool,
}

impl RowStyle {
    /// For standard output.
    pub fn of_stdout(format: Format, csv_safe: bool) -> RowStyle {
        RowStyle { format, csv_safe, to_terminal: io::stdout().is_terminal() }
    }

    /// For a file or the clipboard.
    pub fn of_file(format: Format) -> RowStyle {
        RowStyle { format, csv_safe: true, to_terminal: false }
    }
}

/// A sink for `style` that writes to `out`; rows are of `several` sources.
pub fn sink<'a>(style: RowStyle, out: impl Write + 'a, several: bool) -> Box<dyn Sink + 'a> {
    match style.format {
        Format::Native => Box::new(Native::new(out)),
        Format::Reference => Box::new(Reference::new(out).to_terminal(style.to_terminal)),
        Format::Jsonl => Box::new(Jsonl::new(out)),
        Format::Csv => Box::new(Csv::new(out, several).safe(style.csv_safe)),
    }
}

/// Stdout with a large buffer, so that a row costs no system call. The standard library's own handle breaks output
/// at every line; a duplicate of the descriptor does not.
pub fn stdout() -> Result<BufWriter<std::fs::File>, Failure> {
    let file = crate::sys::stdout_file().map_err(|e| Failure::input(format!("stdout: {e}")))?;
    Ok(BufWriter::with_capacity(BUFFER, file))
}

/// Writes lines to standard output, with everything visible that a terminal would obey.
pub fn print(lines: &str) -> Result<(), Failure> {
    print_as_is(failure::safe(lines).as_bytes())
}

/// Writes bytes to standard output that are for a program, or hold nothing from outside.
pub fn print_as_is(bytes: &[u8]) -> Result<(), Failure> {
    ended(io::stdout().write_all(bytes))
}

/// Treats a closed pipe as a normal end; any other error is reported.
pub fn ended<T: Default>(result: io::Result<T>) -> Result<T, Failure> {
    match result {
        Ok(value) => Ok(value),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(T::default()),
        Err(error) => Err(Failure::input(format!("output: {error}"))),
    }
}
