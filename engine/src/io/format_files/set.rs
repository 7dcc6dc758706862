//! What all format files say together.

use std::sync::Arc;

use spytui_formats::{Loaded, Place, Shadowed, Table};
use spytui_plugin_api::Info;

use super::{read::Snapshot, shown_names::unknown_field};
use crate::nearest::nearest;

/// What all format files say together.
#[derive(Debug, Clone, Default)]
pub struct FormatSet {
    /// The lines.
    pub table: Arc<Table>,
    /// The files, in the order read.
    pub files: Vec<FormatFile>,
    /// Wrong lines and unreadable files, each with its place.
    pub faults: Vec<String>,
    /// Lines that others replace, each with both places.
    pub shadowed: Vec<String>,
    /// Lines of words, bits and records that others of the same file replace, each with the file and both lines.
    pub repeated: Vec<String>,
    /// Application records that lines define.
    pub records: Vec<RecordLine>,
    /// All right lines of files that the user did not name.
    pub usual_text: String,
    /// All right lines of files that the user named.
    pub named_text: String,
}

/// The protocols that format files may be about: names of their decoders.
#[derive(Debug, Clone, Default)]
pub struct Protocols<'a> {
    /// All.
    pub names: Vec<&'a str>,
    /// Those in which `drops(FIELD)` may say which record has the total of dropped records.
    pub with_drops: Vec<&'a str>,
    pub decoders: Vec<&'a Info>,
}

impl Protocols<'_> {
    /// What is wrong with the fields that a line shows.
    fn unknown_field(&self, line: &RecordLine, table: &Table) -> Option<String> {
        let is_own = |info: &&&Info| info.id == line.protocol || info.aliases.iter().any(|name| *name == line.protocol);
        let info = self.decoders.iter().find(is_own)?;
        let (protocol, id) = (line.protocol.as_str(), line.id.as_str());
        unknown_field(info, id, table.record(protocol, id)?, table.layout(protocol, id))
    }

    /// Why a line has no effect, or not all of it.
    fn refuse(&self, line: &RecordLine) -> Option<String> {
        let protocol = line.protocol.as_str();
        if !self.names.contains(&protocol) {
            return Some(format!("no decoder {protocol}"));
        }
        let is_useless = line.has_drops && !self.with_drops.contains(&protocol);
        is_useless.then(|| format!("drops(FIELD) is for {}, not for {protocol}", self.with_drops.join(" ")))
    }
}

/// A line that defines the text of an application record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLine {
    pub protocol: String,
    /// Id or name of the record.
    pub id: String,
    /// File and line.
    pub at: String,
    /// It has `drops(FIELD)`.
    pub has_drops: bool,
}

impl std::fmt::Display for RecordLine {
    /// `motor.fmt:3: record qs USER+2`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: record {} {}", self.at, self.protocol, self.id)
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatFile {
    /// Its path, or its name if it is part of the program.
    pub name: String,
    /// Number of right lines.
    pub lines: usize,
    /// How many of them are about codes of QNX traces.
    pub qnx_lines: usize,
    /// Number of wrong lines.
    pub faults: usize,
}

impl std::fmt::Display for FormatFile {
    /// `motor.fmt: 12 lines, 1 wrong`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = if self.lines == 1 { "line" } else { "lines" };
        write!(f, "{}: {} {lines}", self.name, self.lines)?;
        if self.faults > 0 { write!(f, ", {} wrong", self.faults) } else { Ok(()) }
    }
}

impl FormatSet {
    /// All right lines.
    pub fn text(&self) -> String {
        [self.usual_text.as_str(), &self.named_text].concat()
    }

    /// Whether the files say nothing, right or wrong.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty() && self.files.iter().all(|file| file.lines == 0)
    }

    /// What is loaded, shadowed and unused, one line each.
    pub fn listing(&self, known: &Protocols<'_>) -> Vec<String> {
        let mut lines: Vec<String> = self.files.iter().map(ToString::to_string).collect();
        lines.extend(self.shadowed.iter().map(|text| format!("shadowed: {text}")));
        let unused = self.records.iter().filter_map(|line| Some((line, known.refuse(line)?)));
        lines.extend(unused.map(|(line, why)| format!("unused: {line}: {why}")));
        lines
    }

    /// Takes lines for protocols that nothing decodes for wrong ones, those with a word that their protocol has not, those
    /// that show fields that do not exist, and those that another one of their file replaces.
    pub fn refuse_unknown(&mut self, known: &Protocols<'_>) {
        self.refuse_unknown_fields(known);
        for line in self.records.clone() {
            let Some(why) = known.refuse(&line) else { continue };
            let near = nearest(&line.protocol, known.names.iter().copied()).filter(|word| *word != line.protocol);
            let near = near.map(|word| format!("; nearest: {word}")).unwrap_or_default();
            self.refuse(&line, &format!("{why}{near}"));
        }
        self.faults.append(&mut self.repeated);
    }

    /// Takes out lines that show fields that do not exist.
    pub fn refuse_unknown_fields(&mut self, known: &Protocols<'_>) {
        for (line, why) in self.unknown_fields(known) {
            self.refuse(&line, &why);
            self.records.retain(|other| *other != line);
            Arc::make_mut(&mut self.table).remove_record(&line.protocol, &line.id);
        }
    }

    /// Lines that show fields that do not exist, and why.
    pub fn unknown_fields(&self, known: &Protocols<'_>) -> Vec<(RecordLine, String)> {
        let wrong = |line: &RecordLine| Some((line.clone(), known.unknown_field(line, &self.table)?));
        self.records.iter().filter_map(wrong).collect()
    }

    /// Counts a line as wrong.
    fn refuse(&mut self, line: &RecordLine, why: &str) {
        self.faults.push(format!("{}: {why}", line.at));
        let file = self.files.iter_mut().find(|file| line.at.rsplit_once(':').is_some_and(|at| at.0 == file.name));
        if let Some(file) = file {
            file.lines = file.lines.saturating_sub(1);
            file.faults += 1;
        }
    }

    pub(super) fn new(snapshot: &Snapshot, loaded: Loaded) -> FormatSet {
        let name = |place: &Place| snapshot.files.get(place.file).map_or("", |file| file.name.as_str());
        let at = |place: &Place| format!("{}:{}", name(place), place.line);
        let mut faults = snapshot.errors.clone();
        faults.extend(loaded.faults.iter().map(|fault| format!("{}:{fault}", name(&fault.place))));
        if loaded.more_faults > 0 {
            faults.push(format!("{} more wrong lines", loaded.more_faults));
        }
        let is_repeated = |s: &&Shadowed| {
            let is_of_record = ["record ", "words ", "bits "].iter().any(|word| s.what.starts_with(word));
            is_of_record && s.place.file == s.by.file
        };
        let repeated = loaded.shadowed.iter().filter(is_repeated);
        let repeated = repeated.map(|s| format!("{}: {} is replaced by line {}", at(&s.place), s.what, s.by.line));
        let repeated = repeated.collect();
        let shadowed = loaded.shadowed.iter();
        let shadowed = shadowed.map(|s| format!("{}: {} is replaced by {}", at(&s.place), s.what, at(&s.by))).collect();
        let record = |(protocol, id, place): (String, String, Place)| {
            let has_drops = loaded.table.drops.get(&protocol).is_some_and(|total| total.record == id);
            RecordLine { protocol, id, at: at(&place), has_drops }
        };
        let texts = |is_named: bool| {
            let texts = snapshot.files.iter().zip(&loaded.texts).filter(|(file, _)| file.is_named == is_named);
            texts.map(|(_, text)| text.as_str()).collect()
        };
        let file = |(index, file): (usize, &super::read::TextFile)| FormatFile {
            name: file.name.clone(),
            lines: loaded.lines.get(index).copied().unwrap_or_default(),
            qnx_lines: loaded.qnx_lines.get(index).copied().unwrap_or_default(),
            faults: loaded.faults.iter().filter(|fault| fault.place.file == index).count(),
        };
        FormatSet {
            files: snapshot.files.iter().enumerate().filter(|(_, file)| !file.is_gone).map(file).collect(),
            usual_text: texts(false),
            named_text: texts(true),
            records: loaded.records.iter().cloned().map(record).collect(),
            table: Arc::new(loaded.table),
            faults,
            shadowed,
            repeated,
        }
    }
}
