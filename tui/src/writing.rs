//! Files in the formats of a reference host, written while bytes arrive: `--write` and `:write KIND=PATH`.

use std::{fmt, path::PathBuf, sync::Arc};

use jiff::Zoned;
use spytui_engine::{
    decode::Chosen,
    export::live_file::{LiveFile, LivePath},
    io::log::RawLog,
    open::REFERENCE_TEXT,
};
use spytui_plugin_api::Source;

/// Kinds of files, each with the ending of its names.
const KINDS: [(&str, &str); 5] =
    [(REFERENCE_TEXT, "txt"), (BINARY, "bin"), ("matlab", "mat"), ("sequence", "seq"), (DICTIONARY, "dic")];
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
            Some("") => Err(format!("the path is missing; use {word}=PATH, or {word} alone")),
            path => Ok(WriteRequest { kind, ending, path: path.map(PathBuf::from) }),
        }
    }

    /// Starts writing what a source receives. Errors: the file can't be created, or the decoder has no such files.
    pub fn start(&self, log: &Arc<RawLog>, (decoder, options): &Chosen, source: Source) -> Result<LiveFile, String> {
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

/// Starts all files of a source. Errors: why one can't be written.
pub fn start_all(
    requests: &[WriteRequest],
    log: &Arc<RawLog>,
    chosen: &Chosen,
    source: Source,
) -> Result<Vec<LiveFile>, String> {
    for (nth, request) in requests.iter().enumerate() {
        let Some(path) = &request.path else { continue };
        if let Some(other) = requests[..nth].iter().find(|other| other.path == request.path) {
            let (one, other) = (other.kind, request.kind);
            return Err(format!("{}: {one} and {other} can't be one file; choose another name", path.display()));
        }
    }
    requests.iter().map(|request| request.start(log, chosen, source)).collect()
}

/// The name of a dictionary file, by the build time in its line `-tYYMMDD_HHMMSS`.
fn dictionary_name(host: &str, file: &[u8]) -> PathBuf {
    let stamp = file.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"-t")).unwrap_or_default();
    let is_part = |c: &char| c.is_ascii_digit() || *c == '_';
    let stamp: String = String::from_utf8_lossy(stamp).chars().filter(is_part).collect();
    format!("{host}{stamp}.dic").into()
}
