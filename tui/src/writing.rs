//! Files in the formats of a reference host, and tables for databases, written while bytes arrive: `--write` and
//! `:write KIND=PATH`.

use std::{fmt, path::PathBuf, sync::Arc};

use jiff::Zoned;
use spytui_engine::{
    decode::Chosen,
    device::front_end::FileSwitch,
    export::{
        live_file::{LiveFile, LivePath},
        tables::RecordingFacts,
    },
    io::log::RawLog,
    open::REFERENCE_TEXT,
};
use spytui_plugin_api::Source;

/// Kinds of files, each with the ending of its names.
const KINDS: [(&str, &str); 6] = [
    (REFERENCE_TEXT, "txt"),
    (BINARY, "bin"),
    ("matlab", "mat"),
    ("sequence", "seq"),
    (DICTIONARY, "dic"),
    (TABLES, "parquet"),
];
const TABLES: &str = "parquet";
const BINARY: &str = "binary";
/// Also the form of its content.
pub const DICTIONARY: &str = "dictionary";

/// Said where there are several sources.
pub const ONE_SOURCE: &str = "--write: its files are of one source; name one link, or write each in a run of its own";

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteRequest {
    kind: &'static str,
    ending: &'static str,
    /// `None` = named as the reference host names it.
    path: Option<PathBuf>,
}

impl fmt::Display for WriteRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}={}", self.kind, path.display()),
            None => f.write_str(self.kind),
        }
    }
}

impl WriteRequest {
    /// Parses `KIND` or `KIND=PATH`. Errors: an unknown kind, or an empty path.
    pub fn parse(text: &str) -> Result<WriteRequest, String> {
        let (word, path) = text.split_once('=').map_or((text, None), |(word, path)| (word, Some(path)));
        let Some(&(kind, ending)) = KINDS.iter().find(|(kind, _)| *kind == word) else {
            let kinds = KINDS.map(|(kind, _)| kind).join(" ");
            return Err(format!("{word}: no such kind of file; use one of {kinds}, as {REFERENCE_TEXT}=PATH"));
        };
        match path {
            None | Some("") if kind == TABLES => Err("the folder of the tables is missing; use parquet=DIR".to_owned()),
            Some("") => Err(format!("the path is missing; use {word}=PATH, or {word} alone")),
            path => Ok(WriteRequest { kind, ending, path: path.map(PathBuf::from) }),
        }
    }

    /// Whether this is meant as a kind of file, not as the path of one.
    pub fn is_meant(text: &str) -> bool {
        KINDS.iter().any(|(kind, _)| text.split('=').next() == Some(kind))
    }

    /// Starts writing what a source receives. Errors: the file can't be created, or the decoder has no such files.
    fn start(
        &self,
        log: &Arc<RawLog>,
        link: &str,
        (decoder, options): &Chosen,
        source: Source,
    ) -> Result<LiveFile, String> {
        if let (TABLES, Some(folder)) = (self.kind, &self.path) {
            let options = options.clone().in_native_form();
            let facts = RecordingFacts::of_run(link, decoder, &options);
            return LiveFile::tables(log, folder.clone(), facts, &(decoder.clone(), options), source);
        }
        let host = decoder.info.aliases.first().unwrap_or(&decoder.info.id).to_string();
        let is_dictionary = self.kind == DICTIONARY;
        let path = match &self.path {
            Some(path) if is_dictionary => LivePath::Newest(path.clone()),
            Some(path) => LivePath::Growing(path.clone()),
            None if is_dictionary => LivePath::NewestNamed(Box::new(move |text| dictionary_name(&host, text))),
            None => {
                let now = Zoned::now().strftime("%y%m%d_%H%M%S");
                LivePath::Growing(format!("{host}{now}.{}", self.ending).into())
            }
        };
        if self.kind == BINARY {
            return LiveFile::start(log.clone(), path, None);
        }
        let options = options.clone().in_reference_form(&decoder.info, self.kind)?;
        LiveFile::start(log.clone(), path, Some(((decoder.clone(), options), source)))
    }
}

/// Maximum number of files that front ends start in a run: each has everything received, and a flood must not fill the disk.
const MOST_SWITCHED: usize = 32;

/// Files of a source that are being written.
#[derive(Debug, Default)]
pub struct WrittenFiles {
    /// What the source is called in tables.
    link: String,
    files: Vec<(&'static str, LiveFile)>,
    started_for_front_ends: usize,
    /// One could not be written to its end.
    pub has_failed: bool,
}

impl WrittenFiles {
    pub fn of_link(link: String) -> WrittenFiles {
        WrittenFiles { link, ..WrittenFiles::default() }
    }

    /// Starts files. Errors: why one can't be written.
    pub fn start(
        &mut self,
        requests: &[WriteRequest],
        log: &Arc<RawLog>,
        chosen: &Chosen,
        source: Source,
    ) -> Result<(), String> {
        for request in requests {
            self.files.push((request.kind, request.start(log, &self.link, chosen, source)?));
        }
        Ok(())
    }

    /// Starts or ends files as a front end wants it; returns what failed.
    pub fn switch(&mut self, files: &[FileSwitch], log: &Arc<RawLog>, chosen: &Chosen, source: Source) -> Vec<String> {
        let mut failures = Vec::new();
        for (kind, on) in files {
            let is_on = self.files.iter().any(|(other, file)| other == kind && !file.is_over());
            if is_on && *on != Some(true) {
                let ended = self.files.extract_if(.., |(other, _)| other == kind);
                failures.extend(ended.filter_map(|(_, mut file)| file.finish()));
            } else if !is_on && *on != Some(false) {
                self.started_for_front_ends += 1;
                let started = match self.started_for_front_ends {
                    ..=MOST_SWITCHED => {
                        WriteRequest::parse(kind).and_then(|new| self.start(&[new], log, chosen, source))
                    }
                    _ => Err(format!("no {kind} file for the front end: it had {MOST_SWITCHED}; use --write {kind}")),
                };
                failures.extend(started.err());
            }
        }
        failures
    }

    /// What failed since the last call.
    pub fn take_failures(&mut self) -> Vec<String> {
        let failures: Vec<String> = self.files.iter_mut().filter_map(|(_, file)| file.take_failure()).collect();
        self.has_failed |= !failures.is_empty();
        failures
    }

    pub fn are_over(&self) -> bool {
        self.files.iter().all(|(_, file)| file.is_over())
    }

    /// Completes all files; returns their number, and what failed.
    pub fn finish(&mut self) -> (usize, Vec<String>) {
        let mut files = std::mem::take(&mut self.files);
        let failures: Vec<String> = files.iter_mut().filter_map(|(_, file)| file.finish()).collect();
        self.has_failed |= !failures.is_empty();
        (files.len(), failures)
    }
}

/// The name of a dictionary file, by the build time in its line `-tYYMMDD_HHMMSS`.
fn dictionary_name(host: &str, file: &[u8]) -> PathBuf {
    let stamp = file.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"-t")).unwrap_or_default();
    let is_part = |c: &char| c.is_ascii_digit() || *c == '_';
    let stamp: String = String::from_utf8_lossy(stamp).chars().filter(is_part).collect();
    format!("{host}{stamp}.dic").into()
}

#[cfg(feature = "decoders")]
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use spytui_engine::{
        io::log::LogOptions,
        open::{Options, Origin, Registry},
    };

    use super::*;

    #[test]
    fn a_front_end_starts_a_bounded_number_of_files() {
        let mut registry = Registry::new();
        registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
        let chosen = (registry.find("qs").unwrap(), Options::default());
        let log = RawLog::new(&LogOptions::default());
        let mut written = WrittenFiles::default();
        // Without objects none is made, but each try counts.
        let mut start = || written.switch(&[("sequence", None)], &log, &chosen, Source::default()).concat();
        for _ in 0..MOST_SWITCHED {
            let refusal = start();
            assert!(refusal.contains("needs its objects"), "{refusal}");
        }
        assert_eq!(start(), "no sequence file for the front end: it had 32; use --write sequence");
    }
}
