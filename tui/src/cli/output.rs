//! Rows to an output in one of the formats.

use std::io::{self, BufWriter, IsTerminal, Write};

use spytui_engine::{
    export::{Csv, Jsonl, Native, Reference},
    query::Expr,
    row::{RowFilter, RowView},
    store::View,
    trace::stream::Sink,
};

use spytui_plugin_api::{Rendered, Row, Want};

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

/// A sink for any output format.
#[derive(Debug)]
pub enum RowOutput<W: Write> {
    /// Columns.
    Native(Native<W>),
    /// The reference tool's lines.
    Reference(Reference<W>),
    /// JSON lines.
    Jsonl(Jsonl<W>),
    /// CSV.
    Csv(Csv<W>),
}

impl<W: Write> RowOutput<W> {
    /// A sink for `style` that writes to `out`; rows are of `several` sources.
    pub fn new(style: RowStyle, out: W, filter: Expr, several: bool) -> RowOutput<W> {
        match style.format {
            Format::Native => RowOutput::Native(Native::new(out, filter)),
            Format::Reference => RowOutput::Reference(Reference::new(out, filter).to_terminal(style.to_terminal)),
            Format::Jsonl => RowOutput::Jsonl(Jsonl::new(out, filter)),
            Format::Csv => RowOutput::Csv(Csv::new(out, filter, several).safe(style.csv_safe)),
        }
    }
}

macro_rules! each {
    ($self:ident, $sink:ident => $what:expr) => {
        match $self {
            RowOutput::Native($sink) => $what,
            RowOutput::Reference($sink) => $what,
            RowOutput::Jsonl($sink) => $what,
            RowOutput::Csv($sink) => $what,
        }
    };
}

impl<W: Write> RowOutput<W> {
    /// Writes what stands before the rows, so that it is there even without rows.
    ///
    /// # Errors
    /// If writing fails.
    pub fn header(&mut self) -> io::Result<()> {
        match self {
            RowOutput::Jsonl(jsonl) => jsonl.header(),
            RowOutput::Csv(csv) => csv.header(),
            RowOutput::Native(_) | RowOutput::Reference(_) => Ok(()),
        }
    }

    /// Replaces the filter for the rows from here on.
    pub fn set_filter(&mut self, filter: RowFilter) {
        each!(self, sink => sink.set_filter(filter));
    }
}

impl<W: Write> Sink for RowOutput<W> {
    fn want(&self) -> Want {
        each!(self, sink => sink.want())
    }

    fn names(&self) -> (View, bool) {
        each!(self, sink => sink.names())
    }

    fn flush(&mut self) -> io::Result<()> {
        each!(self, sink => sink.flush())
    }

    fn filter(&mut self) -> Option<&mut RowFilter> {
        each!(self, sink => sink.filter())
    }

    fn single(&self) -> bool {
        each!(self, sink => sink.single())
    }

    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        each!(self, sink => sink.block(rows, rendered))
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        each!(self, sink => sink.row(item))
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
