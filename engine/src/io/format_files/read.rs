//! Reads files and folders, within limits.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use spytui_formats::limits;

use super::FormatPaths;
use crate::{io::regular::open_regular, unreadable};

/// Files read of a folder; the others are counted.
const MOST_OF_A_FOLDER: usize = 256;

/// What changes when a file is written, or a folder gets or loses a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    len: u64,
}

impl Stamp {
    /// `None` if there is nothing.
    pub(super) fn of(path: &Path) -> Option<Stamp> {
        let about = fs::metadata(path).ok()?;
        Some(Stamp { modified: about.modified().ok(), len: about.len() })
    }
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct TextFile {
    pub(super) name: String,
    /// `None` for one that is not there as a file.
    pub(super) path: Option<PathBuf>,
    pub(super) text: Vec<u8>,
    pub(super) is_xml: bool,
    /// The user named it, or its folder.
    pub(super) is_named: bool,
    /// It can't be read now.
    pub(super) is_gone: bool,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) files: Vec<TextFile>,
    pub(super) stamps: Vec<(PathBuf, Option<Stamp>)>,
    /// What could not be read.
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
            // It may be made later.
            all.stamps.push((folder.clone(), Stamp::of(folder)));
        }
    }
    for path in &paths.named {
        if path.is_dir() { all.folder(path, true) } else { all.file(path, true) }
    }
    all
}

/// Whether a named file or folder can be read.
pub(super) fn probe(path: &Path) -> io::Result<()> {
    if path.is_dir() { fs::read_dir(path).map(drop) } else { text(path).map(drop) }
}

impl Snapshot {
    /// All files of a folder, in the order of their names.
    fn folder(&mut self, folder: &Path, is_named: bool) {
        self.stamps.push((folder.to_owned(), Stamp::of(folder)));
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
        self.stamps.push((path.to_owned(), Stamp::of(path)));
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

/// Whether a file of a folder is a format file. Editors keep hidden ones beside those they have open.
fn is_format(path: &Path) -> bool {
    let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_hidden && (ends_in(path, "fmt") || ends_in(path, "xml"))
}

fn ends_in(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case(wanted))
}

/// The text of a file; of one that is too large only as much as shows that.
fn text(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open_regular(path)?.take(limits::FILE as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}
