//! One plugin library: copied to a private name, opened, checked, kept for ever.
//!
//! The same path opened twice would give the first library again, and a file overwritten while it is mapped kills
//! the process; so a library is always opened from a copy of its own. Nothing is ever unloaded.

#![allow(unsafe_code)] // opening libraries is the one place of the engine where it can't be helped

use std::{
    error::Error,
    ffi::CStr,
    fs, io,
    path::{Path, PathBuf},
};

use super::whole::is_cut_short;
use crate::unreadable;
use abi_stable::library::{AbiHeaderRef, LibraryError, RootModuleError};
use libloading::Library;
use spytui_plugin_api::{
    API_MAJOR, API_MINOR, LibraryRef,
    export::{MAGIC, PluginStamp, last_error},
};

const STAMP: &CStr = c"SPYTUI_PLUGIN_STAMP";
const ROOT: &CStr = c"SPYTUI_PLUGIN_ROOT";

/// Why a file is not used as a plugin: one line that names the file, and both versions where it is about versions.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read; in words.
    #[error("{0}")]
    Unreadable(String),
    /// The file could not be copied.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The dynamic linker refused it.
    #[error(
        "{}: not a library that can be loaded: {reason} (this program takes plugins for API {API_MAJOR}.{API_MINOR})",
        path.display()
    )]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// What the linker said.
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
    /// Built for another contract.
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
    /// The same contract number, but the layout of a type differs.
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
        /// The one telling line of the report.
        reason: String,
        /// The whole report, for the log.
        report: String,
    },
    /// It fits, but failed to start.
    #[error("{}: the plugin failed to start: {reason}", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
}

/// Loads the plugin library at `path`.
///
/// # Errors
/// See [`LoadError`].
pub fn load(path: &Path) -> Result<LibraryRef, LoadError> {
    let library = open_copy(path)?;
    // The library is kept for ever: its code and data are referred to from now on.
    let library: &'static Library = Box::leak(Box::new(library));
    let stamp = read_stamp(library, path)?;
    if !stamp.fits() {
        let (path, version) = (path.to_owned(), stamp.version_text());
        return Err(LoadError::Api { path, major: stamp.major, minor: stamp.minor, version });
    }
    let no_root = || LoadError::Start { path: path.to_owned(), reason: "it exports no root module".to_owned() };
    root_module(header(library).ok_or_else(no_root)?).map_err(|error| refusal(&error, path, &stamp))
}

/// A root module is refused because of its types, or because it failed to start.
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

/// Opens a copy of the file under a name of its own, which is removed again at once.
fn open_copy(path: &Path) -> Result<Library, LoadError> {
    let no_library = |reason: &str| LoadError::NotALibrary { path: path.to_owned(), reason: reason.to_owned() };
    // A device or a pipe would be read for ever.
    let unread = |error: io::Error| LoadError::Unreadable(unreadable(path, &error));
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(no_library("it is not a file"));
    }
    let bytes = fs::read(path).map_err(unread)?;
    if is_cut_short(&bytes) {
        return Err(no_library("the file ends too early; is it still being written?"));
    }
    // Nothing may be run from some systems' temporary folder: then the copy lies beside the file.
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
    // SAFETY: opening a library runs its initialisers. The user put the file where plugins are looked for, or named
    // it; there is no way to look inside without opening it.
    unsafe { Library::new(copy.path()) }
        .map_err(|error| LoadError::NotALibrary { path: path.to_owned(), reason: linker_text(&error, copy.path()) })
}

/// The useful part of a linker error is in its source, and it names our copy.
fn linker_text(error: &libloading::Error, copy: &Path) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let text = text.replace(&format!("{}: ", copy.display()), "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read_stamp(library: &Library, path: &Path) -> Result<PluginStamp, LoadError> {
    let no_stamp = || LoadError::NoStamp { path: path.to_owned() };
    // SAFETY: the symbol is only taken as an address here.
    let symbol = unsafe { library.get::<*const PluginStamp>(STAMP.to_bytes_with_nul()) }.map_err(|_| no_stamp())?;
    // SAFETY: a library that exports this name promises plain data of at least this size behind it; the type has
    // no invalid values, and it is read without assuming its alignment.
    let stamp = unsafe { std::ptr::read_unaligned(*symbol) };
    if stamp.magic == MAGIC { Ok(stamp) } else { Err(no_stamp()) }
}

fn header(library: &'static Library) -> Option<AbiHeaderRef> {
    // SAFETY: the stamp said that this is a plugin of a contract we know, whose header has this type; the header
    // begins with abi_stable's own magic number, which `upgrade` checks before anything else is read.
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
