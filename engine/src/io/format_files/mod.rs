//! Format files: where they are, what they say together, and whether they changed.
//!
//! | module | what is in it |
//! |---|---|
//! | `read` | reads files and folders, within limits |
//! | [`set`] | what all files say together |
//! | `shown_names` | whether the fields that lines show exist |

mod read;
pub mod set;
mod shown_names;

use std::{collections::HashSet, path::PathBuf};

use spytui_formats::{Loaded, Loader};

use crate::unreadable;
use read::{Snapshot, Stamp};
pub use set::{FormatFile, FormatSet, Protocols, RecordLine};

/// Where format files are, in the order in which they are read. Later lines replace earlier ones.
#[derive(Debug, Clone, Default)]
pub struct FormatPaths {
    /// Name and text of files that are not there as files: parts of the program, what a recording keeps.
    pub built_in: Vec<(String, String)>,
    /// Folders that need not exist.
    pub folders: Vec<PathBuf>,
    /// Files and folders that the user named.
    pub named: Vec<PathBuf>,
}

/// Reads format files, again when they change.
#[derive(Debug, Default)]
pub struct FormatFiles {
    paths: FormatPaths,
    /// Files and folders as they were when last read.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    /// Right lines of each file when it last had no wrong one.
    earlier: Vec<(PathBuf, String)>,
}

impl FormatFiles {
    /// Files at these places. Nothing is read yet.
    pub fn new(paths: FormatPaths) -> FormatFiles {
        FormatFiles { paths, ..FormatFiles::default() }
    }

    /// Adds a file or folder that the user named; it counts as changed.
    pub fn add(&mut self, path: PathBuf) {
        self.stamps.push((path.clone(), None));
        self.paths.named.push(path);
    }

    /// Why the first of the named files that can't be read can't.
    pub fn unreadable(&self) -> Option<String> {
        let error = |path: &PathBuf| read::probe(path).err().map(|error| unreadable(path, &error));
        self.paths.named.iter().find_map(error)
    }

    /// Whether a file or folder changed since it was last read.
    pub fn have_changed(&self) -> bool {
        self.stamps.iter().any(|(path, stamp)| Stamp::of(path) != *stamp)
    }

    /// Reads all files. Where a line of a file that was read before is wrong now, what it said before stays; so does what
    /// a named file said that is gone, as many editors remove a file to write it.
    pub fn read(&mut self) -> FormatSet {
        let snapshot = read::read(&self.paths);
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

    /// Keeps the right lines of files without wrong ones.
    fn keep(&mut self, snapshot: &Snapshot, loaded: &Loaded) {
        for (index, file) in snapshot.files.iter().enumerate() {
            let Some(path) = file.path.as_ref().filter(|_| !file.is_gone) else { continue };
            let is_known = self.earlier.iter().any(|(known, _)| known == path);
            let is_right = loaded.faults.iter().all(|fault| fault.place.file != index);
            if is_right || !is_known {
                let text = loaded.texts.get(index).cloned().unwrap_or_default();
                self.earlier.retain(|(known, _)| known != path);
                self.earlier.push((path.clone(), text));
            }
        }
    }
}

/// Loads all files, each over its earlier lines.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn shown(set: &FormatSet, id: &str) -> Option<String> {
        let mut out = Vec::new();
        let template = set.table.record("qs", id)?;
        template.render(&spytui_formats::Data::new(b""), &spytui_formats::NoFields, &mut out);
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
}
