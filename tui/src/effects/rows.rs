//! Rows as text, JSON lines or CSV, and bytes as they came.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use spytui_engine::{
    present::clock::grouped,
    store::View,
    trace::list::{RenderRequest, RowList, RowRenderer},
    unwritable,
};

use crate::{
    cli::{
        args::Format,
        output::{self, RowStyle},
    },
    model::{Message, RowSelection, list::Collapse, loss_words::units},
};

use super::Edge;

impl Edge {
    /// Writes rows in a thread.
    pub(super) fn write_rows(&mut self, selection: RowSelection, path: &Path) -> Option<Message> {
        match NewFile::create(&selection, path) {
            Ok(file) => self.threads.write(self.wake.clone(), move || file.write(&selection)),
            Err(error) => Some(Message::Refused(error)),
        }
    }
}

/// The text of rows as the list shows them, and what it is in words.
pub(super) fn text(selection: &RowSelection, collapse: Collapse) -> (String, String) {
    let mut out = Vec::new();
    let (first, last) = selection.range;
    let shown = (first..=last).filter(|&row| !collapse.hides(&selection.rows, row));
    // Memory does not fail.
    let rows = rows_into(selection, shown, Format::Native, &mut out).unwrap_or(0);
    (String::from_utf8_lossy(&out).into_owned(), units(rows, "row"))
}

struct NewFile {
    path: PathBuf,
    file: fs::File,
    /// `None` = the bytes as they came.
    format: Option<Format>,
}

impl NewFile {
    /// Creates the file, in the format of its extension.
    ///
    /// # Errors
    /// It cannot be made, or has another extension; in words.
    fn create(selection: &RowSelection, path: &Path) -> Result<NewFile, String> {
        let format = format_of(path)?;
        if format.is_none() && selection.rows.sources() > 1 {
            return Err("bytes are of one source: ) shows each by itself, :record keeps those of all".to_owned());
        }
        let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|error| unwritable(path, &error))?;
        Ok(NewFile { path: path.to_owned(), file, format })
    }

    /// Writes the rows; returns the message about it.
    ///
    /// # Errors
    /// They cannot be written; there are none, and so no file is left.
    fn write(self, selection: &RowSelection) -> Result<String, String> {
        let NewFile { path, file, format } = self;
        let (list, (first, last)) = (&selection.rows, selection.range);
        let failed = |error: io::Error| unwritable(&path, &error);
        let mut out = BufWriter::new(file);
        let (written, text) = match format {
            Some(format) => {
                let rows = rows_into(selection, first..=last, format, &mut out).map_err(failed)?;
                (rows, format!("{} in {}", units(rows, "row"), path.display()))
            }
            None => {
                let bytes = bytes_into(list, first, last, &mut out).map_err(failed)?;
                (bytes, format!("{} B in {}", grouped(bytes), path.display()))
            }
        };
        out.flush().map_err(failed)?;
        if written == 0 {
            fs::remove_file(&path).map_err(failed)?;
            return Err(format!("0 rows: {} was not written", path.display()));
        }
        Ok(text)
    }
}

/// The format that the extension of a file asks for; `None` = the bytes as they came.
fn format_of(path: &Path) -> Result<Option<Format>, String> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("txt") => Ok(Some(Format::Native)),
        Some("jsonl") => Ok(Some(Format::Jsonl)),
        Some("csv") => Ok(Some(Format::Csv)),
        Some("bin") => Ok(None),
        _ => Err(format!("{}: end the name in .txt, .jsonl, .csv or .bin", path.display())),
    }
}

/// Writes rows through the same sinks as `decode`; the number written.
fn rows_into<W: Write>(
    selection: &RowSelection,
    rows: impl IntoIterator<Item = u64>,
    format: Format,
    out: &mut W,
) -> io::Result<u64> {
    let list = &selection.rows;
    let mut sink = output::sink(RowStyle::of_file(format), out, list.sources() > 1, list.formatted_fields());
    let ask = RenderRequest {
        want: sink.want() | spytui_plugin_api::render::Want::FIELDS,
        view: View::Effective,
        short: true,
        before: None,
    };
    let (mut result, mut written) = (Ok(()), 0);
    RowRenderer::with_host_times().views(list, rows, ask, |_, item| {
        if spytui_engine::row::subject::passes(&selection.expr, item) {
            result = sink.row(item);
            written += 1;
        }
        result.is_ok()
    });
    result.and_then(|()| sink.header()).map(|()| written)
}

/// Writes the bytes from the first row's beginning to the last one's end.
fn bytes_into<W: Write>(list: &RowList, first: u64, last: u64, out: &mut W) -> io::Result<u64> {
    let row = |n| {
        list.ensure_loaded(n);
        list.row(n)
    };
    let log = &list.source(0).log;
    let (Some(from), Some(to)) = (row(first), row(last)) else { return Ok(0) };
    let end = to.pos + u64::from(to.len);
    let (mut pos, mut buffer) = (from.pos.max(log.first()), Vec::new());
    let start = pos;
    while pos < end {
        buffer.clear();
        let len = (end - pos).min(1 << 20) as usize;
        log.read_into(pos, len, &mut buffer).map_err(io::Error::other)?;
        if buffer.is_empty() {
            break;
        }
        out.write_all(&buffer)?;
        pos += buffer.len() as u64;
    }
    Ok(pos - start)
}
