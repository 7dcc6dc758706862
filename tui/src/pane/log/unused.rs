//! Lines of format files that no record has used. Only rendering shows which line is of a record, so the rows are rendered
//! while the pane is in front, a piece at a time.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use spytui_engine::{
    io::format_files::{FormatSet, RecordLine},
    open::Decoder,
    store::View,
    trace::list::{RenderRequest, RowRenderer},
};
use spytui_plugin_api::render::Want;

use crate::{
    app_log::{Level, LogLine},
    model::Model,
};

/// Rows rendered at once.
const PIECE: u64 = 2048;
/// Lines that are listed; the others are counted.
const MOST: usize = 50;

/// What is unused, as lines of the log.
#[derive(Debug, Default)]
pub(super) struct Unused {
    /// The files that it is about.
    formats: Option<Arc<FormatSet>>,
    /// Rows rendered.
    rendered: u64,
    renderer: RowRenderer,
    lines: Vec<LogLine>,
    /// Number of changes of the lines.
    version: usize,
}

impl Unused {
    pub(super) fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    pub(super) fn version(&self) -> usize {
        self.version
    }

    /// The rows are others now.
    pub(super) fn forget_rows(&mut self) {
        self.rendered = 0;
    }

    /// Goes on with the rows; `true` if there are more.
    pub(super) fn work(&mut self, model: &Model) -> bool {
        let formats = model.links.registry.formats();
        if !self.formats.as_ref().is_some_and(|known| Arc::ptr_eq(known, formats)) {
            self.formats = Some(formats.clone());
            self.rendered = 0;
        }
        let len = model.list.rows.len();
        let decoder = &model.list.decoding().decoder;
        let has_lines = formats.records.iter().any(|line| is_of(line, decoder));
        let end = if has_lines { len.min(self.rendered + PIECE) } else { len };
        if has_lines {
            let ask = RenderRequest { want: Want::FIELDS, view: View::Effective, short: false, before: None };
            self.renderer.views(&model.list.rows, self.rendered.min(end)..end, ask, |_, _| true);
        }
        self.rendered = end;
        if end == len {
            self.report(model, formats);
        }
        end < len
    }

    fn report(&mut self, model: &Model, formats: &FormatSet) {
        let texts = texts(model, formats);
        if self.lines.iter().map(|line| &line.text).eq(&texts) {
            return;
        }
        let time = model.prompt.log.last().map_or(UNIX_EPOCH, |line| line.time);
        self.lines = texts.into_iter().map(|text| line(time, text)).collect();
        self.version += 1;
    }
}

fn line(time: SystemTime, text: String) -> LogLine {
    LogLine { time, level: Level::Info, source: "formats".to_owned(), text }
}

fn texts(model: &Model, formats: &FormatSet) -> Vec<String> {
    let open: Vec<&Decoder> = model.links.sources.iter().map(|source| &*source.decoding().decoder).collect();
    let shown = &model.list.decoding().decoder;
    let formatters = shown.formatting.get();
    let has_used = |line: &RecordLine| formatters.as_ref().is_some_and(|formatters| formatters.has_used(&line.id));
    let unused = formats.records.iter().filter(|line| is_of(line, shown) && !has_used(line));
    let mut texts: Vec<String> = unused.clone().take(MOST).map(|line| format!("unused so far: {line}")).collect();
    if let more @ 1.. = unused.count().saturating_sub(MOST) {
        texts.push(format!("unused so far: {more} more lines"));
    }
    texts.extend(of_no_source(model, formats, &open));
    texts
}

/// What is about protocols of which no source is open, by file.
fn of_no_source(model: &Model, formats: &FormatSet, open: &[&Decoder]) -> Vec<String> {
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    // The list of files says which protocols nothing decodes.
    let known = model.links.registry.names();
    let lines = formats.records.iter().filter(|line| known.contains(&line.protocol.as_str()));
    for line in lines.filter(|line| !open.iter().any(|decoder| is_of(line, decoder))) {
        let (file, _) = line.at.rsplit_once(':').unwrap_or_default();
        *counts.entry((file, &line.protocol)).or_default() += 1;
    }
    if !open.iter().any(|decoder| decoder.takes_formats()) {
        let files = formats.files.iter().filter(|file| file.qnx_lines > 0);
        counts.extend(files.map(|file| ((file.name.as_str(), "QNX"), file.qnx_lines)));
    }
    let text = |((file, protocol), count): (&(&str, &str), &usize)| {
        let lines = if *count == 1 { "line" } else { "lines" };
        format!("unused: {file}: {count} {lines} for {protocol} records")
    };
    counts.iter().map(text).collect()
}

/// Whether a line is about records of a decoder.
fn is_of(line: &RecordLine, decoder: &Decoder) -> bool {
    decoder.info.id == line.protocol || decoder.info.aliases.iter().any(|alias| *alias == line.protocol)
}
