//! Loads a plugin library: copies it to a private name, opens and checks it. Libraries are never unloaded.
//!
//! Opening the same path twice would return the first library again, and overwriting a mapped file crashes the process;
//! therefore a library is always opened from a private copy.

#![allow(unsafe_code)] // opening libraries is the one place of the engine where it can't be helped

use std::{
    error::Error,
    ffi::CStr,
    fs, io,
    path::{Path, PathBuf},
};

use super::whole::is_cut_short;
use crate::{sys::distrust_of, unreadable};
use abi_stable::library::{AbiHeaderRef, LibraryError, RootModuleError};
use libloading::Library;
use spytui_plugin_api::{
    API_MAJOR, API_MINOR, LibraryRef,
    export::{MAGIC, PluginStamp, last_error},
};

const STAMP: &CStr = c"SPYTUI_PLUGIN_STAMP";
const ROOT: &CStr = c"SPYTUI_PLUGIN_ROOT";

/// A file can't be used as a plugin. The text is one line that names the file and, if versions differ, both versions.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// Somebody else may have written the file.
    #[error("{}: not loaded: {why}", path.display())]
    Distrusted {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        why: &'static str,
    },
    /// The file could not be copied.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Refused by the dynamic linker.
    #[error(
        "{}: not a library that can be loaded: {reason} (this program takes plugins for API {API_MAJOR}.{API_MINOR})",
        path.display()
    )]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// The linker's error.
        reason: String,
    },
    /// A library, but not a plugin.
    #[error(
        "{}: not a spytui plugin: it has no plugin stamp (this program takes plugins for API {API_MAJOR}.{API_MINOR})",
        path.display()
    )]
    NoStamp {
        /// The file.
        path: PathBuf,
    },
    /// Built for another API version.
    #[error(
        "{}: plugin {version} is built for plugin API {major}.{minor}, this program has {API_MAJOR}.{API_MINOR}: \
         rebuild it with spytui-plugin-api {API_MAJOR}.{API_MINOR}",
        path.display()
    )]
    Api {
        /// The file.
        path: PathBuf,
        /// Major number of the plugin.
        major: u16,
        /// Minor number of the plugin.
        minor: u16,
        /// Version of the plugin's own crate.
        version: String,
    },
    /// Same API version, but a type's layout differs.
    #[error(
        "{}: plugin API {major}.{minor} like this program's {API_MAJOR}.{API_MINOR}, but its types differ: \
         rebuild it with this program's spytui-plugin-api ({reason})",
        path.display()
    )]
    Layout {
        /// The file.
        path: PathBuf,
        /// Major number of the plugin.
        major: u16,
        /// Minor number of the plugin.
        minor: u16,
        /// The essential line of the report.
        reason: String,
        /// The whole report, for the log.
        report: String,
    },
    /// The plugin failed to start.
    #[error("{}: the plugin failed to start: {reason}", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// Its error.
        reason: String,
    },
}

/// Loads the plugin library at `path`.
///
/// # Errors
/// See [`LoadError`].
pub fn load(path: &Path) -> Result<LibraryRef, LoadError> {
    let library = open_copy(path)?;
    // Never unloaded: its code and data are referenced from now on.
    let library: &'static Library = Box::leak(Box::new(library));
    let stamp = read_stamp(library, path)?;
    if !stamp.fits() {
        let (path, version) = (path.to_owned(), stamp.version_text());
        return Err(LoadError::Api { path, major: stamp.major, minor: stamp.minor, version });
    }
    let no_root = || LoadError::Start { path: path.to_owned(), reason: "it exports no root module".to_owned() };
    root_module(header(library).ok_or_else(no_root)?).map_err(|error| refusal(&error, path, &stamp))
}

/// The error for a root module that was refused or failed to start.
fn refusal(error: &LibraryError, path: &Path, stamp: &PluginStamp) -> LoadError {
    let (path, report) = (path.to_owned(), error.to_string());
    let reason = last_error(&report);
    match error {
        LibraryError::RootModule { err: RootModuleError::Returned(fault), .. } => {
            LoadError::Start { path, reason: fault.to_string() }
        }
        _ => LoadError::Layout { path, major: stamp.major, minor: stamp.minor, reason, report },
    }
}

/// Opens a private copy of the file; the copy's name is removed at once.
fn open_copy(path: &Path) -> Result<Library, LoadError> {
    let no_library = |reason: &str| LoadError::NotALibrary { path: path.to_owned(), reason: reason.to_owned() };
    // A device or pipe might never end.
    let unread = |error: io::Error| LoadError::Unreadable(unreadable(path, &error));
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(no_library("it is not a file"));
    }
    let mut file = fs::File::open(path).map_err(unread)?;
    // Of the file that is read, not of one that had its name before.
    if let Some(why) = distrust_of(&file.metadata().map_err(unread)?) {
        return Err(LoadError::Distrusted { path: path.to_owned(), why });
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes).map_err(unread)?;
    if is_cut_short(&bytes) {
        return Err(no_library("the file ends too early; is it still being written?"));
    }
    // Some temporary folders are mounted noexec; then the copy is made beside the file.
    let beside = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let first = match open_in(&std::env::temp_dir(), path, &bytes) {
        Ok(library) => return Ok(library),
        Err(error) => error,
    };
    open_in(beside, path, &bytes).map_err(|_| first)
}

fn open_in(folder: &Path, path: &Path, bytes: &[u8]) -> Result<Library, LoadError> {
    let io = |error| LoadError::Io { path: path.to_owned(), error };
    let mut copy = tempfile::Builder::new().prefix("spytui-plugin-").suffix(".so").tempfile_in(folder).map_err(io)?;
    io::Write::write_all(&mut copy, bytes).map_err(io)?;
    // SAFETY: opening a library runs its initialisers. The user installed or named the file; it can't be checked
    // without opening it.
    unsafe { Library::new(copy.path()) }
        .map_err(|error| LoadError::NotALibrary { path: path.to_owned(), reason: linker_text(&error, copy.path()) })
}

/// The useful part of a linker error is its source, which names the private copy.
fn linker_text(error: &libloading::Error, copy: &Path) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let text = text.replace(&format!("{}: ", copy.display()), "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read_stamp(library: &Library, path: &Path) -> Result<PluginStamp, LoadError> {
    let no_stamp = || LoadError::NoStamp { path: path.to_owned() };
    // SAFETY: the symbol is only used as an address here.
    let symbol = unsafe { library.get::<*const PluginStamp>(STAMP.to_bytes_with_nul()) }.map_err(|_| no_stamp())?;
    // SAFETY: a library that exports this name guarantees plain data of at least this size; the type has no invalid
    // values, and no alignment is assumed.
    let stamp = unsafe { std::ptr::read_unaligned(*symbol) };
    if stamp.magic == MAGIC { Ok(stamp) } else { Err(no_stamp()) }
}

fn header(library: &'static Library) -> Option<AbiHeaderRef> {
    // SAFETY: the stamp has a known API version, for which the header has this type; the header starts with
    // abi_stable's magic number, which `upgrade` checks first.
    unsafe { library.get::<AbiHeaderRef>(ROOT.to_bytes_with_nul()) }.ok().map(|header| *header)
}

fn root_module(header: AbiHeaderRef) -> Result<LibraryRef, LibraryError> {
    header.upgrade()?.init_root_module::<LibraryRef>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_file_is_no_library() {
        let file = tempfile::NamedTempFile::new().expect("temp file");
        fs::write(file.path(), "hello").expect("write");
        let text = load(file.path()).expect_err("refused").to_string();
        assert!(text.starts_with(&file.path().display().to_string()), "{text}");
        assert!(text.contains("not a library"), "{text}");
        assert!(!text.contains('\n') && !text.contains("spytui-plugin-"), "{text}");
    }

    #[test]
    fn a_missing_file_says_so() {
        let text = load(Path::new("/nowhere/x.so")).expect_err("refused").to_string();
        assert!(text.contains("/nowhere/x.so: no such file; folder /nowhere"), "{text}");
    }
}
