//! The lines of a diagram, which wait in a temporary file until its head is known.

use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

use super::form::Form;
use crate::analysis::lifelines::{Lifeline, Lifelines};

/// Begins a line that goes through all lifelines: which these are is known at the end only. Texts have no such signs.
const LOSS: char = '\u{1}';
const RESET: char = '\u{2}';

/// The lines so far.
#[derive(Debug)]
pub(super) struct Lines {
    form: Form,
    file: BufWriter<std::fs::File>,
}

impl Lines {
    /// No lines yet.
    ///
    /// # Errors
    /// There is no place for a temporary file.
    pub(super) fn new(form: Form) -> io::Result<Lines> {
        Ok(Lines { form, file: BufWriter::new(tempfile::tempfile()?) })
    }

    pub(super) fn push(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())
    }

    /// Adds a line that goes through all lifelines.
    pub(super) fn push_across(&mut self, is_reset: bool, text: &str) -> io::Result<()> {
        let text = text.replace(char::is_control, " ");
        writeln!(self.file, "{}{text}", if is_reset { RESET } else { LOSS })
    }

    /// Writes the whole diagram.
    pub(super) fn finish(self, lifelines: &Lifelines, mut out: impl Write) -> io::Result<()> {
        let (form, order) = (self.form, lifelines.order());
        let ends = order.first().copied().zip(order.last().copied());
        out.write_all(form.head().as_bytes())?;
        for line in order {
            let name = lifelines.all().get(line).map(Lifeline::name).unwrap_or_default();
            out.write_all(form.lifeline(line, &name).as_bytes())?;
        }
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut lines = BufReader::new(file);
        let mut line = String::new();
        while lines.read_line(&mut line)? > 0 {
            let is_reset = line.starts_with(RESET);
            match line.strip_prefix([LOSS, RESET]) {
                Some(text) => out.write_all(form.across(ends, is_reset, text.trim_end()).as_bytes())?,
                None => out.write_all(line.as_bytes())?,
            }
            line.clear();
        }
        out.write_all(form.tail().as_bytes())?;
        out.flush()
    }
}
