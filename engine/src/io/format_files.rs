//! Format files: finds them, merges their content, and notices changes.

use std::{
    collections::HashSet,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use spytui_formats::{FormatTable, Layout, Loaded, LoadedFile, Loader, Shadowed, TextPlace, limits};
use spytui_plugin_api::{Info, info::KindInfo};

use super::{file_error::open_regular, watch};
use crate::{nearest::nearest, unreadable};

/// Where format files are, in reading order. Later lines replace earlier ones.
#[derive(Debug, Clone, Default)]
pub struct FormatPaths {
    /// Name and text of files that don't exist on disk: built into the program, or stored in a recording.
    pub built_in: Vec<(String, String)>,
    /// Folders; missing ones are ignored.
    pub folders: Vec<PathBuf>,
    /// Files and folders that the user named.
    pub named: Vec<PathBuf>,
}

#[derive(Debug, Default)]
pub struct FormatFiles {
    paths: FormatPaths,
    /// State of files and folders when last read.
    pub stamps: Vec<(PathBuf, watch::FileStamp)>,
    /// Valid lines of each file when it last had no faults.
    earlier: Vec<(PathBuf, String)>,
}

impl FormatFiles {
    pub fn new(paths: FormatPaths) -> FormatFiles {
        FormatFiles { paths, ..FormatFiles::default() }
    }

    /// Adds a file or folder that the user named; it counts as changed.
    pub fn add(&mut self, path: PathBuf) {
        self.stamps.push((path.clone(), None));
        self.paths.named.push(path);
    }

    pub fn unreadable(&self) -> Option<String> {
        self.paths.named.iter().find_map(|path| {
            let opened = if path.is_dir() { fs::read_dir(path).map(drop) } else { text(path).map(drop) };
            opened.err().map(|error| unreadable(path, &error))
        })
    }

    pub fn have_changed(&self) -> bool {
        self.stamps.iter().any(|(path, known)| watch::stamp(path) != *known)
    }

    /// Reads all files. If a file read before has faults now, its earlier content stays. The same holds for a named
    /// file that is gone, as many editors remove a file before writing it.
    pub fn read(&mut self) -> FormatSet {
        let snapshot = read(&self.paths);
        let mut loaded = load(&snapshot, |_| None);
        let gone = snapshot.files.iter().enumerate().filter(|(_, file)| file.is_gone).map(|(index, _)| index);
        let wrong: HashSet<usize> = loaded.faults.iter().map(|fault| fault.place.file).chain(gone).collect();
        let earlier = |index: usize| {
            let path = snapshot.files.get(index)?.path.as_ref()?;
            let (_, text) = self.earlier.iter().find(|(known, _)| known == path)?;
            wrong.contains(&index).then_some(text.as_str())
        };
        if wrong.iter().any(|index| earlier(*index).is_some()) {
            loaded = load(&snapshot, earlier);
        }
        self.keep(&snapshot, &loaded);
        let set = FormatSet::new(&snapshot, loaded);
        self.stamps = snapshot.stamps;
        set
    }

    fn keep(&mut self, snapshot: &Snapshot, loaded: &Loaded) {
        for (index, file) in snapshot.files.iter().enumerate() {
            let Some(path) = file.path.as_ref().filter(|_| !file.is_gone) else { continue };
            let is_known = self.earlier.iter().any(|(known, _)| known == path);
            let is_right = loaded.faults.iter().all(|fault| fault.place.file != index);
            if is_right || !is_known {
                let text = loaded.files.get(index).map(|file| file.text.clone()).unwrap_or_default();
                self.earlier.retain(|(known, _)| known != path);
                self.earlier.push((path.clone(), text));
            }
        }
    }
}

/// Loads all files, each on top of its earlier lines.
fn load<'a>(snapshot: &Snapshot, earlier: impl Fn(usize) -> Option<&'a str>) -> Loaded {
    let mut loader = Loader::new();
    for (index, file) in snapshot.files.iter().enumerate() {
        if let Some(text) = earlier(index) {
            loader.add_earlier(text);
        }
        if file.is_xml {
            loader.add_xml(&file.text);
        } else {
            loader.add_text(&file.text);
        }
    }
    loader.finish()
}

/// Maximum number of files read per folder; the others are only counted.
const MOST_OF_A_FOLDER: usize = 256;

#[derive(Debug)]
pub(super) struct TextFile {
    pub(super) name: String,
    /// `None` if built in.
    pub(super) path: Option<PathBuf>,
    pub(super) text: Vec<u8>,
    is_xml: bool,
    /// The user named it or its folder.
    pub(super) is_named: bool,
    /// The file can't be read now.
    pub(super) is_gone: bool,
}

#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) files: Vec<TextFile>,
    pub(super) stamps: Vec<(PathBuf, watch::FileStamp)>,
    pub(super) errors: Vec<String>,
}

pub(super) fn read(paths: &FormatPaths) -> Snapshot {
    let mut all = Snapshot::default();
    for (name, text) in &paths.built_in {
        let (name, text) = (name.clone(), text.as_bytes().to_vec());
        all.files.push(TextFile { name, path: None, text, is_xml: false, is_named: false, is_gone: false });
    }
    for folder in &paths.folders {
        if folder.is_dir() {
            all.folder(folder, false);
        } else {
            // It may be created later.
            all.stamps.push((folder.clone(), watch::stamp(folder)));
        }
    }
    for path in &paths.named {
        if path.is_dir() { all.folder(path, true) } else { all.file(path, true) }
    }
    all
}

impl Snapshot {
    fn folder(&mut self, folder: &Path, is_named: bool) {
        self.stamps.push((folder.to_owned(), watch::stamp(folder)));
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.errors.push(unreadable(folder, &error)),
        };
        let mut paths: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| is_format(path)).collect();
        paths.sort();
        if paths.len() > MOST_OF_A_FOLDER {
            let count = paths.len() - MOST_OF_A_FOLDER;
            self.errors.push(format!("{}: {count} of its files are not read", folder.display()));
        }
        for path in paths.iter().take(MOST_OF_A_FOLDER) {
            self.file(path, is_named);
        }
    }

    fn file(&mut self, path: &Path, is_named: bool) {
        self.stamps.push((path.to_owned(), watch::stamp(path)));
        let text = text(path);
        if let Err(error) = &text {
            self.errors.push(unreadable(path, error));
        }
        self.files.push(TextFile {
            name: path.display().to_string(),
            path: Some(path.to_owned()),
            is_gone: text.is_err(),
            text: text.unwrap_or_default(),
            is_xml: ends_in(path, "xml"),
            is_named,
        });
    }
}

/// Whether a file of a folder is a format file. Editors keep hidden files beside those they have open.
fn is_format(path: &Path) -> bool {
    let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_hidden && (ends_in(path, "fmt") || ends_in(path, "xml"))
}

fn ends_in(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case(wanted))
}

/// The text of a file; if too large, just enough to detect that.
fn text(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open_regular(path)?.take(limits::FILE as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

#[derive(Debug, Clone, Default)]
pub struct FormatSet {
    pub table: Arc<FormatTable>,
    /// In reading order.
    pub files: Vec<FormatFile>,
    /// Faulty lines and unreadable files, each with its place.
    pub faults: Vec<String>,
    /// Replaced lines, each with both places.
    pub shadowed: Vec<String>,
    /// Lines of words, bits and records replaced within their file, with the file and both line numbers.
    pub repeated: Vec<String>,
    /// Application records that lines define.
    pub records: Vec<RecordLine>,
    /// All valid lines of files that the user did not name.
    pub usual_text: String,
    /// All valid lines of files that the user named.
    pub named_text: String,
}

/// The option of a decoder for the record with the total of dropped records: `RECORD(ELEMENT)`.
pub(crate) const DROPS: &str = "drops";

/// A line that defines the text of an application record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLine {
    pub protocol: String,
    /// Id or name of the record.
    pub id: String,
    /// File and line.
    pub at: String,
    /// The line contains `drops(FIELD)`.
    pub has_drops: bool,
}

impl RecordLine {
    /// What is wrong with the fields that it shows; `None` if all exist.
    fn unknown_field(&self, known: &[&Info], table: &FormatTable) -> Option<String> {
        let (protocol, id) = (self.protocol.as_str(), self.id.as_str());
        let info = known.iter().find(|info| info.names().any(|name| name == protocol))?;
        let mut known: Vec<&str> = table.layout(protocol, id).into_iter().flat_map(Layout::names).collect();
        let of_decoder = kinds(info, id).into_iter().flat_map(|kind| kind.fields.iter().map(|field| field.as_str()));
        for name in of_decoder {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let template = table.record(protocol, id)?;
        let unknown = template.field_names().find(|name| *name != OF_ALL && !known.contains(name))?;
        let near = nearest(unknown, known.iter().copied()).map(|near| format!("; nearest: {near}")).unwrap_or_default();
        let more = if known.len() > MOST_LISTED { " ..." } else { "" };
        known.truncate(MOST_LISTED);
        let there_are = match known.as_slice() {
            [] => "the record has only elements, {0} is the first; fields follow the text, as NAME:TYPE".to_owned(),
            known => format!("there are {}{more}", known.join(" ")),
        };
        Some(format!("no field {{{unknown}}}{near}; {there_are}"))
    }

    /// Why it, or a part of it, has no effect.
    fn refusal(&self, known: &[&Info]) -> Option<String> {
        let protocol = self.protocol.as_str();
        let mut own = known.iter().filter(|info| info.names().any(|name| name == protocol)).peekable();
        if own.peek().is_none() {
            return Some(format!("no decoder {protocol}"));
        }
        let takes_drops = |info: &&&Info| info.option(DROPS).is_some();
        let is_useless = self.has_drops && !own.any(|info| takes_drops(&info));
        let takers = || known.iter().filter(takes_drops).flat_map(|info| info.names()).collect::<Vec<_>>().join(" ");
        is_useless.then(|| format!("drops(FIELD) is for {}, not for {protocol}", takers()))
    }
}

impl std::fmt::Display for RecordLine {
    /// `motor.fmt:3: record qs USER+2`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: record {} {}", self.at, self.protocol, self.id)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatFile {
    /// Path of the file, or its name if built in.
    pub name: String,
    /// Number of valid lines.
    pub lines: usize,
    pub qnx_lines: usize,
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
    pub fn text(&self) -> String {
        [self.usual_text.as_str(), &self.named_text].concat()
    }

    /// Whether the files contain no lines, valid or faulty.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty() && self.files.iter().all(|file| file.lines == 0)
    }

    pub fn listing(&self, known: &[&Info]) -> Vec<String> {
        let mut lines: Vec<String> = self.files.iter().map(ToString::to_string).collect();
        lines.extend(self.shadowed.iter().map(|text| format!("shadowed: {text}")));
        let unused = self.records.iter().filter_map(|line| Some((line, line.refusal(known)?)));
        lines.extend(unused.map(|(line, why)| format!("unused: {line}: {why}")));
        lines
    }

    /// Rejects lines for protocols without a decoder, with a word that their protocol lacks, with unknown fields, or
    /// replaced within their file.
    pub fn refuse_unknown(&mut self, known: &[&Info]) {
        self.refuse_unknown_fields(known);
        for line in self.records.clone() {
            let Some(why) = line.refusal(known) else { continue };
            let near = nearest(&line.protocol, known.iter().flat_map(|info| info.names()))
                .filter(|word| *word != line.protocol);
            let near = near.map(|word| format!("; nearest: {word}")).unwrap_or_default();
            self.refuse(&line, &format!("{why}{near}"));
        }
        self.faults.append(&mut self.repeated);
    }

    pub fn refuse_unknown_fields(&mut self, known: &[&Info]) {
        for (line, why) in self.unknown_fields(known) {
            self.refuse(&line, &why);
            self.records.retain(|other| *other != line);
            Arc::make_mut(&mut self.table).remove_record(&line.protocol, &line.id);
        }
    }

    pub fn unknown_fields(&self, known: &[&Info]) -> Vec<(RecordLine, String)> {
        let wrong = |line: &RecordLine| Some((line.clone(), line.unknown_field(known, &self.table)?));
        self.records.iter().filter_map(wrong).collect()
    }

    fn refuse(&mut self, line: &RecordLine, why: &str) {
        self.faults.push(format!("{}: {why}", line.at));
        let file = self.files.iter_mut().find(|file| line.at.rsplit_once(':').is_some_and(|at| at.0 == file.name));
        if let Some(file) = file {
            file.lines = file.lines.saturating_sub(1);
            file.faults += 1;
        }
    }

    pub(super) fn new(snapshot: &Snapshot, loaded: Loaded) -> FormatSet {
        let name = |place: &TextPlace| snapshot.files.get(place.file).map_or("", |file| file.name.as_str());
        let at = |place: &TextPlace| format!("{}:{}", name(place), place.line);
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
        let record = |(protocol, id, place): (String, String, TextPlace)| {
            let has_drops = loaded.table.drops.get(&protocol).is_some_and(|total| total.record == id);
            RecordLine { protocol, id, at: at(&place), has_drops }
        };
        let texts = |is_named: bool| {
            let files = snapshot.files.iter().zip(&loaded.files).filter(|(file, _)| file.is_named == is_named);
            files.map(|(_, loaded)| loaded.text.as_str()).collect()
        };
        let file = |(index, (file, of_file)): (usize, (&TextFile, &LoadedFile))| FormatFile {
            name: file.name.clone(),
            lines: of_file.lines,
            qnx_lines: of_file.qnx_lines,
            faults: loaded.faults.iter().filter(|fault| fault.place.file == index).count(),
        };
        let files = snapshot.files.iter().zip(&loaded.files).enumerate();
        FormatSet {
            files: files.filter(|(_, (file, _))| !file.is_gone).map(file).collect(),
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

/// Fields that every record has.
const OF_ALL: &str = "seq";
const MOST_LISTED: usize = 12;

/// The possible kinds of records with this id.
fn kinds<'i>(info: &'i Info, id: &str) -> Vec<&'i KindInfo> {
    let (before, space) = match (id.split_once('+'), id.split_once(':')) {
        (Some((kind, _)), _) => (Some(kind), None),
        (_, Some((space, _))) => (None, info.spaces.iter().find(|known| known.name == space)),
        _ => (None, None),
    };
    let is_own = |kind: &&KindInfo| {
        let is_called = before.is_some_and(|name| kind.name == name || kind.tag() == name);
        is_called || space.is_some_and(|space| kind.obj_space == space.id || kind.spaces.contains(&space.id))
    };
    let own: Vec<&KindInfo> = info.kinds.iter().filter(is_own).collect();
    if own.is_empty() { info.kinds.iter().collect() } else { own }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use spytui_formats::Loader;
    use spytui_plugin_api::{
        Class, KeyFormat, RString, RowKind,
        info::{SpaceInfo, space},
    };

    use super::*;

    fn shown(set: &FormatSet, id: &str) -> Option<String> {
        let mut out = Vec::new();
        let template = set.table.record("qs", id)?;
        template.render(&spytui_formats::Data::new(b""), &|_, _| false, &mut out);
        String::from_utf8(out).ok()
    }

    #[test]
    fn files_are_read_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        file("user/b.fmt", "record qs 1 \"user b\"\nrecord qs 2 \"user b\"");
        file("user/a.fmt", "record qs 1 \"user a\"\nrecord qs 3 \"user a\"\nuser 1 A \"\"");
        for name in ["a.txt", ".#a.fmt", ".b.fmt.swp", "b.fmt~"] {
            file(&format!("user/{name}"), "nonsense");
        }
        file("user/C.FMT", "record qs 5 \"upper case\"");
        let named = file("named.fmt", "record qs 2 \"named\"\nuser 2 B \"\"\nwrong");
        let mut files = FormatFiles::new(FormatPaths {
            built_in: vec![("built-in.fmt".into(), "record qs 3 \"built in\"\nrecord qs 4 \"built in\"".into())],
            folders: vec![folder.path().join("none"), folder.path().join("user")],
            named: vec![named.clone()],
        });
        let set = files.read();
        let texts: Vec<_> = ["1", "2", "3", "4", "5"].iter().map(|id| shown(&set, id)).collect();
        let expected = [Some("user b"), Some("named"), Some("user a"), Some("built in"), Some("upper case")];
        assert_eq!(texts, expected.map(|text| text.map(str::to_owned)));
        assert_eq!(set.faults.len(), 1);
        assert!(set.faults[0].starts_with(&format!("{}:3:1: unknown word", named.display())), "{:?}", set.faults);
        assert_eq!(set.shadowed.len(), 3);
        assert_eq!(set.named_text, "record qs 2 \"named\"\nuser 2 B \"\"\n");
        assert!(set.usual_text.ends_with("user 1 A \"\"\nrecord qs 1 \"user b\"\nrecord qs 2 \"user b\"\n"));
        assert!(!files.have_changed());
        fs::remove_file(folder.path().join("user/b.fmt")).unwrap();
        assert!(files.have_changed());
        assert_eq!(shown(&files.read(), "1").as_deref(), Some("user a"));
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_of_a_folder_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let device = folder.path().join("a.fmt");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        let paths =
            FormatPaths { folders: vec![folder.path().to_owned()], named: vec![device], ..FormatPaths::default() };
        let set = FormatFiles::new(paths).read();
        assert_eq!(set.faults.len(), 2, "{:?}", set.faults);
        assert!(set.faults.iter().all(|fault| fault.ends_with("a.fmt: not a regular file.")), "{:?}", set.faults);
    }

    #[test]
    fn a_line_that_is_wrong_now_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.fmt");
        let mut files = FormatFiles::new(FormatPaths { named: vec![path.clone()], ..FormatPaths::default() });
        let mut with = |text: &str| {
            fs::write(&path, text).unwrap();
            let set = files.read();
            (shown(&set, "1"), shown(&set, "2"), set.faults.len())
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(with("record qs 1 \"one\"\nrecord qs 2 \"two\""), (text("one"), text("two"), 0));
        assert_eq!(with("record qs 1 \"one%q\"\nrecord qs 2 \"zwei\""), (text("one"), text("zwei"), 1));
        assert_eq!(with("record qs 2 \"zwei\""), (None, text("zwei"), 0));
        fs::remove_file(&path).unwrap();
        let set = files.read();
        assert_eq!((shown(&set, "2"), set.faults.len(), set.files.len()), (text("zwei"), 1, 0));
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let big = folder.path().join("big.fmt");
        fs::write(&big, vec![b'#'; spytui_formats::limits::FILE + 10]).unwrap();
        let missing = folder.path().join("missing.fmt");
        let named = vec![big.clone(), missing.clone()];
        let mut files = FormatFiles::new(FormatPaths { named, ..FormatPaths::default() });
        assert!(files.unreadable().is_some_and(|why| why.starts_with(&missing.display().to_string())));
        let set = files.read();
        assert!(set.faults.iter().any(|fault| fault.contains("larger than 4 MiB")), "{:?}", set.faults);
        assert!(set.faults.iter().any(|fault| fault.starts_with(&missing.display().to_string())), "{:?}", set.faults);
        fs::write(&missing, "").unwrap();
        assert!(files.have_changed());
    }

    /// A decoder with records `USER+N` without fields, and markers with a text.
    fn info() -> Info {
        let fields = |names: &[&str]| names.iter().copied().map(RString::from).collect();
        let user = KindInfo { fields: fields(&[]), ..KindInfo::new(RowKind(1), "USER", 0) };
        let (key, markers) = (space::OWN, RowKind(2));
        let marker = KindInfo { obj_space: key, fields: fields(&["id", "msg"]), ..KindInfo::new(markers, "MARK", 0) };
        let spaces = vec![SpaceInfo::new(key, "marker", "marker", Class::MARKER, KeyFormat::DECIMAL)];
        Info { id: "one".into(), kinds: vec![user, marker].into(), spaces: spaces.into(), ..Info::default() }
    }

    fn unknown(id: &str, line: &str) -> Option<String> {
        let mut loader = Loader::new();
        loader.add_text(format!("record one {id} {line}").as_bytes());
        let table = loader.finish().table;
        let line = RecordLine { protocol: "one".into(), id: id.into(), at: String::new(), has_drops: false };
        line.unknown_field(&[&info()], &table)
    }

    #[test]
    fn fields_of_the_line_of_the_decoder_and_elements_exist() {
        assert_eq!(unknown("USER+1", "\"{rpm} {0} {seq}\" rpm:u8"), None);
        assert_eq!(unknown("marker:3", "\"{msg}\""), None);
        // A name may denote any record.
        assert_eq!(unknown("MOTOR", "\"{msg}\""), None);
    }

    #[test]
    fn a_field_that_is_missing_is_named_with_those_that_exist() {
        let missing = |id, line| unknown(id, line).unwrap_or_default();
        assert_eq!(missing("USER+1", "\"{rmp}\" rpm:u8 t:i8"), "no field {rmp}; nearest: rpm; there are rpm t");
        assert_eq!(missing("marker:3", "\"{mgs}\""), "no field {mgs}; nearest: msg; there are id msg");
        let only =
            "no field {msg}; the record has only elements, {0} is the first; fields follow the text, as NAME:TYPE";
        assert_eq!(missing("USER+1", "\"{msg}\""), only);
    }
}
