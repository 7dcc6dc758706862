//! All decoders and formatters: loaded, listed, enabled and disabled.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::UNIX_EPOCH,
};

use spytui_plugin_api::{Fault, FormatterInfo, Info, LibraryRef};
use spytui_plugin_layer::{OpenFrontEnd, PlansOf};

use super::{
    contain::{look, note_if_left, within},
    decoder::{Decoder, Listed, Origin, Use},
    load::{LoadError, LoadedLibrary, load, may_be_plugin},
};
use crate::{
    io::format_files::FormatSet,
    nearest::nearest,
    present::{sanitise, sanitise_text},
    row::{Formatters, PluginFormatter},
};

/// All decoders. Of several with the same id, the last one added is used: a plugin replaces a built-in decoder.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// In the order added.
    pub decoders: Vec<Arc<Decoder>>,
    /// Decoders replaced by another one or disabled by the user.
    pub(super) aside: Vec<Arc<Decoder>>,
    /// Front ends, each with the id of its decoder; those of decoders added later.
    pub front_ends: Vec<(&'static str, OpenFrontEnd)>,
    /// The same with plans of rows, of built-in decoders.
    pub plans: Vec<(&'static str, PlansOf)>,
    pub(super) formatters: Vec<PluginFormatter>,
    /// Formatters replaced by another one or disabled by the user.
    formatters_aside: Vec<PluginFormatter>,
    pub formats: Arc<FormatSet>,
    /// Notes about replaced and refused decoders, one line each.
    pub notes: Vec<String>,
    /// Notes of libraries being loaded.
    pub loading: LoadNotes,
}

impl Registry {
    pub fn new() -> Registry {
        spytui_plugin_api::guard::install_hook();
        Registry::default()
    }

    /// Adds the decoders and formatters of a library.
    ///
    /// # Errors
    /// The fault of one whose `info` failed; the rest of the library is added.
    pub fn add(&mut self, library: LibraryRef, origin: &Origin) -> Result<(), Fault> {
        self.add_version(library, origin, env!("CARGO_PKG_VERSION"))
    }

    fn add_version(&mut self, library: LibraryRef, origin: &Origin, version: &str) -> Result<(), Fault> {
        let mut first_fault = Ok(());
        let mut names = HashSet::new();
        for &table in library.decoders().as_slice() {
            table.table().set_name(&format!("a decoder ({origin})"), origin.is_file());
            match origin.described(move || table.info()) {
                Ok(info) if !Info::is_id(&info.id) => {
                    let (id, grammar) = (sanitise(info.id.as_bytes()), Info::ID_GRAMMAR);
                    self.notes.push(format!("{origin}: the decoder {id:?} is not used: a name has {grammar}"));
                }
                Ok(info) if !names.insert(info.id.to_string()) => {
                    self.notes.push(format!("{origin}: a second decoder {} is not used", info.id));
                }
                Ok(info) => {
                    let mut decoder = Decoder::new(info, table, origin.clone(), version);
                    let of_decoder = self.front_ends.iter().find(|(protocol, _)| decoder.info.id == *protocol);
                    decoder.front_end = of_decoder.map(|(_, open)| *open);
                    let mut plans = self.plans.iter().filter(|_| !origin.is_file());
                    decoder.plans = plans.find(|(protocol, _)| decoder.info.id == *protocol).map(|(_, of)| *of);
                    self.add_decoder(decoder);
                }
                Err(fault) => {
                    self.notes.push(format!("{origin}: a decoder failed to describe itself: {fault}"));
                    first_fault = first_fault.and(Err(fault));
                }
            }
        }
        for &table in library.formatters().as_slice() {
            table.table().set_name(&format!("a formatter ({origin})"), origin.is_file());
            match origin.described(move || table.info()) {
                Ok(info) if !FormatterInfo::is_id(&info.id) => {
                    let (id, grammar) = (sanitise(info.id.as_bytes()), FormatterInfo::ID_GRAMMAR);
                    self.notes.push(format!("{origin}: the formatter {id:?} is not used: a name has {grammar}"));
                }
                Ok(info) => {
                    table.table().set_name(&format!("formatter {} ({origin})", info.id), origin.is_file());
                    let (origin, version) = (origin.to_string(), version.to_owned());
                    self.add_formatter(PluginFormatter { info, table, origin, version });
                }
                Err(fault) => {
                    self.notes.push(format!("{origin}: a formatter failed to describe itself: {fault}"));
                    first_fault = first_fault.and(Err(fault));
                }
            }
        }
        self.formats = self.checked(Arc::clone(&self.formats));
        self.formatters_changed();
        first_fault
    }

    /// Updates decoders to the options of the present formatters.
    fn formatters_changed(&mut self) {
        for decoder in self.decoders.iter_mut().chain(&mut self.aside) {
            if let Some(changed) = decoder.with_options_of(&self.formatters) {
                *decoder = Arc::new(changed);
            }
        }
        self.use_formats(&self.formats);
    }

    /// Uses these format files from now on, also for rows already shown.
    pub fn set_formats(&mut self, formats: Arc<FormatSet>) {
        self.formats = self.checked(formats);
        self.use_formats(&self.formats);
    }

    pub fn checked(&self, mut formats: Arc<FormatSet>) -> Arc<FormatSet> {
        let known = self.protocols();
        if !formats.unknown_fields(&known).is_empty() {
            Arc::make_mut(&mut formats).refuse_unknown_fields(&known);
        }
        formats
    }

    pub fn use_formats(&self, formats: &FormatSet) {
        for decoder in self.decoders.iter().chain(&self.aside) {
            decoder.formatting.set(Formatters::new(&decoder.info, &self.formatters, &formats.table));
            decoder.formatting.lines.set(formats, &decoder.info);
        }
    }

    /// Sets the order of formatters, by name or file name; others follow.
    pub fn order_formatters(&mut self, names: &[String]) {
        let fits = |f: &PluginFormatter, name: &str| f.info.id == name || is_file_of(Path::new(&f.origin), name);
        self.formatters.sort_by_key(|f| names.iter().position(|name| fits(f, name)).unwrap_or(names.len()));
        self.use_formats(&self.formats);
    }

    fn add_decoder(&mut self, decoder: Decoder) {
        if let Some(old) = self.decoders.iter().position(|d| d.info.id == decoder.info.id) {
            let old = self.decoders.remove(old);
            // The file was loaded again.
            if old.origin != decoder.origin {
                self.notes.push(format!("{}: {} replaces {}", decoder.info.id, decoder.origin, old.origin));
                self.aside.push(old);
            }
        }
        self.decoders.push(Arc::new(decoder));
    }

    fn add_formatter(&mut self, formatter: PluginFormatter) {
        let name = &formatter.info.id;
        if let Some(old) = self.formatters.iter().position(|other| other.info.id == *name) {
            let old = self.formatters.remove(old);
            if old.origin != formatter.origin {
                self.notes.push(format!("{name}: {} replaces {}", formatter.origin, old.origin));
                self.formatters_aside.push(old);
            }
        }
        self.formatters.push(formatter);
    }

    /// All decoders and formatters: those in use first.
    pub fn listed(&self) -> Vec<Listed> {
        let decoders = self.decoders.iter().map(|decoder| decoder.listed(Use::InUse));
        let formatters = self.formatters.iter().map(|formatter| listed_formatter(formatter, Use::InUse));
        let used: Vec<Listed> = decoders.chain(formatters).collect();
        let by = |name: &str, what: &str| {
            let other =
                used.iter().find(|other| other.name == name && (other.what == "decoder") == (what == "decoder"));
            other.map_or(Use::Disabled, |other| Use::Shadowed(other.origin.clone()))
        };
        let decoders = self.aside.iter().map(|decoder| decoder.listed(by(&decoder.info.id, "decoder")));
        let formatters = self.formatters_aside.iter().map(|f| listed_formatter(f, by(&f.info.id, "formatter")));
        let unused: Vec<Listed> = decoders.chain(formatters).collect();
        used.into_iter().chain(unused).collect()
    }

    pub fn files(&self) -> Vec<PathBuf> {
        self.files_that(|use_of| *use_of == Use::InUse)
    }

    fn files_that(&self, wanted: impl Fn(&Use) -> bool) -> Vec<PathBuf> {
        let built_in = Origin::BuiltIn.to_string();
        let used = self.listed().into_iter().filter(|listed| wanted(&listed.use_of) && listed.origin != built_in);
        let mut files: Vec<PathBuf> = used.map(|listed| listed.origin.into()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Names of plugin files, used or not, and of their crates.
    pub fn file_names(&self) -> Vec<String> {
        let names =
            self.files_that(|_| true).into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        names.flat_map(|name| [crate_name(&name), Some(name)]).flatten().collect()
    }

    pub fn load(&mut self, path: &Path) -> Result<(), LoadError> {
        let _note = self.loading.begin(path);
        let LoadedLibrary { library, version } = self.start(path)?;
        // The fault of a decoder is in the notes; the rest of the library is usable.
        let _ = self.add_version(library, &Origin::File(path.to_owned()), &version);
        Ok(())
    }

    /// Loads a library. Leaves it behind if its start does not return.
    fn start(&self, path: &Path) -> Result<LoadedLibrary, LoadError> {
        let owned = path.to_owned();
        let loaded = within("its start", move || load(&owned)).map_err(|none| none.fault).inspect_err(note_if_left);
        look();
        loaded.map_err(|fault| LoadError::late(path, &fault)).flatten()
    }

    /// Loads a plugin file that the user did not name now. `Ok` has the reason if it is skipped, also noted.
    pub fn load_unasked(&mut self, path: &Path) -> Result<Option<String>, LoadError> {
        if !self.loading.ended_with(path) {
            return self.load(path).map(|()| None);
        }
        let path = path.display();
        let why = format!("{path}: not loaded: a program ended while loading it; --plugin {path} tries again");
        self.notes.push(why.clone());
        Ok(Some(why))
    }

    /// Loads all plugin files of a folder. Refused files become notes. Returns messages about skipped files.
    pub fn load_folder(&mut self, folder: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_library(p)).collect();
        paths.sort();
        let mut said = Vec::new();
        for path in paths {
            match self.load_unasked(&path) {
                Ok(left_out) => said.extend(left_out),
                Err(error) => {
                    said.extend(error.is_late().then(|| error.to_string()));
                    self.notes.push(error.to_string());
                }
            }
        }
        said
    }

    /// Reloads the file of a decoder or formatter, or a file by its name; built-in ones are unchanged.
    pub fn reload(&mut self, name: &str) -> Result<(), String> {
        let of_formatter = self.formatters.iter().find(|f| f.info.id == name).map(|f| PathBuf::from(&f.origin));
        let of_file = || self.files().into_iter().find(|path| is_file_of(path, name));
        let path = match self.decoders.iter().find(|decoder| decoder.info.id == name).map(|d| d.origin.clone()) {
            Some(Origin::File(path)) => path,
            Some(Origin::BuiltIn) => return Ok(()),
            None => of_formatter.or_else(of_file).ok_or_else(|| self.unknown(name))?,
        };
        self.load(&path).map_err(|error| error.to_string())
    }

    pub fn find(&self, name: &str) -> Result<Arc<Decoder>, String> {
        let by_id = self.decoders.iter().find(|d| d.info.id == name);
        let by_alias = || self.decoders.iter().find(|d| d.info.names().any(|own| own == name));
        by_id.or_else(by_alias).cloned().ok_or_else(|| self.unknown(name))
    }

    pub(super) fn unknown(&self, name: &str) -> String {
        let names = self.decoders.iter().map(|d| d.info.id.as_str());
        let known: Vec<String> = self.decoders.iter().map(|d| format!("{} ({})", d.info.id, d.origin)).collect();
        let near = nearest(name, names).map(|word| format!("; nearest: {word}")).unwrap_or_default();
        format!("--proto {name}: unknown{near}; known: {}", known.join(", "))
    }

    pub fn protocols(&self) -> Vec<&Info> {
        self.decoders.iter().map(|decoder| &decoder.info).collect()
    }

    /// Enables or disables a decoder or formatter. If disabled, the one it replaced is used again.
    pub fn set_enabled(&mut self, name: &str, on: bool) -> Result<String, String> {
        let is_decoder = self.decoders.iter().chain(&self.aside).any(|decoder| decoder.info.id == name);
        match self.set_formatter_enabled(name, on) {
            Some(said) if !is_decoder => said,
            _ => self.set_decoder_enabled(name, on),
        }
    }

    /// `None` = there is no formatter with that name.
    fn set_formatter_enabled(&mut self, name: &str, on: bool) -> Option<Result<String, String>> {
        let fits = |f: &PluginFormatter| f.info.id == name || is_file_of(Path::new(&f.origin), name);
        let (from, to) = match on {
            true => (&mut self.formatters_aside, &mut self.formatters),
            false => (&mut self.formatters, &mut self.formatters_aside),
        };
        let Some(at) = from.iter().rposition(fits) else {
            let there = to.iter().any(fits);
            return there.then(|| Err(format!("{name} is {}", if on { "in use" } else { "disabled already" })));
        };
        let formatter = from.remove(at);
        let id = formatter.info.id.to_string();
        // The formatter it overrides, or that overrode it.
        let other = to.iter().rposition(|other| other.info.id == id).map(|at| to.remove(at));
        let said = match (on, &other) {
            (true, _) => format!("{id}: {} is in use now", formatter.origin),
            (false, Some(other)) => format!("{id}: {} is in use now", other.origin),
            (false, None) => format!("{id} is disabled"),
        };
        to.push(formatter);
        from.extend(other);
        self.formatters_changed();
        Some(Ok(said))
    }

    fn set_decoder_enabled(&mut self, name: &str, on: bool) -> Result<String, String> {
        let fits =
            |d: &Arc<Decoder>| d.info.id == name || matches!(&d.origin, Origin::File(path) if is_file_of(path, name));
        let Some(aside) = self.aside.iter().rposition(|d| fits(d) && (on || d.info.id == name)) else {
            return Err(match (self.decoders.iter().any(fits), on) {
                (true, true) => format!("{name} is in use"),
                (true, false) => format!("{name}: nothing could take its place"),
                (false, _) => self.unknown(name),
            });
        };
        let new = self.aside.remove(aside);
        let text = format!("{}: {} is in use now", new.info.id, new.origin);
        if let Some(old) = self.decoders.iter_mut().find(|d| d.info.id == new.info.id) {
            self.aside.push(std::mem::replace(old, new));
        } else {
            self.decoders.push(new);
        }
        Ok(text)
    }
}

/// Whether a name is that of a file or of its crate.
fn is_file_of(path: &Path, name: &str) -> bool {
    let file = path.file_name().and_then(|file| file.to_str());
    path.ends_with(name) || file.and_then(crate_name).is_some_and(|own| own == name.replace('-', "_"))
}

/// The crate of a library: `motor` for `libmotor.so`.
fn crate_name(file: &str) -> Option<String> {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Some(file.strip_prefix(prefix)?.strip_suffix(suffix)?.to_owned())
}

fn is_library(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(std::env::consts::DLL_SUFFIX) && (name.starts_with("libspytui_") || may_be_plugin(path))
}

fn listed_formatter(formatter: &PluginFormatter, use_of: Use) -> Listed {
    Listed {
        name: formatter.info.id.to_string(),
        what: format!("formatter of {}", sanitise_text(&formatter.info.protocol)),
        version: formatter.version.clone(),
        title: String::new(),
        origin: formatter.origin.clone(),
        use_of,
    }
}

/// Notes shared by all programs of this user.
#[derive(Debug, Clone, Default)]
pub struct LoadNotes {
    /// Created on demand; `None` = nothing is noted.
    pub folder: Option<PathBuf>,
}

/// A note that a library is being loaded; removed when dropped.
#[derive(Debug)]
pub(super) struct LoadNote {
    path: PathBuf,
    _locked: File,
}

impl Drop for LoadNote {
    fn drop(&mut self) {
        // A note that remains is taken for a crash; loading the library again removes it.
        let _ = fs::remove_file(&self.path);
    }
}

impl LoadNotes {
    /// Notes that a library is being loaded, until the result is dropped. Removes older notes about it.
    pub(super) fn begin(&self, library: &Path) -> Option<LoadNote> {
        let text = describe(library).ok()?;
        self.left(library).for_each(|(note, _)| drop(fs::remove_file(note)));
        self.write(&text).ok()
    }

    fn write(&self, text: &[u8]) -> io::Result<LoadNote> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(folder)?;
        let name = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.try_lock().map_err(io::Error::from)?;
        file.write_all(text)?;
        Ok(LoadNote { path, _locked: file })
    }

    /// Whether a program ended while loading this library, which is unchanged since.
    fn ended_with(&self, library: &Path) -> bool {
        let now = describe(library).ok();
        self.left(library).any(|(_, text)| Some(text) == now)
    }

    /// Notes about a library left by programs that ended.
    fn left(&self, library: &Path) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
        let entries = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let library = fs::canonicalize(library).ok();
        entries.filter_map(move |entry| {
            let mut file = File::open(entry.path()).ok()?;
            file.try_lock_shared().ok()?;
            let mut text = Vec::new();
            file.read_to_end(&mut text).ok()?;
            (library_of(&text).is_some() && library_of(&text) == library).then(|| (entry.path(), text))
        })
    }
}

/// Size, time and path of a library: `16384 1700000000123456789 /home/me/libmotor.so`.
fn describe(library: &Path) -> io::Result<Vec<u8>> {
    let path = fs::canonicalize(library)?;
    let data = fs::metadata(&path)?;
    let changed = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut text = format!("{} {changed} ", data.len()).into_bytes();
    text.extend_from_slice(path.as_os_str().as_bytes());
    Ok(text)
}

fn library_of(text: &[u8]) -> Option<PathBuf> {
    let path = text.splitn(3, |byte| *byte == b' ').nth(2)?;
    Some(OsString::from_vec(path.to_vec()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_note_that_was_left_says_that_a_library_ended_a_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("lib with blanks.so");
        fs::write(&library, "one").expect("write");
        let notes = LoadNotes { folder: Some(folder.path().join("state")) };
        assert!(!notes.ended_with(&library));
        let note = notes.begin(&library).expect("a note");
        assert!(!notes.ended_with(&library), "it is being loaded");
        let (left, text) = (folder.path().join("state/1-0"), fs::read(&note.path).expect("readable"));
        drop(note);
        assert!(!notes.ended_with(&library));
        fs::write(&left, &text).expect("write");
        assert!(notes.ended_with(&library));
        assert!(!notes.ended_with(&folder.path().join("another.so")));
        fs::write(&library, "changed").expect("write");
        assert!(!notes.ended_with(&library), "it has changed");
        drop(notes.begin(&library));
        assert!(!left.exists(), "it was loaded");
    }

    #[test]
    fn without_a_folder_nothing_is_noted() {
        let library = tempfile::NamedTempFile::new().expect("a file");
        let notes = LoadNotes::default();
        assert!(notes.begin(library.path()).is_none() && !notes.ended_with(library.path()));
    }
}
