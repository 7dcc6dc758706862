//! Loads a plugin library: copies it to a private name, opens and checks it. Libraries are never unloaded.
//!
//! Opening the same path twice would return the first library again, and overwriting a mapped file crashes the process;
//! therefore a library is always opened from a private copy. The same bytes are opened once.

#![allow(unsafe_code)] // required for opening libraries

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    error::Error,
    ffi::CStr,
    fs::{self, File},
    hash::Hasher as _,
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use abi_stable::library::{AbiHeaderRef, LibraryError, RootModuleError};
use libloading::Library;
use object::{
    Endianness,
    elf::{FileHeader32, FileHeader64},
    read::{
        ReadCache, ReadRef,
        elf::{FileHeader, ProgramHeader},
    },
};
use spytui_plugin_api::{
    API_MAJOR, API_MINOR, Fault, LibraryRef,
    export::{MAGIC, PluginStamp, last_error},
    running::loading,
};

use crate::{
    io::{file_error::folder_of, sys::distrust_of},
    present::sanitise::sanitise_text,
    unreadable,
};

const STAMP: &CStr = c"SPYTUI_PLUGIN_STAMP";
const ROOT: &CStr = c"SPYTUI_PLUGIN_ROOT";

/// A file can't be used as a plugin. The text is one line that names the file and, if versions differ, both versions.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{0}")]
    Unreadable(String),
    #[error("{}: {why}", path.display())]
    Refused { path: PathBuf, why: LoadRefusal },
}

impl LoadError {
    pub(super) fn is_late(&self) -> bool {
        matches!(self, LoadError::Refused { why: LoadRefusal::Late(_), .. })
    }

    pub(super) fn late(path: &Path, fault: &Fault) -> LoadError {
        LoadError::Refused { path: path.to_owned(), why: LoadRefusal::Late(fault.text.to_string()) }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LoadRefusal {
    /// Somebody else may have written it; with the reason.
    #[error("not loaded: {0}")]
    Distrusted(&'static str),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a library that can be loaded: {0} (this program takes plugins for API {API_MAJOR}.{API_MINOR})")]
    NotALibrary(String),
    #[error("not a spytui plugin: it has no plugin stamp (this program takes plugins for API {API_MAJOR}.{API_MINOR})")]
    NoStamp,
    #[error(
        "plugin {version} is built for plugin API {major}.{minor}, this program has {API_MAJOR}.{API_MINOR}: \
         rebuild it with spytui-plugin-api {API_MAJOR}.{API_MINOR}"
    )]
    Api { major: u16, minor: u16, version: String },
    #[error(
        "plugin API {major}.{minor} like this program's {API_MAJOR}.{API_MINOR}, but its types differ: \
         rebuild it with this program's spytui-plugin-api ({reason})"
    )]
    Layout {
        major: u16,
        minor: u16,
        /// The essential line of the report.
        reason: String,
        /// The whole report, for the log.
        report: String,
    },
    #[error("the plugin failed to start: {0}")]
    Start(String),
    #[error("{0}")]
    Late(String),
}

#[derive(Debug, Clone)]
pub struct LoadedLibrary {
    pub library: LibraryRef,
    pub version: String,
}

pub fn load(path: &Path) -> Result<LoadedLibrary, LoadError> {
    // A device or pipe might never end.
    let is_file = fs::metadata(path).map(|data| data.is_file());
    let file = is_file.and_then(|is_file| is_file.then(|| File::open(path)).transpose());
    let file = file.map_err(|error| LoadError::Unreadable(unreadable(path, &error)))?;
    let library = file.ok_or_else(|| LoadRefusal::NotALibrary("it is not a file".to_owned()));
    library.and_then(|file| start(file, path)).map_err(|why| LoadError::Refused { path: path.to_owned(), why })
}

/// Hash and length of a file.
type Content = (u64, u64);

/// All opened libraries, by their content.
fn opened() -> MutexGuard<'static, HashMap<Content, LoadedLibrary>> {
    static OPENED: LazyLock<Mutex<HashMap<Content, LoadedLibrary>>> = LazyLock::new(Mutex::default);
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Total size of libraries above which the user is warned.
const MANY: u64 = 200 << 20;

pub fn too_many() -> Option<String> {
    let opened = opened();
    let bytes: u64 = opened.keys().map(|(_, len)| len).sum();
    let (count, mebibytes) = (opened.len(), bytes >> 20);
    (bytes > MANY).then(|| {
        format!("{count} builds of plugins stay loaded ({mebibytes} MiB): start spytui again when it suits you")
    })
}

fn start(mut file: File, path: &Path) -> Result<LoadedLibrary, LoadRefusal> {
    // Of the file that is read, not of one that had its name before.
    if let Some(why) = distrust_of(&file.metadata()?) {
        return Err(LoadRefusal::Distrusted(why));
    }
    let content = copy_to(&mut io::sink(), &mut file)?;
    if let Some(loaded) = opened().get(&content) {
        return Ok(loaded.clone());
    }
    let (loaded, content) = loading(&path.display().to_string(), || start_new(&mut file, path))?;
    opened().insert(content, loaded.clone());
    Ok(loaded)
}

fn start_new(file: &mut File, path: &Path) -> Result<(LoadedLibrary, Content), LoadRefusal> {
    // Some temporary folders are mounted noexec; then the copy is placed next to the file.
    let copied =
        open_in(&std::env::temp_dir(), file).or_else(|first| open_in(folder_of(path), file).map_err(|_| first));
    let (library, content) = copied?;
    // Never unloaded: its code and data are referenced from now on.
    let library: &'static Library = Box::leak(Box::new(library));
    let stamp = read_stamp(library)?;
    let version = sanitise_text(&stamp.version_text()).into_owned();
    if !stamp.fits() {
        return Err(LoadRefusal::Api { major: stamp.major, minor: stamp.minor, version });
    }
    let header = header(library).ok_or_else(|| LoadRefusal::Start("it exports no root module".to_owned()))?;
    let library = header.upgrade().and_then(|header| header.init_root_module::<LibraryRef>());
    let library = library.map_err(|error| refusal(&error, &stamp))?;
    Ok((LoadedLibrary { library, version }, content))
}

fn refusal(error: &LibraryError, stamp: &PluginStamp) -> LoadRefusal {
    let report = error.to_string();
    match error {
        LibraryError::RootModule { err: RootModuleError::Returned(fault), .. } => {
            LoadRefusal::Start(sanitise_text(&fault.to_string()).into_owned())
        }
        _ => LoadRefusal::Layout { major: stamp.major, minor: stamp.minor, reason: last_error(&report), report },
    }
}

/// Opens a private copy of the file in a folder, and removes the copy's name at once. Also returns its content hash.
fn open_in(folder: &Path, file: &mut File) -> Result<(Library, Content), LoadRefusal> {
    let mut copy = tempfile::Builder::new().prefix("spytui-plugin-").suffix(".so").tempfile_in(folder)?;
    let content = copy_to(&mut copy, file)?;
    let mapped = mapped(&mut copy)
        .ok_or_else(|| LoadRefusal::NotALibrary("the file ends too early; is it still being written?".to_owned()))?;
    // The copy takes space until the program ends; most of a debug build is never mapped.
    copy.as_file().set_len(mapped)?;
    // SAFETY: opening a library runs its initialisers. The user installed or named the file; it can't be checked
    // without opening it.
    let library = unsafe { Library::new(copy.path()) };
    let library = library.map_err(|error| LoadRefusal::NotALibrary(linker_text(&error, copy.path())))?;
    Ok((library, content))
}

/// Copied in pieces: a library may be large, and the allocator would keep its size.
const PIECE: usize = 64 << 10;

fn copy_to(to: &mut impl Write, file: &mut File) -> io::Result<Content> {
    file.rewind()?;
    let (mut hasher, mut bytes, mut piece) = (DefaultHasher::new(), 0, Vec::with_capacity(PIECE));
    while file.take(PIECE as u64).read_to_end(&mut piece)? > 0 {
        hasher.write(&piece);
        to.write_all(&piece)?;
        bytes += piece.len() as u64;
        piece.clear();
    }
    Ok((hasher.finish(), bytes))
}

/// The useful part of a linker error is its source, which names the private copy.
fn linker_text(error: &libloading::Error, copy: &Path) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let text = text.replace(&format!("{}: ", copy.display()), "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a file has the stamp's name. Others need not be opened, which would run their code.
pub(super) fn may_be_plugin(path: &Path) -> bool {
    File::open(path).and_then(|file| contains(file, STAMP.to_bytes())).unwrap_or(false)
}

fn contains(mut file: impl Read, name: &[u8]) -> io::Result<bool> {
    let mut piece = Vec::with_capacity(PIECE + name.len());
    while file.by_ref().take(PIECE as u64).read_to_end(&mut piece)? > 0 {
        if memchr::memmem::find(&piece, name).is_some() {
            return Ok(true);
        }
        // The name may span two pieces.
        piece.drain(..piece.len().saturating_sub(name.len()));
    }
    Ok(false)
}

fn read_stamp(library: &Library) -> Result<PluginStamp, LoadRefusal> {
    // SAFETY: the symbol is only used as an address here.
    let symbol =
        unsafe { library.get::<*const PluginStamp>(STAMP.to_bytes_with_nul()) }.map_err(|_| LoadRefusal::NoStamp)?;
    // SAFETY: a library that exports this name guarantees plain data of at least this size; the type has no invalid
    // values, and no alignment is assumed.
    let stamp = unsafe { std::ptr::read_unaligned(*symbol) };
    if stamp.magic == MAGIC { Ok(stamp) } else { Err(LoadRefusal::NoStamp) }
}

fn header(library: &'static Library) -> Option<AbiHeaderRef> {
    // SAFETY: the stamp has a known API version, for which the header has this type; the header starts with
    // abi_stable's magic number, which `upgrade` checks first.
    unsafe { library.get::<AbiHeaderRef>(ROOT.to_bytes_with_nul()) }.ok().map(|header| *header)
}

/// How many bytes of the file the dynamic linker maps, which is up to the end of all segments; `None` if the file is
/// shorter than its headers say. Formats other than ELF are left to the dynamic linker.
pub(super) fn mapped(file: &mut (impl Read + Seek)) -> Option<u64> {
    let data = &ReadCache::new(file);
    let len = ReadRef::len(data).ok()?;
    let end = match data.read_bytes_at(0, 5) {
        Ok(b"\x7FELF\x01") => end_of_segments::<FileHeader32<Endianness>>(data)?,
        Ok(b"\x7FELF\x02") => end_of_segments::<FileHeader64<Endianness>>(data)?,
        _ => len,
    };
    (end <= len).then_some(end)
}

/// End of the segments and their table; `None` if this table or that of the sections is incomplete.
fn end_of_segments<'a, E: FileHeader<Endian = Endianness>>(data: impl ReadRef<'a>) -> Option<u64> {
    let header = E::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    header.section_headers(endian, data).ok()?;
    let table = header.e_phoff(endian).into() + size_of_val(segments) as u64;
    segments.iter().try_fold(table, |end, segment| {
        Some(end.max(segment.p_offset(endian).into().checked_add(segment.p_filesz(endian).into())?))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_name_is_found_across_pieces() {
        for at in [0, PIECE - 3, PIECE, 2 * PIECE - 1] {
            let mut file = vec![0; at];
            file.extend(b"stamp");
            assert!(contains(&file[..], b"stamp").expect("readable"), "{at}");
            assert!(!contains(&file[..at + 4], b"stamp").expect("readable"), "{at}");
        }
    }

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

    fn is_cut_short(file: &[u8]) -> bool {
        mapped(&mut Cursor::new(file)).is_none()
    }

    #[test]
    fn every_shorter_length_of_a_library_is_cut_short() {
        let file = std::fs::read(std::env::current_exe().expect("a program")).expect("readable");
        if !file.starts_with(b"\x7FELF") {
            return;
        }
        assert!(!is_cut_short(&file));
        for keep in (6..file.len()).step_by(file.len() / 50).chain([63, 64, 65, file.len() - 1]) {
            assert!(is_cut_short(&file[..keep]), "{keep} of {}", file.len());
        }
    }

    #[test]
    fn wild_numbers_are_cut_short() {
        let mut file = vec![0xFF; 200];
        file[..6].copy_from_slice(b"\x7FELF\x02\x01");
        assert!(is_cut_short(&file));
        file[4] = 1;
        assert!(is_cut_short(&file));
    }

    #[test]
    fn other_files_are_left_to_the_linker() {
        assert!(!is_cut_short(b"") && !is_cut_short(b"shopping list"));
    }
}
