//! Rows to an output in one of the formats.

use std::io::{self, BufWriter, Write};

use spytui_engine::{
    export::{Csv, Jsonl, Native, Reference},
    query::{Expr, Vocabulary, parse},
    render::{Block, Item},
    store::View,
    stream::Sink,
};

use spytui_plugin_api::{Info, Want};

use super::{args::Format, failure::Failure};

/// Bytes gathered before they are written. A block of rendered rows is longer and goes out without being copied.
const BUFFER: usize = 12 * 1024;

/// A sink of any format, that can be flushed.
#[derive(Debug)]
pub enum Output<W: Write> {
    /// Columns.
    Native(Native<W>),
    /// The reference tool's lines.
    Reference(Reference<W>),
    /// JSON lines.
    Jsonl(Jsonl<W>),
    /// CSV.
    Csv(Csv<W>),
}

impl<W: Write> Output<W> {
    /// A sink for `format` that writes to `out`; rows are of `several` sources.
    pub fn new(format: Format, out: W, filter: Expr, several: bool) -> Output<W> {
        match format {
            Format::Native => Output::Native(Native::new(out, filter)),
            Format::Reference => Output::Reference(Reference::new(out, filter)),
            Format::Jsonl => Output::Jsonl(Jsonl::new(out, filter)),
            Format::Csv => Output::Csv(Csv::new(out, filter, several)),
        }
    }
}

macro_rules! each {
    ($self:ident, $sink:ident => $what:expr) => {
        match $self {
            Output::Native($sink) => $what,
            Output::Reference($sink) => $what,
            Output::Jsonl($sink) => $what,
            Output::Csv($sink) => $what,
        }
    };
}

impl<W: Write> Sink for Output<W> {
    fn want(&self) -> Want {
        each!(self, sink => sink.want())
    }

    fn names(&self) -> (View, bool) {
        each!(self, sink => sink.names())
    }

    fn single(&self) -> bool {
        each!(self, sink => sink.single())
    }

    fn block(&mut self, block: &Block<'_>) -> io::Result<()> {
        each!(self, sink => sink.block(block))
    }

    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        each!(self, sink => sink.item(item))
    }
}

/// Stdout with a large buffer, so that a row costs no system call. The standard library's own handle breaks output
/// at every line; a duplicate of the descriptor does not.
///
/// # Errors
/// There is no stdout.
pub fn stdout() -> Result<BufWriter<std::fs::File>, Failure> {
    let file = crate::sys::stdout_file().map_err(|e| Failure::input(format!("stdout: {e}")))?;
    Ok(BufWriter::with_capacity(BUFFER, file))
}

/// The filter that the arguments ask for.
///
/// # Errors
/// It can't be understood; the text shows where.
pub fn filter(text: Option<&str>, info: &Info) -> Result<Expr, Failure> {
    match text {
        None => Ok(Expr::everything()),
        Some(text) => parse(text, &Vocabulary::of(info)).map_err(|e| Failure::usage(format!("--filter: {e}"))),
    }
}

/// A closed pipe is a quiet end; anything else is an error of the output.
///
/// # Errors
/// What the output said.
pub fn ended(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::input(format!("output: {error}"))),
    }
}
