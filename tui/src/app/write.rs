//! `:write`: rows as text, JSON lines or CSV, bytes as they came; on a thread of its own.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crossbeam_channel::{Receiver, bounded};
use spytui_engine::{
    list::{RenderRequest, RowList, RowRenderer, RowSource},
    present::clock::grouped,
    query::Expr,
    store::View,
    stream::Sink,
    unwritable,
};

use super::state::App;
use crate::{
    action::{RowRange, Where},
    cli::{args::Format, output::Output},
};

/// A file being written.
#[derive(Debug)]
pub struct Writing {
    answer: Receiver<Result<String, String>>,
}

impl Writing {
    /// What became of it, once it is done.
    #[must_use]
    pub fn answer(&self) -> Option<Result<String, String>> {
        self.answer.try_recv().ok()
    }
}

impl App {
    pub(super) fn write_rows(&mut self, path: &Path, range: Option<RowRange>, expr: Option<Expr>) {
        let (first, last) = match self.range(range) {
            Ok(range) => range,
            Err(error) => return self.fail(error),
        };
        let expr = expr.unwrap_or_else(|| self.list.filter.expr().clone());
        let (rows, path) = (self.rows.clone(), path.to_owned());
        self.write_beside(move || write(&rows, &path, first, last, expr));
    }

    /// Writes something on a thread of its own; what came of it is said when it is done.
    pub(super) fn write_beside(&mut self, work: impl FnOnce() -> Result<String, String> + Send + 'static) {
        let (send, answer) = bounded(1);
        let wake = self.wake.clone();
        let run = move || {
            // Nobody may wait for the answer any more.
            let _ = send.send(work());
            let _ = wake.try_send(());
        };
        match std::thread::Builder::new().name("write".into()).spawn(run) {
            Ok(_) => self.writing = Some(Writing { answer }),
            Err(error) => self.fail(format!("no thread for writing: {error}")),
        }
    }

    fn range(&self, range: Option<RowRange>) -> Result<(u64, u64), String> {
        let end = self.rows.len().saturating_sub(1);
        match range {
            None => Ok((0, end)),
            Some(RowRange::Selection) => {
                let from = self.selected_from.ok_or("nothing is selected; v begins a selection")?;
                Ok((from.min(self.list.cursor), from.max(self.list.cursor)))
            }
            Some(RowRange::Between(a, b)) => {
                let place = |w: Option<Where>, none| w.map_or(Ok(none), |w| self.place_of(&w));
                Ok((place(a, 0)?, place(b, end)?))
            }
        }
    }

    /// The text of rows, as the list shows it.
    pub(super) fn rows_text(&self, first: u64, last: u64) -> (String, u64) {
        let mut out = Vec::new();
        let expr = self.list.filter.expr().clone();
        // Memory does not fail.
        let folding = self.list.folding;
        let shown = (first..=last).filter(|&row| !folding.hides(&self.rows, row));
        let rows = rows_into(&self.rows, shown, Format::Native, &mut out, expr).unwrap_or(0);
        (String::from_utf8_lossy(&out).into_owned(), rows)
    }
}

fn write(list: &RowList, path: &PathBuf, first: u64, last: u64, expr: Expr) -> Result<String, String> {
    let failed = |error: io::Error| unwritable(path, &error);
    let format = match path.extension().and_then(|e| e.to_str()) {
        Some("txt") => Some(Format::Native),
        Some("jsonl") => Some(Format::Jsonl),
        Some("csv") => Some(Format::Csv),
        Some("bin") => None,
        _ => return Err(format!("{}: end the name in .txt, .jsonl, .csv or .bin", path.display())),
    };
    if format.is_none() && list.sources() > 1 {
        return Err("bytes are of one source: ) shows each by itself, :record keeps those of all".to_owned());
    }
    let file = fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    let mut out = BufWriter::new(file);
    let text = match format {
        Some(format) => {
            let rows = rows_into(list, first..=last, format, &mut out, expr).map_err(failed)?;
            format!("{} rows in {}", grouped(rows), path.display())
        }
        None => {
            let bytes = bytes_into(list, first, last, &mut out).map_err(failed)?;
            format!("{} B in {}", grouped(bytes), path.display())
        }
    };
    out.flush().map_err(failed)?;
    Ok(text)
}

/// Writes rows through the same sinks as `decode`; the number written.
fn rows_into<W: Write>(
    list: &RowList,
    rows: impl IntoIterator<Item = u64>,
    format: Format,
    out: &mut W,
    expr: Expr,
) -> io::Result<u64> {
    let mut sink = Output::new(format, &mut *out, Expr::everything(), list.sources() > 1);
    let ask = RenderRequest {
        want: sink.want() | spytui_plugin_api::render::Want::FIELDS,
        view: View::Effective,
        short: true,
        before: None,
    };
    let (mut result, mut written) = (Ok(()), 0);
    RowRenderer::default().items(list, rows, ask, |_, item| {
        if spytui_engine::export::subject::passes(&expr, item) {
            result = sink.item(item);
            written += 1;
        }
        result.is_ok()
    });
    if let Output::Csv(csv) = &mut sink {
        result = result.and_then(|()| csv.header());
    }
    result.map(|()| written)
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
