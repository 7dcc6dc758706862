//! Writes rows as text, JSON lines or CSV, raw bytes, and exports for other tools. Copied text is sent to the terminal
//! with OSC 52, to tmux if that runs, and always to a file.

use std::{
    fs::OpenOptions,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, atomic::AtomicBool},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use spytui_engine::{
    export::{
        capture::{ExportError, Inputs, can_create, export_last_text, into_file, unplaced},
        compare::Compare,
        perfetto,
        sequence::{self, DiagramRequest},
    },
    io::log::open_recorded,
    present::{clock::grouped, words::counted},
    store::View,
    trace::{
        list::{RenderRequest, RowList, RowRenderer},
        session::Decoding,
    },
    unreadable,
};
use spytui_plugin_api::Source;

use super::Edge;
use crate::{
    cli::{
        args::RowFormat,
        output::{self, RowStyle},
    },
    config::{Config, state_file},
    input::HelpLine,
    model::{Message, RowSelection, list::Collapse},
    sys::open_private,
    term::ScreenOutput,
    writing::{DICTIONARY, ONE_SOURCE},
};

impl Edge {
    /// Writes rows on a thread, if the file can be created.
    pub(super) fn write_rows(&mut self, selection: RowSelection, path: PathBuf) -> Option<Message> {
        match format_of(&path, &selection.rows) {
            Ok(format) => self.export(path, move |path| write(&selection, format, path)),
            Err(error) => Some(Message::Refused(error)),
        }
    }

    /// Exports a trace on a thread, if the file can be created.
    pub(super) fn export_perfetto(&mut self, decoding: Arc<Decoding>, path: PathBuf) -> Option<Message> {
        self.export(path, move |path| {
            exported(&[decoding], |inputs| {
                let exported = perfetto::export_file(inputs, path, false, &AtomicBool::new(false))?;
                let counts = format!("{} tracks, {} events", grouped(exported.tracks), grouped(exported.events));
                Ok(said(counts, path, exported.notes.iter().chain(&exported.fault)))
            })
        })
    }

    /// Exports a sequence diagram on a thread, if the file can be created.
    pub(super) fn export_sequence(
        &mut self,
        decodings: Vec<Arc<Decoding>>,
        wanted: DiagramRequest,
        path: PathBuf,
    ) -> Option<Message> {
        self.export(path, move |path| {
            exported(&decodings, |inputs| {
                let exported = sequence::export_file(inputs, &wanted, (path, false), &AtomicBool::new(false))?;
                Ok(said(exported.counts(), path, exported.notes.iter().chain(&exported.fault)))
            })
        })
    }

    /// Compares what a target has sent so far with a recording, on a thread.
    pub(super) fn compare(&mut self, decodings: Vec<Arc<Decoding>>, path: PathBuf) -> Option<Message> {
        let work = move || match compared(&decodings, &path) {
            Ok(found) => {
                let lines = found.text().lines().map(|line| HelpLine::new(line, "")).collect();
                Message::Compared { decodings, path, lines, first: found.first_difference() }
            }
            Err(error) => Message::Failed(error),
        };
        self.threads.answer("compare", work)
    }

    /// Writes the decoder's own dictionary file on a thread, if it has one and the file can be created.
    pub(super) fn write_dictionary(&mut self, decoding: Arc<Decoding>, path: PathBuf) -> Option<Message> {
        let options = match decoding.options.clone().in_reference_form(&decoding.decoder.info, DICTIONARY) {
            Ok(options) => options,
            Err(why) => return Some(Message::Refused(format!("{why}; a name that ends in .names saves all names"))),
        };
        self.export(path, move |path| {
            exported(&[decoding], |inputs| {
                export_last_text(&Inputs { options: &options, ..*inputs }, path, &AtomicBool::new(false))?;
                Ok(format!("names of the target in {}", path.display()))
            })
        })
    }

    fn export(
        &mut self,
        path: PathBuf,
        work: impl FnOnce(&Path) -> Result<String, String> + Send + 'static,
    ) -> Option<Message> {
        match can_create(&path, false) {
            Ok(()) => self.threads.write(move || work(&path)),
            Err(error) => Some(Message::Refused(error.to_string())),
        }
    }
}

/// The text of rows as the list shows them, and a description of it.
pub(super) fn text(selection: &RowSelection, collapse: Collapse) -> (String, String) {
    let mut out = Vec::new();
    let (first, last) = selection.range;
    let shown = (first..=last).filter(|&row| !collapse.hides(&selection.rows, row));
    // Memory does not fail.
    let rows = rows_into(selection, shown, RowFormat::Native, &mut out).unwrap_or(0);
    (String::from_utf8_lossy(&out).into_owned(), counted(rows, "row"))
}

/// Writes rows to a new file, or their bytes without a format; returns a message. Errors: writing failed; without rows, no
/// file is left.
fn write(selection: &RowSelection, format: Option<RowFormat>, path: &Path) -> Result<String, String> {
    let (first, last) = selection.range;
    let written = into_file(path, false, |file| {
        let mut out = BufWriter::new(file);
        let count = match format {
            Some(format) => rows_into(selection, first..=last, format, &mut out),
            None => bytes_into(&selection.rows, first, last, &mut out),
        };
        let count = count.and_then(|count| out.flush().map(|()| count)).map_err(unplaced)?;
        match count {
            0 => Err(ExportError::Input(io::Error::other(format!("0 rows: {} was not written", path.display())))),
            count => Ok(count),
        }
    });
    let count = written.map_err(|error| error.to_string())?;
    let what = if format.is_some() { counted(count, "row") } else { format!("{} B", grouped(count)) };
    Ok(format!("{what} in {}", path.display()))
}

/// The format of a file's extension; `None` = raw bytes. Errors: there is none, or not of these rows.
fn format_of(path: &Path, rows: &RowList) -> Result<Option<RowFormat>, String> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("txt") => Ok(Some(RowFormat::Native)),
        Some("jsonl") => Ok(Some(RowFormat::Jsonl)),
        Some("csv") => Ok(Some(RowFormat::Csv)),
        Some("bin") if rows.sources() > 1 => {
            Err("bytes are of one source: ) shows each by itself, :record keeps those of all".to_owned())
        }
        Some("bin") => Ok(None),
        _ => Err(format!("{}: end the name in .txt, .jsonl, .csv or .bin", path.display())),
    }
}

/// Writes rows through the same sinks as `decode`; returns their number.
fn rows_into<W: Write>(
    selection: &RowSelection,
    rows: impl IntoIterator<Item = u64>,
    format: RowFormat,
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
    let mut renderer = RowRenderer::default();
    renderer.has_host_times = true;
    renderer.views(list, rows, ask, |_, item| {
        if spytui_engine::row::subject::passes(&selection.expr, item) {
            result = sink.row(item);
            written += 1;
        }
        result.is_ok()
    });
    result.and_then(|()| sink.header()).map(|()| written)
}

/// Writes the bytes from the beginning of the first row to the end of the last.
fn bytes_into<W: Write>(list: &RowList, first: u64, last: u64, out: &mut W) -> io::Result<u64> {
    let row = |n| {
        list.ensure_loaded(n);
        list.row(n)
    };
    let log = &list.source(0).log;
    let (Some(from), Some(to)) = (row(first), row(last)) else { return Ok(0) };
    log.copy_to(from.pos.max(log.first())..to.pos + u64::from(to.len), out)
}

/// Exports what these decodings of a target have decoded.
fn exported<T>(
    decodings: &[Arc<Decoding>],
    export: impl FnOnce(&Inputs<'_>) -> Result<T, ExportError>,
) -> Result<T, String> {
    let Some(first) = decodings.first() else { return Err("there is nothing to export".to_owned()) };
    let source = |decoding: &Arc<Decoding>| Source { index: decoding.source, core: decoding.core };
    let sources: Vec<Source> = decodings.iter().map(source).collect();
    let logs: Vec<_> = decodings.iter().map(|decoding| decoding.log.clone()).collect();
    let inputs = Inputs { decoder: &first.decoder, options: &first.options, sources: &sources, logs: &logs };
    export(&inputs).map_err(|error| error.to_string())
}

fn compared(decodings: &[Arc<Decoding>], path: &Path) -> Result<Compare, String> {
    let [decoding] = decodings else { return Err(ONE_SOURCE.to_owned()) };
    let log = open_recorded(path).map_err(|error| unreadable(path, &error))?.log;
    log.end(0);
    let other =
        Inputs { decoder: &decoding.decoder, options: &decoding.options, sources: &[Source::default()], logs: &[log] };
    exported(decodings, |shown| {
        let names = ["this trace".to_owned(), path.display().to_string()];
        let found = Compare::of(names, [shown, &other], true, &AtomicBool::new(false))?;
        if found.records()[1] > 0 {
            return Ok(found);
        }
        let (path, protocol) = (path.display(), &shown.decoder.info.id);
        let text = format!("{path}: it has no record of {protocol}; captures of one protocol can be compared");
        Err(ExportError::Input(io::Error::other(text)))
    })
}

/// `59 tracks, 210 events in oven.pftrace; …`
fn said<'n>(counts: String, path: &Path, notes: impl Iterator<Item = &'n String>) -> String {
    let mut text = format!("{counts} in {}", path.display());
    for note in notes {
        text.push_str("; ");
        text.push_str(note);
    }
    text
}

/// Longer texts are not sent through the terminal.
const MOST: usize = 100_000;

/// Copies text; the message says where to.
pub(super) fn copy(
    output: Option<&mut ScreenOutput>,
    config: &Config,
    what: String,
    text: &str,
) -> io::Result<Message> {
    let mut places = Vec::new();
    if let Some(output) = output.filter(|_| config.on("copy.osc52") && text.len() <= MOST) {
        output.terminal.write(osc52(text).as_bytes())?;
        places.push("the terminal".to_owned());
    }
    if config.on("copy.tmux") && std::env::var_os("TMUX").is_some() && to_tmux(text).is_ok() {
        places.push("tmux".to_owned());
    }
    if config.on("copy.file")
        && let Some(path) = state_file("last-copy.txt")
        && keep(&path, text).is_ok()
    {
        places.push(path.display().to_string());
    }
    Ok(Message::Copied { what, places })
}

fn keep(path: &Path, text: &str) -> io::Result<()> {
    let mut file = open_private(OpenOptions::new().write(true).create(true).truncate(true), path)?;
    file.write_all(text.as_bytes())
}

fn to_tmux(text: &str) -> io::Result<()> {
    let mut child = Command::new("tmux")
        .args(["load-buffer", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes())?;
    }
    child.wait().map(|_| ())
}

/// The sequence with which a terminal takes text into its clipboard.
fn osc52(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text))
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_padded() {
        assert_eq!(super::osc52("f"), "\x1b]52;c;Zg==\x07");
        assert_eq!(super::osc52("fo"), "\x1b]52;c;Zm8=\x07");
        assert_eq!(super::osc52("foo"), "\x1b]52;c;Zm9v\x07");
    }
}
