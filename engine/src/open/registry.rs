//! The registry of decoders, built-in and loaded, by name.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use spytui_plugin_api::{
    DecoderRef, Fault, Instance, LibraryRef, RVec, Source,
    info::{Info, OptSpec, OptVal},
};

use super::{
    listed::{Listed, Use},
    load::{LoadError, Loaded, load, may_be_plugin},
    options::Options,
};
use crate::{
    io::format_files::{FormatSet, Protocols},
    nearest::nearest,
    present::{Labels, sanitise},
    query::Vocabulary,
    row::{
        Formatters, Formatting, PluginFormatter, Renderer,
        lines::{DROPS, FMT, as_options, names, right_lines},
    },
};

/// Origin of a decoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Linked into this program.
    BuiltIn,
    /// Loaded from this file.
    File(PathBuf),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::BuiltIn => f.write_str("built in"),
            Origin::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A registered decoder.
#[derive(Debug)]
pub struct Decoder {
    /// Its description.
    pub info: Info,
    /// Its entries.
    pub table: DecoderRef,
    /// Where it comes from.
    pub origin: Origin,
    /// Its version, or that of its library.
    pub version: String,
    /// Its formatters.
    pub formatting: Arc<Formatting>,
    /// How many of its options are its own; those of its formatters follow.
    own_options: usize,
    labels: OnceLock<Labels>,
}

impl Decoder {
    fn new(info: Info, table: DecoderRef, origin: Origin, version: &str) -> Decoder {
        let version = if info.version.is_empty() { version.to_owned() } else { info.version.to_string() };
        let own_options = info.options.len();
        Decoder { info, table, origin, version, formatting: Arc::default(), own_options, labels: OnceLock::new() }
    }

    /// The same decoder with the options of these formatters; `None` if it has them.
    fn with_options_of(&self, formatters: &[PluginFormatter]) -> Option<Decoder> {
        let own = self.info.options.iter().take(self.own_options);
        let is_own = |f: &&PluginFormatter| names(&self.info).any(|name| f.info.protocol == name);
        let given = formatters.iter().filter(is_own).flat_map(|f| {
            f.info.options.iter().map(|spec| OptSpec { key: f.option_key(&spec.key).into(), ..spec.clone() })
        });
        let options: RVec<OptSpec> = own.cloned().chain(given).collect();
        let keys = |options: &RVec<OptSpec>| options.iter().map(|spec| spec.key.to_string()).collect::<Vec<_>>();
        if keys(&options) == keys(&self.info.options) {
            return None;
        }
        Some(Decoder {
            info: Info { options, ..self.info.clone() },
            table: self.table,
            origin: self.origin.clone(),
            version: self.version.clone(),
            formatting: Arc::clone(&self.formatting),
            own_options: self.own_options,
            labels: OnceLock::new(),
        })
    }

    fn listed(&self, use_of: Use) -> Listed {
        Listed {
            name: self.info.id.to_string(),
            what: "decoder".to_owned(),
            version: self.version.clone(),
            title: self.info.title.to_string(),
            origin: self.origin.to_string(),
            use_of,
        }
    }

    /// Opens an instance. A decoder that has the option `fmt` gets the lines of all format files with it; in a reference
    /// style only those of files that the user named. One that has the option `drops`, unset, gets the record of which
    /// they say that it has the total of dropped records.
    ///
    /// # Errors
    /// Options that contradict each other, or that a formatter can't use.
    pub fn open(&self, options: &Options, source: &Source) -> Result<Instance, Fault> {
        let mut vals = options.vals();
        self.formatting.check_options(&vals)?;
        let given = self.format_vals(options);
        for (key, value) in given.iter().filter(|(_, value)| !value.is_empty()) {
            vals.retain(|val| val.key != *key);
            vals.push(OptVal { key: (*key).into(), value: value.as_slice().into() });
        }
        self.table.open(&vals, source)
    }

    /// Whether it takes the lines of format files when it is opened.
    #[must_use]
    pub fn takes_formats(&self) -> bool {
        self.info.option(FMT).is_some()
    }

    /// Whether it takes the total of dropped records from the record that a line names.
    #[must_use]
    pub fn takes_drops(&self) -> bool {
        self.info.option(DROPS).is_some()
    }

    /// What format files say to an instance with these options, as keys and values of options.
    fn format_vals(&self, options: &Options) -> Vec<(&'static str, Vec<u8>)> {
        let mut vals = Vec::new();
        if self.takes_formats() {
            vals.push((FMT, self.format_lines(options)));
        }
        if self.takes_drops() && options.get(DROPS).is_none() {
            vals.push((DROPS, self.formatting.lines().drops()));
        }
        vals
    }

    /// All lines of format files for an instance with these options. Wrong lines of its own file are reported.
    fn format_lines(&self, options: &Options) -> Vec<u8> {
        let vals = options.vals();
        let own = vals.iter().find(|val| val.key == FMT).map_or(&b""[..], |val| val.value.as_slice());
        let (own, faults) = right_lines(options.get(FMT).unwrap_or_default(), own);
        self.formatting.wrong_lines(faults);
        self.formatting.lines().all(options.get("reference").is_some(), &own)
    }

    /// What a stream event says to an instance with these options when format files changed.
    #[must_use]
    pub fn formats_event(&self, options: &Options) -> Vec<u8> {
        self.format_vals(options).iter().flat_map(|(key, value)| as_options(key, value)).collect()
    }

    /// Renders rows of an instance that was opened with these options.
    #[must_use]
    pub fn renderer(&self, options: &Options) -> Renderer {
        let is_reference = options.get("reference").is_some();
        self.formatting.set_options(&options.vals());
        let plain = spytui_plugin_api::host::Renderer::new(self.table, &self.info, is_reference);
        Renderer::new(plain, (!is_reference).then(|| Arc::clone(&self.formatting)))
    }

    /// Words of filters: those of the decoder, and those of its formatters.
    #[must_use]
    pub fn vocabulary(&self) -> Vocabulary {
        let mut words = Vocabulary::of(&self.info);
        self.formatting.add_words(&mut words);
        words
    }

    /// Its labels.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        self.labels.get_or_init(|| Labels::new(&self.info))
    }
}

/// There is no decoder of this name; the text names the nearest, and all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--proto {0}")]
pub struct UnknownProtocol(String);

/// All decoders. Of two with the same id, the last one added is used: a plugin replaces a built-in decoder.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    decoders: Vec<Arc<Decoder>>,
    /// Decoders replaced by another one or disabled by the user.
    aside: Vec<Arc<Decoder>>,
    /// Formatters of plugins.
    formatters: Vec<PluginFormatter>,
    /// Formatters replaced by another one or disabled by the user.
    formatters_aside: Vec<PluginFormatter>,
    /// What format files say.
    formats: Arc<FormatSet>,
    notes: Vec<String>,
}

impl Registry {
    /// Empty.
    #[must_use]
    pub fn new() -> Registry {
        spytui_plugin_api::guard::install_hook();
        Registry::default()
    }

    /// Adds the decoders and formatters of a library.
    ///
    /// # Errors
    /// The fault of one whose `info` failed; the others of the library are added.
    pub fn add(&mut self, library: LibraryRef, origin: &Origin) -> Result<(), Fault> {
        self.add_version(library, origin, env!("CARGO_PKG_VERSION"))
    }

    fn add_version(&mut self, library: LibraryRef, origin: &Origin, version: &str) -> Result<(), Fault> {
        let mut first_fault = Ok(());
        let mut names = HashSet::new();
        for &table in library.decoders().as_slice() {
            match table.info() {
                Ok(info) if !Info::is_id(&info.id) => {
                    let (id, grammar) = (sanitise(info.id.as_bytes()), Info::ID_GRAMMAR);
                    self.notes.push(format!("{origin}: the decoder {id:?} is not used: a name has {grammar}"));
                }
                Ok(info) if !names.insert(info.id.to_string()) => {
                    self.notes.push(format!("{origin}: a second decoder {} is not used", info.id));
                }
                Ok(info) => self.add_decoder(Decoder::new(info, table, origin.clone(), version)),
                Err(fault) => {
                    self.notes.push(format!("{origin}: a decoder failed to describe itself: {fault}"));
                    first_fault = first_fault.and(Err(fault));
                }
            }
        }
        for &table in library.formatters().as_slice() {
            match table.info() {
                Ok(info) => {
                    let (origin, version) = (origin.to_string(), version.to_owned());
                    self.add_formatter(PluginFormatter { info, table, origin, version });
                }
                Err(fault) => {
                    self.notes.push(format!("{origin}: a formatter failed to describe itself: {fault}"));
                    first_fault = first_fault.and(Err(fault));
                }
            }
        }
        self.formatters_changed();
        first_fault
    }

    /// Gives decoders the options of the formatters that are there now.
    fn formatters_changed(&mut self) {
        for decoder in self.decoders.iter_mut().chain(&mut self.aside) {
            if let Some(changed) = decoder.with_options_of(&self.formatters) {
                *decoder = Arc::new(changed);
            }
        }
        self.use_formats(&self.formats);
    }

    /// Uses what these format files say from now on, also for rows that are shown.
    pub fn set_formats(&mut self, formats: Arc<FormatSet>) {
        self.formats = formats;
        self.use_formats(&self.formats);
    }

    /// The same for the decoders that are there now.
    pub fn use_formats(&self, formats: &FormatSet) {
        for decoder in self.decoders.iter().chain(&self.aside) {
            decoder.formatting.set(Formatters::new(&decoder.info, &self.formatters, &formats.table));
            decoder.formatting.lines().set(formats, &decoder.info);
        }
    }

    /// What format files say.
    #[must_use]
    pub fn formats(&self) -> &Arc<FormatSet> {
        &self.formats
    }

    /// Asks formatters in this order, by name or file name, and then the others.
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

    /// Everything that libraries bring: what is in use, then what is not.
    #[must_use]
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

    /// Files of plugins that are in use.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let built_in = Origin::BuiltIn.to_string();
        let used = self.listed().into_iter().filter(|listed| listed.use_of == Use::InUse && listed.origin != built_in);
        let mut files: Vec<PathBuf> = used.map(|listed| listed.origin.into()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Names of the files of plugins that are in use, and of the crates that they are built of.
    #[must_use]
    pub fn file_names(&self) -> Vec<String> {
        let names = self.files().into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        names.flat_map(|name| [crate_name(&name), Some(name)]).flatten().collect()
    }

    /// Loads a plugin file.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load(&mut self, path: &Path) -> Result<(), LoadError> {
        let Loaded { library, version } = load(path)?;
        // The fault of a decoder is in the notes; the rest of the library is usable.
        let _ = self.add_version(library, &Origin::File(path.to_owned()), &version);
        Ok(())
    }

    /// Loads all plugin files of a folder, whatever their names are. Refused files become notes.
    pub fn load_folder(&mut self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_library(p)).collect();
        paths.sort();
        for path in paths {
            if let Err(error) = self.load(&path) {
                self.notes.push(error.to_string());
            }
        }
    }

    /// Adds a note about something that was refused.
    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Loads the file of a decoder or formatter again, or all of a file's; what is built in is unchanged.
    ///
    /// # Errors
    /// If there is nothing of that name, or its file is refused now.
    pub fn reload(&mut self, name: &str) -> Result<(), String> {
        let of_formatter = self.formatters.iter().find(|f| f.info.id == name).map(|f| PathBuf::from(&f.origin));
        let of_file = || self.files().into_iter().find(|path| is_file_of(path, name));
        let path = match self.decoders.iter().find(|decoder| decoder.info.id == name).map(|d| d.origin.clone()) {
            Some(Origin::File(path)) => path,
            Some(Origin::BuiltIn) => return Ok(()),
            None => of_formatter.or_else(of_file).ok_or_else(|| self.unknown(name).to_string())?,
        };
        self.load(&path).map_err(|error| error.to_string())
    }

    /// Enables or disables a decoder or formatter. If disabled, the one it replaced is used again.
    ///
    /// # Errors
    /// If there is nothing of that name, or nothing to replace a decoder.
    pub fn set_enabled(&mut self, name: &str, on: bool) -> Result<String, String> {
        let is_decoder = self.decoders.iter().chain(&self.aside).any(|decoder| decoder.info.id == name);
        match self.set_formatter_enabled(name, on) {
            Some(said) if !is_decoder => said,
            _ => self.set_decoder_enabled(name, on),
        }
    }

    /// `None` = there is no formatter of that name.
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
        // The one that it takes the place of, or that it was in place of.
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
                (false, _) => self.unknown(name).to_string(),
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

    /// The decoder with this id or alias.
    ///
    /// # Errors
    /// If there is none; the error names the nearest.
    pub fn find(&self, name: &str) -> Result<Arc<Decoder>, UnknownProtocol> {
        let by_id = self.decoders.iter().find(|d| d.info.id == name);
        let by_alias = || self.decoders.iter().find(|d| d.info.aliases.iter().any(|a| a == name));
        by_id.or_else(by_alias).cloned().ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> UnknownProtocol {
        let names = self.decoders.iter().map(|d| d.info.id.as_str());
        let known: Vec<String> = self.decoders.iter().map(|d| format!("{} ({})", d.info.id, d.origin)).collect();
        let near = nearest(name, names).map(|word| format!("; nearest: {word}")).unwrap_or_default();
        UnknownProtocol(format!("{name}: unknown{near}; known: {}", known.join(", ")))
    }

    /// All decoders, in the order added.
    #[must_use]
    pub fn decoders(&self) -> &[Arc<Decoder>] {
        &self.decoders
    }

    /// Ids and aliases of all decoders.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for decoder in &self.decoders {
            names.push(decoder.info.id.as_str());
            names.extend(decoder.info.aliases.iter().map(|alias| alias.as_str()));
        }
        names
    }

    /// The protocols that format files may be about.
    #[must_use]
    pub fn protocols(&self) -> Protocols<'_> {
        let mut protocols = Protocols::default();
        for decoder in &self.decoders {
            let names = || std::iter::once(&decoder.info.id).chain(&decoder.info.aliases).map(|name| name.as_str());
            protocols.names.extend(names());
            protocols.with_drops.extend(names().filter(|_| decoder.takes_drops()));
        }
        protocols
    }

    /// Notes about replaced and refused decoders, one line each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Whether a name is that of a file, or of the crate that it is built of.
fn is_file_of(path: &Path, name: &str) -> bool {
    let file = path.file_name().and_then(|file| file.to_str());
    path.ends_with(name) || file.and_then(crate_name).is_some_and(|own| own == name.replace('-', "_"))
}

/// The crate that a library is built of: `motor` of `libmotor.so`.
fn crate_name(file: &str) -> Option<String> {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Some(file.strip_prefix(prefix)?.strip_suffix(suffix)?.to_owned())
}

/// Whether a file is a library that may be a plugin.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(std::env::consts::DLL_SUFFIX) && (name.starts_with("libspytui_") || may_be_plugin(path))
}

fn listed_formatter(formatter: &PluginFormatter, use_of: Use) -> Listed {
    Listed {
        name: formatter.info.id.to_string(),
        what: format!("formatter of {}", formatter.info.protocol),
        version: formatter.version.clone(),
        title: String::new(),
        origin: formatter.origin.clone(),
        use_of,
    }
}
