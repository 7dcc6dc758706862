//! A registered decoder with its formatters.

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use spytui_plugin_api::{
    API_MAJOR, API_MINOR, DecoderRef, Fault, Instance, RVec, Source,
    info::{Guess, Info, OptSpec, OptVal},
};

use super::{
    contain::{is_left, report_if_left, within},
    options::Options,
};
use crate::{
    present::{
        Labels,
        sanitise::{safe_fault, sanitise_text},
    },
    query::Vocabulary,
    row::{
        Effects, Formatting, PluginFormatter, RenderFaults, Renderer,
        in_force::{DROPS, FMT, as_options, names, right_lines},
    },
};

#[derive(Debug)]
pub struct Decoder {
    pub info: Info,
    pub table: DecoderRef,
    pub origin: Origin,
    /// Version of the decoder, or of its library.
    pub version: String,
    pub formatting: Arc<Formatting>,
    /// Rows that it failed to render.
    pub faults: Arc<RenderFaults>,
    /// A probe has not returned.
    is_silent: AtomicBool,
    /// Number of its own options; those of its formatters follow.
    own_options: usize,
    labels: OnceLock<Labels>,
}

impl Decoder {
    pub(super) fn new(info: Info, table: DecoderRef, origin: Origin, version: &str) -> Decoder {
        table.table().set_name(&format!("{} ({origin})", info.id), origin.is_file());
        let version = if info.version.is_empty() { version } else { &info.version };
        let version = sanitise_text(version).into_owned();
        let (formatting, faults) = (Arc::default(), Arc::default());
        let (is_silent, labels) = (AtomicBool::new(false), OnceLock::new());
        let own_options = info.options.len();
        Decoder { info, table, origin, version, formatting, faults, is_silent, own_options, labels }
    }

    /// The decoder with the options of these formatters; `None` if it already has them.
    pub(super) fn with_options_of(&self, formatters: &[PluginFormatter]) -> Option<Decoder> {
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
            faults: Arc::clone(&self.faults),
            is_silent: AtomicBool::new(self.is_silent.load(Ordering::Relaxed)),
            own_options: self.own_options,
            labels: OnceLock::new(),
        })
    }

    pub(super) fn listed(&self, use_of: Use) -> Listed {
        Listed {
            name: self.info.id.to_string(),
            what: "decoder".to_owned(),
            version: self.version.clone(),
            title: sanitise_text(&self.info.title).into_owned(),
            origin: self.origin.to_string(),
            use_of,
        }
    }

    /// Opens an instance. A decoder with the option `fmt` gets the lines of all format files; in a reference style only
    /// those of files that the user named. If it has the option `drops` and that is unset, it gets the record that
    /// format files name as containing the total of dropped records.
    pub fn open(&self, options: &Options, source: &Source) -> Result<Instance, Fault> {
        let mut vals = options.vals();
        self.formatting.check_options(&vals)?;
        let given = self.format_vals(options);
        for (key, value) in given.iter().filter(|(_, value)| !value.is_empty()) {
            vals.retain(|val| val.key != *key);
            vals.push(OptVal { key: (*key).into(), value: value.as_slice().into() });
        }
        let owned: Vec<(String, Vec<u8>)> =
            vals.iter().map(|val| (val.key.to_string(), val.value.as_slice().to_vec())).collect();
        let (table, source) = (self.table, *source);
        let open = move || {
            let vals =
                owned.iter().map(|(key, value)| OptVal { key: key.as_str().into(), value: value.as_slice().into() });
            table.open(&vals.collect::<Vec<_>>(), &source)
        };
        self.origin.patiently(&format!("{} in open", self.called()), open)
    }

    /// Its guesses about a sample; none if it fails. A decoder that does not return is not asked again.
    pub fn probe(&self, sample: &[u8], options: &Options) -> Vec<Guess> {
        if self.is_silent.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let (table, sample, options) = (self.table, sample.to_vec(), options.clone());
        let probe = move || table.probe(&sample, &options.vals());
        let answer = self.origin.patiently(&format!("{} in probe", self.called()), probe);
        answer.map(RVec::into_vec).unwrap_or_else(|fault| {
            self.is_silent.store(is_left(&fault), Ordering::Relaxed);
            report_if_left(&fault);
            Vec::new()
        })
    }

    /// Whether it reads the lines of format files itself.
    pub fn takes_formats(&self) -> bool {
        self.info.option(FMT).is_some()
    }

    /// Whether it reads the total of dropped records from a record named by a line.
    pub fn takes_drops(&self) -> bool {
        self.info.option(DROPS).is_some()
    }

    /// Format files as options for an instance with these options.
    fn format_vals(&self, options: &Options) -> Vec<(&'static str, Vec<u8>)> {
        let mut vals = Vec::new();
        if self.takes_formats() {
            vals.push((FMT, self.format_lines(options)));
        }
        if self.takes_drops() && options.get(DROPS).is_none() {
            vals.push((DROPS, self.formatting.lines.drops()));
        }
        vals
    }

    /// All lines of format files for an instance with these options. Reports faulty lines of its own file.
    fn format_lines(&self, options: &Options) -> Vec<u8> {
        let vals = options.vals();
        let own = vals.iter().find(|val| val.key == FMT).map_or(&b""[..], |val| val.value.as_slice());
        let (own, faults) = right_lines(options.get(FMT).unwrap_or_default(), own);
        self.formatting.wrong_lines(faults);
        self.formatting.lines.all(options.get("reference").is_some(), &own)
    }

    /// Content of the stream event for changed format files, for an instance with these options.
    pub fn formats_event(&self, options: &Options) -> Vec<u8> {
        self.format_vals(options).iter().flat_map(|(key, value)| as_options(key, value)).collect()
    }

    pub fn renderer(&self, options: &Options) -> Renderer {
        let is_reference = options.get("reference").is_some();
        self.formatting.set_options(&options.vals());
        let plain = spytui_plugin_host::Renderer::new(self.table, &self.info, is_reference);
        let formatting = (!is_reference).then(|| Arc::clone(&self.formatting));
        Renderer::new(plain, formatting, Arc::clone(&self.faults), self.called().into())
    }

    /// Name and origin, for messages: `motor (/home/me/libmotor.so)`.
    pub fn called(&self) -> String {
        format!("{} ({})", self.info.id, self.origin)
    }

    /// Effects of format lines on records of an instance with these options; none in a reference style.
    pub fn effects(&self, options: &Options) -> Option<Effects> {
        let plain = spytui_plugin_host::Renderer::new(self.table, &self.info, false);
        options.get("reference").is_none().then(|| Effects::new(Arc::clone(&self.formatting), plain))
    }

    /// Words for filters, from the decoder and its formatters.
    pub fn vocabulary(&self) -> Vocabulary {
        let mut words = Vocabulary::of(&self.info);
        self.formatting.add_words(&mut words);
        words
    }

    pub fn labels(&self) -> &Labels {
        self.labels.get_or_init(|| Labels::new(&self.info))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    /// `decoder`, or `formatter of qs`.
    pub what: String,
    /// Version of the library's crate, or its own.
    pub version: String,
    /// May be empty.
    pub title: String,
    pub origin: String,
    pub use_of: Use,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    InUse,
    /// Replaced by another one with its name, from this origin.
    Shadowed(String),
    Disabled,
}

impl std::fmt::Display for Listed {
    /// `motor      formatter of qs  0.1.0    API 0.10  (libmotor.so), disabled`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Listed { name, what, version, title, origin, use_of } = self;
        write!(f, "{name:<10} {what:<16} {version:<8} API {API_MAJOR}.{API_MINOR}  ")?;
        write!(f, "{title}{}({origin})", if title.is_empty() { "" } else { " " })?;
        match use_of {
            Use::InUse => Ok(()),
            Use::Shadowed(by) => write!(f, ", shadowed by {by}"),
            Use::Disabled => f.write_str(", disabled"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    BuiltIn,
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

impl Origin {
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Origin::File(_))
    }

    /// Runs a call; leaves it behind if it calls a plugin file and does not return.
    fn patiently<T: Send + 'static>(
        &self,
        what: &str,
        call: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let answer = if self.is_file() { within(what, call).map_err(|none| none.fault).flatten() } else { call() };
        answer.map_err(safe_fault)
    }

    pub(super) fn described<T: Send + 'static>(
        &self,
        info: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let answer = self.patiently(&format!("{self} in info"), info);
        answer.inspect_err(report_if_left)
    }
}
