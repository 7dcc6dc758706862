//! A registered decoder with its formatters, and its options: `key=value`, checked against its specification.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use spytui_plugin_api::{
    API_MAJOR, API_MINOR, DecoderRef, Fault, Instance, RVec, Source,
    info::{Guess, Info, OptKind, OptSpec, OptVal},
};
use spytui_plugin_layer::{OpenFrontEnd, PlansOf};

use super::contain::{is_left, report_if_left, within};
use crate::{
    io::{file_error::open_regular, format_files::DROPS},
    nearest::nearest,
    present::{
        Labels,
        sanitise::{safe_fault, sanitise_text},
    },
    query::Vocabulary,
    row::{
        Formatting, PluginFormatter, RecordEffects, RenderFaults, Renderer,
        in_force::{FMT, as_options, right_lines},
    },
    unreadable,
};

#[derive(Debug, Clone)]
pub struct Decoder {
    pub info: Info,
    pub table: DecoderRef,
    /// Opens front ends of another host for its rows.
    pub front_end: Option<OpenFrontEnd>,
    /// Plans of its rows.
    pub plans: Option<PlansOf>,
    pub origin: Origin,
    /// Version of the decoder, or of its library.
    pub version: String,
    pub formatting: Arc<Formatting>,
    /// Rows that it failed to render.
    pub faults: Arc<RenderFaults>,
    /// A probe has not returned.
    is_silent: Arc<AtomicBool>,
    /// Number of its own options; those of its formatters follow.
    own_options: usize,
    labels: OnceLock<Labels>,
}

impl Decoder {
    pub(super) fn new(info: Info, table: DecoderRef, origin: Origin, version: &str) -> Decoder {
        table.table().set_name(&format!("{} ({origin})", info.id), origin.is_file());
        let version = if info.version.is_empty() { version } else { &info.version };
        let version = sanitise_text(version).into_owned();
        Decoder {
            table,
            front_end: None,
            plans: None,
            origin,
            version,
            formatting: Arc::default(),
            faults: Arc::default(),
            is_silent: Arc::default(),
            own_options: info.options.len(),
            labels: OnceLock::new(),
            info,
        }
    }

    /// The decoder with the options of these formatters; `None` if it already has them.
    pub(super) fn with_options_of(&self, formatters: &[PluginFormatter]) -> Option<Decoder> {
        let own = self.info.options.iter().take(self.own_options);
        let is_own = |f: &&PluginFormatter| self.info.names().any(|name| f.info.protocol == name);
        let given = formatters.iter().filter(is_own).flat_map(|f| {
            f.info.options.iter().map(|spec| OptSpec { key: f.option_key(&spec.key).into(), ..spec.clone() })
        });
        let options: RVec<OptSpec> = own.cloned().chain(given).collect();
        let keys = |options: &RVec<OptSpec>| options.iter().map(|spec| spec.key.to_string()).collect::<Vec<_>>();
        if keys(&options) == keys(&self.info.options) {
            return None;
        }
        Some(Decoder { info: Info { options, ..self.info.clone() }, labels: OnceLock::new(), ..self.clone() })
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
        self.formatting.check_options(&options.vals())?;
        let given = self.format_vals(options);
        let (table, source, mut options) = (self.table, *source, options.clone());
        for (key, value) in given.into_iter().filter(|(_, value)| !value.is_empty()) {
            options.put(Opt { key: key.to_owned(), shown: String::new(), value });
        }
        let open = move || table.open(&options.vals(), &source);
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

    /// Format files as options for an instance with these options.
    fn format_vals(&self, options: &Options) -> Vec<(&'static str, Vec<u8>)> {
        let mut vals = Vec::new();
        if self.takes_formats() {
            vals.push((FMT, self.format_lines(options)));
        }
        if self.info.option(DROPS).is_some() && options.get(DROPS).is_none() {
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
        Renderer { plain, formatting, faults: Arc::clone(&self.faults), name: self.called().into() }
    }

    /// Name and origin, for messages: `motor (/home/me/libmotor.so)`.
    pub fn called(&self) -> String {
        format!("{} ({})", self.info.id, self.origin)
    }

    /// Effects of format lines on records of an instance with these options; none in a reference style.
    pub fn effects(&self, options: &Options) -> Option<RecordEffects> {
        let plain = spytui_plugin_host::Renderer::new(self.table, &self.info, false);
        options.get("reference").is_none().then(|| RecordEffects::new(Arc::clone(&self.formatting), plain))
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

/// An option was refused; the text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("-o {text}")]
pub struct OptionError {
    /// The text without the option's prefix among arguments.
    pub text: String,
    /// What the option is for, if its value is wrong.
    pub help: Option<String>,
}

impl OptionError {
    fn new(text: String) -> OptionError {
        OptionError { text, help: None }
    }
}

/// The form of reference output that every decoder with a reference style has.
pub const REFERENCE_TEXT: &str = "text";
const REFERENCE_FORM: &str = "reference-form";

/// Checked options, in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    list: Vec<Opt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Opt {
    key: String,
    /// The value as written by the user: the path of a file.
    shown: String,
    /// The value for the decoder: the content of a file.
    value: Vec<u8>,
}

impl Options {
    pub fn parse<S: AsRef<str>>(info: &Info, texts: &[S]) -> Result<Options, OptionError> {
        let mut options = Options::default();
        texts.iter().try_for_each(|text| options.set_text(info, text.as_ref()))?;
        Ok(options)
    }

    pub fn set_text(&mut self, info: &Info, text: &str) -> Result<(), OptionError> {
        let (key, value) =
            text.split_once('=').ok_or_else(|| OptionError::new(format!("{text}: give an option as key=value")))?;
        self.set(info, key.trim(), value)
    }

    /// Sets an option; the last value of a key wins, and an empty one restores the default.
    pub fn set(&mut self, info: &Info, key: &str, value: &str) -> Result<(), OptionError> {
        let spec = info.option(key).ok_or_else(|| unknown(info, key))?;
        if value.is_empty() {
            self.unset(key);
            return Ok(());
        }
        self.put(Opt { key: key.to_owned(), shown: value.to_owned(), value: check(spec, value)? });
        Ok(())
    }

    fn put(&mut self, opt: Opt) {
        self.unset(&opt.key);
        self.list.push(opt);
    }

    pub fn unset(&mut self, key: &str) {
        self.list.retain(|o| o.key != key);
    }

    /// The value as written by the user.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.list.iter().find(|o| o.key == key).map(|o| o.shown.as_str())
    }

    /// These options without those of a reference style.
    pub fn in_native_form(mut self) -> Options {
        self.list.retain(|option| option.key != "reference" && option.key != REFERENCE_FORM);
        self
    }

    /// These options with a reference style (the one set, else the decoder's first) and a form of its output. Errors: the
    /// decoder has none, or not this form.
    pub fn in_reference_form(mut self, info: &Info, form: &str) -> Result<Options, String> {
        if self.get("reference").is_none() {
            let style = info.option("reference").and_then(|option| option.choices.first());
            let style = style.ok_or_else(|| format!("{} has no reference style", info.id))?;
            self.set(info, "reference", style).map_err(|error| error.to_string())?;
        }
        match info.option(REFERENCE_FORM) {
            Some(option) if option.choices.iter().any(|choice| choice == form) => {
                self.set(info, REFERENCE_FORM, form).map_err(|error| error.to_string())?;
            }
            None if form == REFERENCE_TEXT => {}
            _ => {
                return Err(format!(
                    "{} has no {form} files: only decoders with option {REFERENCE_FORM} write them",
                    info.id
                ));
            }
        }
        Ok(self)
    }

    pub fn only(&self, key: &str) -> Options {
        Options { list: self.list.iter().filter(|o| o.key == key).cloned().collect() }
    }

    /// All keys and values as written by the user.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.list.iter().map(|o| (o.key.as_str(), o.shown.as_str()))
    }

    /// All keys and values for a later run in any folder: paths of files are absolute.
    pub fn to_keep(&self, info: &Info) -> Vec<(String, String)> {
        let kept = |(key, value): (&str, &str)| {
            let is_file = info.option(key).is_some_and(|spec| spec.ty == OptKind::FILE);
            let path = if is_file { std::path::absolute(value).ok() } else { None };
            (key.to_owned(), path.map_or_else(|| value.to_owned(), |path| path.display().to_string()))
        };
        self.iter().map(kept).collect()
    }

    pub fn vals(&self) -> Vec<OptVal<'_>> {
        self.list.iter().map(|o| OptVal { key: o.key.as_str().into(), value: o.value.as_slice().into() }).collect()
    }
}

fn unknown(info: &Info, key: &str) -> OptionError {
    let keys: Vec<&str> = info.options.iter().map(|o| o.key.as_str()).collect();
    let hint = match nearest(key, keys.iter().copied()) {
        Some(word) => format!("; nearest: {word}"),
        None => format!("; it has: {}", keys.join(" ")),
    };
    OptionError::new(format!("{key}: {} has no such option{hint}", info.id))
}

fn content(path: &str) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(Path::new(path))?.read_to_end(&mut content)?;
    Ok(content)
}

fn check(spec: &OptSpec, value: &str) -> Result<Vec<u8>, OptionError> {
    let key = &spec.key;
    if spec.ty == OptKind::FILE {
        return content(value).map_err(|error| {
            OptionError::new(format!("{key}={} It takes: {}", unreadable(Path::new(value), &error), spec.help))
        });
    }
    let checked = spec.check(value).map(|()| value.as_bytes().to_vec());
    checked.map_err(|legal| OptionError {
        text: format!("{key}={value}: must be {legal}"),
        help: Some(spec.help.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::RVec;

    fn info() -> Info {
        let spec = |key: &str, ty, choices: &[&str]| OptSpec {
            key: key.into(),
            help: "help".into(),
            ty,
            min: 0,
            max: 100,
            choices: choices.iter().map(|c| (*c).into()).collect::<RVec<_>>(),
            default: "".into(),
            is_guessed: true,
        };
        Info {
            id: "qs".into(),
            options: vec![
                spec("signal", OptKind::INT, &["1", "2", "4"]),
                spec("ticks", OptKind::INT, &[]),
                spec("dic", OptKind::FILE, &[]),
                spec("reference", OptKind::CHOICE, &["qspy-7.3.4", "qspy-8.1.3"]),
            ]
            .into(),
            ..Info::default()
        }
    }

    fn error(text: &str) -> String {
        Options::parse(&info(), &[text]).expect_err(text).to_string()
    }

    #[test]
    fn errors_name_what_is_legal_and_the_nearest_word() {
        assert_eq!(error("signal=3"), "-o signal=3: must be 1, 2 or 4");
        assert_eq!(error("ticks=101"), "-o ticks=101: must be a whole number from 0 to 100");
        assert_eq!(error("signl=2"), "-o signl: qs has no such option; nearest: signal");
        assert_eq!(error("signal"), "-o signal: give an option as key=value");
        assert!(error("reference=qspy-7.3").contains("nearest: qspy-7.3.4"));
        assert_eq!(error("dic=."), "-o dic=. is a folder; name a file in it. It takes: help");
        if cfg!(unix) {
            assert_eq!(error("dic=/dev/null"), "-o dic=/dev/null: not a regular file. It takes: help");
        }
        let missing = error("dic=qwertz");
        assert!(missing.starts_with("-o dic=qwertz: no such file in /"), "{missing}");
        assert!(missing.ends_with(". It takes: help"), "{missing}");
    }

    #[test]
    fn the_last_value_counts() {
        let options = Options::parse(&info(), &["signal=1", "ticks=5", "signal=2"]).expect("legal");
        assert_eq!(options.iter().collect::<Vec<_>>(), [("ticks", "5"), ("signal", "2")]);
        assert_eq!(options.vals()[1].value.as_slice(), b"2");
    }

    #[test]
    fn an_empty_value_restores_the_default() {
        let options = Options::parse(&info(), &["reference=qspy-7.3.4", "ticks=5", "reference="]).expect("legal");
        assert_eq!(options.iter().collect::<Vec<_>>(), [("ticks", "5")]);
        assert!(error("signl=").contains("nearest: signal"));
    }
}
