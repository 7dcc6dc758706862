//! Configuration: defaults, overridden by files, environment and flags. `schema` has all settings with
//! their types.

mod schema;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    fs::{self, OpenOptions},
    io::{self, Write},
    ops::Range,
    path::{Component, Path, PathBuf},
};

use directories::ProjectDirs;
use spytui_engine::{
    analysis::{incident::LOOK_BACK, statistics::Measure},
    distrust,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    hint::did_you_mean,
    sys::open_private,
    trigger::{TriggerAction, TriggerRule},
};
use schema::{fixed, is_table, kind, quoted, words_below};

pub use schema::{COLUMNS, SettingValue, rotation, setting_named, size, values_of};

pub const DEFAULTS: &str = include_str!("../../../config/spytui.toml");

/// `SPYTUI_` variables that are not settings.
const OTHER_VARIABLES: [&str; 8] = [
    "SPYTUI_LOG",
    "SPYTUI_PLUGIN_PATH",
    // Of the row, for programs that a trigger runs.
    "SPYTUI_TIME",
    "SPYTUI_KIND",
    "SPYTUI_OBJECT",
    "SPYTUI_TEXT",
    "SPYTUI_NUMBER",
    "SPYTUI_SOURCE",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    entries: BTreeMap<String, (SettingValue, SettingOrigin)>,
    /// Triggers; none runs a program.
    pub triggers: Vec<(TriggerRule, SettingOrigin)>,
    /// Files that were not trusted, and why.
    pub refused: Vec<String>,
}

impl Config {
    pub fn built_in() -> Config {
        let mut config = Config { entries: BTreeMap::new(), triggers: Vec::new(), refused: Vec::new() };
        // A test parses the same text, so this can't fail.
        let _ = config.overlay("spytui.toml", DEFAULTS, Trust::Own);
        config.entries.values_mut().for_each(|(_, origin)| *origin = SettingOrigin::BuiltIn);
        config
    }

    /// Overrides settings by those of a file. Errors: the first unknown key, wrong value or syntax error. Settings
    /// before it have been applied.
    pub fn overlay(&mut self, file: &str, text: &str, trust: Trust) -> Result<(), ConfigError> {
        let source = TomlSource::new(file, text);
        let table = source.parse()?;
        self.table(&source, &mut Vec::new(), table.get_ref(), trust)
    }

    fn table<'a>(
        &mut self,
        source: &TomlSource<'_>,
        path: &mut Vec<&'a str>,
        table: &'a DeTable<'a>,
        trust: Trust,
    ) -> Result<(), ConfigError> {
        for (key, span, value) in items(table) {
            path.push(key);
            let at = |message: String| source.error(span.start, message);
            if let ([ON], Some(tables)) = (path.as_slice(), value.get_ref().as_array()) {
                for table in tables.iter() {
                    let rule = trigger(table.get_ref(), trust).map_err(at)?;
                    self.triggers
                        .push((rule, SettingOrigin::File(source.file.to_owned(), source.line(table.span().start))));
                }
                path.pop();
                continue;
            }
            match (kind(path), value.get_ref().as_table()) {
                (Some(kind), None) => {
                    let name = path.join(".");
                    let value = kind.of_toml(value.get_ref()).map_err(|wrong| at(format!("{name} {wrong}")))?;
                    let (file, line) = (source.file.to_owned(), source.line(span.start));
                    let origin = match trust {
                        Trust::Own => SettingOrigin::File(file, line),
                        Trust::Project => {
                            let before = self.get(&name).map(|(_, origin)| origin);
                            objection(&file, path, &value, before).map_or(Ok(()), |why| Err(at(why)))?;
                            SettingOrigin::Project(file, line)
                        }
                    };
                    self.entries.insert(name, (value, origin));
                }
                (_, Some(inner)) if is_table(path) => self.table(source, path, inner, trust)?,
                _ => return Err(at(unknown(path))),
            }
            path.pop();
        }
        Ok(())
    }

    /// Overrides settings by environment variables: `SPYTUI_UI_ESC_WAIT` is `ui.esc-wait`.
    /// Errors: a `SPYTUI_` variable that is not a setting, or a wrong value.
    pub fn overlay_variables(
        &mut self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<(), ConfigError> {
        for (name, text) in variables {
            // Other programs' variables may contain any bytes.
            let Ok(name) = name.into_string() else { continue };
            let Some(rest) = name.strip_prefix("SPYTUI_").filter(|_| !OTHER_VARIABLES.contains(&name.as_str())) else {
                continue;
            };
            let error = |message| ConfigError { file: name.clone(), line: None, message };
            let text = text.into_string().map_err(|_| error("its value is not UTF-8".to_owned()))?;
            let path = path_of(rest).ok_or_else(|| {
                let known: Vec<String> = fixed().map(|path| format!("SPYTUI_{}", shout(path))).collect();
                error(format!("unknown setting{}", did_you_mean(&name, known.iter().map(String::as_str))))
            })?;
            self.set(&path, &text, SettingOrigin::Variable(name.clone())).map_err(error)?;
        }
        Ok(())
    }

    /// Sets a setting from text. Errors: an unknown name, with a suggestion; an invalid value, with the valid ones.
    pub fn set(&mut self, name: &str, text: &str, origin: SettingOrigin) -> Result<(), String> {
        let path: Vec<&str> = name.split('.').collect();
        let kind = kind(&path).ok_or_else(|| unknown(&path))?;
        let value = kind.of_text(text).map_err(|wrong| format!("{name} {wrong}"))?;
        self.entries.insert(name.to_owned(), (value, origin));
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<(&SettingValue, &SettingOrigin)> {
        self.entries.get(name).map(|(value, origin)| (value, origin))
    }

    /// A Boolean; false if unset.
    pub fn on(&self, name: &str) -> bool {
        matches!(self.get(name), Some((SettingValue::Bool(true), _)))
    }

    /// An integer; `None` for `auto`.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)?.0 {
            SettingValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// How far the page of an incident looks back, ns.
    pub fn look_back(&self) -> u64 {
        let seconds = self.integer("ui.look-back").and_then(|seconds| u64::try_from(seconds).ok());
        seconds.map_or(LOOK_BACK, |seconds| seconds.saturating_mul(1_000_000_000))
    }

    /// The longest time that a measure may have, ns.
    pub fn deadline(&self, measure: Measure) -> Option<u64> {
        let micros = self.integer(&format!("deadlines.{}", measure.word()))?;
        u64::try_from(micros).ok().map(|micros| micros * 1_000)
    }

    pub fn size(&self, name: &str) -> Option<u64> {
        match self.get(name)?.0 {
            SettingValue::Size(bytes) => Some(*bytes),
            _ => None,
        }
    }

    /// A string; empty if unset.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some((SettingValue::Text(text), _)) => text,
            _ => "",
        }
    }

    /// A list; empty if unset.
    pub fn list(&self, name: &str) -> &[String] {
        match self.get(name) {
            Some((SettingValue::List(items), _)) => items,
            _ => &[],
        }
    }

    /// The entries of a table, such as `filters` or `decode.qs`: name, value, origin.
    pub fn below<'a>(&'a self, table: &str) -> impl Iterator<Item = (&'a str, &'a SettingValue, &'a SettingOrigin)> {
        let start = format!("{table}.");
        self.entries.iter().filter_map(move |(name, (value, origin))| {
            let rest = name.strip_prefix(&start)?;
            (!rest.contains('.')).then_some((rest, value, origin))
        })
    }

    /// Options configured for a decoder, as `key=value`.
    pub fn options_of(&self, decoder: &str) -> Vec<String> {
        let plain = |value: &SettingValue| match value {
            SettingValue::Text(text) => text.clone(),
            other => other.to_string(),
        };
        self.below(&format!("decode.{decoder}")).map(|(key, value, _)| format!("{key}={}", plain(value))).collect()
    }

    pub fn all(&self) -> impl Iterator<Item = (&str, &SettingValue, &SettingOrigin)> {
        self.entries.iter().map(|(name, (value, origin))| (name.as_str(), value, origin))
    }

    /// The configuration as TOML, with the origin of each value as a comment.
    pub fn print(&self) -> String {
        let mut out = String::new();
        let mut table = String::new();
        for (name, value, origin) in self.all() {
            let (own, key) = name.rsplit_once('.').unwrap_or(("", name));
            if own != table {
                out.push_str(if out.is_empty() { "" } else { "\n" });
                out.push_str(&format!("[{}]\n", own.split('.').map(bare).collect::<Vec<_>>().join(".")));
                table = own.to_owned();
            }
            let line = format!("{} = {value}", bare(key));
            out.push_str(&format!("{line:COMMENTS_AT$} # {origin}\n"));
        }
        for (rule, origin) in &self.triggers {
            let (expr, action) = (quoted(&rule.expr), quoted(&rule.action.to_string()));
            out.push_str(&format!("\n[[{ON}]] # {origin}\nwhen = {expr}\ndo = {action}\n"));
        }
        out
    }

    /// The defaults, overridden by files and environment. Errors: the first error in any of them.
    pub fn load(
        folders: &Folders,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Config, ConfigError> {
        let mut config = Config::built_in();
        for (path, trust) in folders.files() {
            if let Some(why) = distrust(&path) {
                config.refused.push(format!("{} is ignored: {why}", path.display()));
                continue;
            }
            if let Some(text) = read_text(&path)? {
                config.overlay(&path.to_string_lossy(), &text, trust)?;
            }
        }
        if let Some(path) = &folders.saved_filters {
            config.overlay_saved_filters(path);
        }
        config.overlay_variables(variables)?;
        Ok(config)
    }

    /// Lines that are not filters are reported and skipped: the user did not write the file by hand.
    fn overlay_saved_filters(&mut self, path: &Path) {
        let file = path.display().to_string();
        let text = read_text(path).unwrap_or_else(|why| {
            self.refused.push(why.to_string());
            None
        });
        for (number, line) in text.iter().flat_map(|text| text.lines()).enumerate() {
            let (name, filter) = line.split_once(' ').unwrap_or((line, ""));
            let origin = SettingOrigin::File(file.clone(), number + 1);
            if let Err(why) = self.set(&format!("filters.{name}"), filter, origin) {
                self.refused.push(format!("{file}:{}: {why}", number + 1));
            }
        }
    }

    pub fn profiles(&self) -> Vec<&str> {
        let parts = self.all().filter_map(|(name, ..)| name.strip_prefix("profile.")?.rsplit_once('.'));
        let mut names: Vec<&str> = parts.map(|(profile, _)| profile).collect();
        names.dedup();
        names
    }

    /// The table of a profile. Errors: there is none with this name.
    pub fn profile(&self, name: &str) -> Result<String, String> {
        let names = self.profiles();
        if !names.contains(&name) {
            let at: Vec<String> = names.iter().map(|name| format!("@{name}")).collect();
            let hint = did_you_mean(&format!("@{name}"), at.iter().map(String::as_str));
            return Err(format!("@{name}: no such profile{hint}"));
        }
        Ok(format!("profile.{name}"))
    }
}

/// The table of triggers.
const ON: &str = "on";

/// A trigger of a file. Errors: what is wrong with it.
fn trigger(value: &DeValue<'_>, trust: Trust) -> Result<TriggerRule, String> {
    if trust == Trust::Project {
        return Err("a project's file may not set triggers; put them into your own spytui.toml".to_owned());
    }
    let table = value.as_table().map(items).unwrap_or_default();
    let text = |key: &str| match table.as_slice() {
        [_, _] => table.iter().find(|(name, ..)| *name == key)?.2.get_ref().as_str(),
        _ => None,
    };
    let (when, action) = text("when").zip(text("do")).ok_or("[[on]] takes two texts: when = EXPR, do = ACTION")?;
    let rule = TriggerRule::parse(&format!("{when} {action}"))?;
    match rule.action {
        TriggerAction::Run(_) => Err("run is for --on and :on: no file starts programs".to_owned()),
        _ => Ok(rule),
    }
}

fn shout(path: &str) -> String {
    path.replace(['.', '-'], "_").to_uppercase()
}

/// The setting for a variable without `SPYTUI_`. In tables with free keys, the last word may contain hyphens.
fn path_of(rest: &str) -> Option<String> {
    if let Some(path) = fixed().find(|path| shout(path) == rest) {
        return Some(path.to_owned());
    }
    let lower = rest.to_lowercase();
    if let Some(name) = lower.strip_prefix("target_filters_").filter(|name| !name.is_empty()) {
        return Some(format!("target-filters.{}", name.replace('_', "-")));
    }
    let (table, name) = lower.split_once('_').filter(|(_, name)| !name.is_empty())?;
    match table {
        "columns" | "filters" | "alias" => Some(format!("{table}.{}", name.replace('_', "-"))),
        "decode" => {
            let (proto, option) =
                name.split_once('_').filter(|(proto, option)| !proto.is_empty() && !option.is_empty())?;
            Some(format!("decode.{proto}.{}", option.replace('_', "-")))
        }
        _ => None,
    }
}

fn unknown(path: &[&str]) -> String {
    let known_part = (0..path.len()).rev().find(|n| is_table(&path[..*n]) || *n == 0).unwrap_or(0);
    let word = path.get(known_part).copied().unwrap_or_default();
    let below = words_below(&path[..known_part]);
    let table = path[..known_part].join(".");
    let place = if table.is_empty() { String::new() } else { format!(" in [{table}]") };
    if is_table(path) {
        return format!("{} is a table of settings", path.join("."));
    }
    format!("unknown setting \"{word}\"{place}{}", did_you_mean(word, below))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    BuiltIn,
    /// In a file of the user or administrator, at a line.
    File(String, usize),
    /// In a file of a project, at a line.
    Project(String, usize),
    Variable(String),
    Flag(String),
    /// Typed on the screen's command line.
    Typed,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::BuiltIn => f.write_str("built in"),
            SettingOrigin::File(file, line) | SettingOrigin::Project(file, line) => write!(f, "{file}:{line}"),
            SettingOrigin::Variable(name) => f.write_str(name),
            SettingOrigin::Flag(flag) => f.write_str(flag),
            SettingOrigin::Typed => f.write_str(":set"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// From a file of the user or administrator.
    Own,
    /// From a project, perhaps by somebody else: it must not load code or reach the target.
    Project,
}

/// An error in a configuration file, environment variable or flag; only files have a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", self.line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ConfigError {
    pub file: String,
    /// Line number, from 1.
    pub line: Option<usize>,
    pub message: String,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct TomlSource<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

/// A key with its span and its value with span.
pub(crate) type TomlItem<'a> = (&'a str, Range<usize>, &'a Spanned<DeValue<'a>>);

impl<'a> TomlSource<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> TomlSource<'a> {
        TomlSource { file, text }
    }

    /// The line of a byte offset, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
    }

    pub(crate) fn error(&self, at: usize, message: impl Into<String>) -> ConfigError {
        ConfigError { file: self.file.to_owned(), line: Some(self.line(at)), message: message.into() }
    }

    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'a>>, ConfigError> {
        DeTable::parse(self.text).map_err(|e| {
            let message = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
            self.error(e.span().map_or(0, |span| span.start), message)
        })
    }
}

pub(crate) fn items<'a>(table: &'a DeTable<'a>) -> Vec<TomlItem<'a>> {
    let mut items: Vec<TomlItem<'a>> =
        table.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value)).collect();
    items.sort_by_key(|(_, span, _)| span.start);
    items
}

/// Column of the comments, unless values are longer.
const COMMENTS_AT: usize = 40;

fn bare(key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain { key.to_owned() } else { quoted(key) }
}

/// Tables whose names users type: a project may add names, but not replace the user's own.
const NAMED: [&str; 4] = ["alias", "filters", "profile", "target-filters"];

/// Why a project's file may not set this; `before` = the setting's origin otherwise.
fn objection(file: &str, path: &[&str], value: &SettingValue, before: Option<&SettingOrigin>) -> Option<String> {
    let into_own = |what: &str| Some(format!("a project's file may not {what}; put it into your own spytui.toml"));
    match path {
        ["plugins", "path"] => into_own("name plugins"),
        // These lines reset boards.
        ["link", "dtr" | "rts"] => into_own("switch the lines of a port"),
        ["profile", _, "target-filter"] => into_own("send anything to the target"),
        ["record", "dir"] | ["profile", _, "record"] if leaves(folder(file), value) => {
            into_own("record outside the project's folder")
        }
        [table, name, ..] if NAMED.contains(table) => match before {
            None | Some(SettingOrigin::BuiltIn | SettingOrigin::Project(..)) => None,
            Some(own) => Some(format!("{name} would replace your own, of {own}; give it another name")),
        },
        _ => None,
    }
}

fn folder(file: &str) -> &Path {
    Path::new(file).parent().unwrap_or(Path::new(""))
}

/// Whether a path leaves a folder, directly or through a symbolic link inside the folder.
fn leaves(folder: &Path, value: &SettingValue) -> bool {
    let SettingValue::Text(text) = value else { return false };
    let path = Path::new(text);
    if path.components().any(|part| part == Component::ParentDir) {
        return true;
    }
    let path = folder.join(path);
    let real = path.ancestors().find_map(|part| part.canonicalize().ok());
    match (real, folder.canonicalize()) {
        (Some(real), Ok(folder)) => !real.starts_with(folder),
        _ => true,
    }
}

const SYSTEM: &str = "/etc/spytui";
/// A project's file in the working directory.
const PROJECT: &str = ".spytui.toml";
/// Larger files are refused.
const LARGEST: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folders {
    pub system: Option<PathBuf>,
    pub user: Option<PathBuf>,
    /// The working directory.
    pub project: Option<PathBuf>,
    /// File of the filters saved with `:filter save`.
    pub saved_filters: Option<PathBuf>,
}

impl Folders {
    pub fn of_process() -> Folders {
        let dirs = ProjectDirs::from("", "", "spytui");
        Folders {
            system: cfg!(unix).then(|| PathBuf::from(SYSTEM)),
            user: dirs.map(|dirs| dirs.config_dir().to_owned()),
            project: std::env::current_dir().ok(),
            saved_filters: state_file(SAVED_FILTERS),
        }
    }

    /// The configuration files searched, highest precedence last.
    pub fn files(&self) -> Vec<(PathBuf, Trust)> {
        let system = self.system.iter().map(|folder| (folder.join("spytui.toml"), Trust::Own));
        let user = self.user.iter().map(|folder| (folder.join("spytui.toml"), Trust::Own));
        let project = self.project.iter().map(|folder| (folder.join(PROJECT), Trust::Project));
        system.chain(user).chain(project).collect()
    }

    /// The text of the user's theme `name`, if there is one.
    pub fn theme(&self, name: &str) -> Option<String> {
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        let file = format!("themes/{name}.toml");
        let folders = self.user.iter().chain(&self.system).filter(|_| plain);
        folders.into_iter().find_map(|folder| read_text(&folder.join(&file)).ok().flatten())
    }
}

/// The text of a file; `None` if it does not exist.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let error = |message: String| ConfigError { file: path.to_string_lossy().into_owned(), line: None, message };
    match fs::metadata(path) {
        Ok(file) if file.is_file() && file.len() > LARGEST => {
            return Err(error("too large for a configuration".into()));
        }
        Ok(file) if !file.is_file() => return Err(error("not a file".into())),
        Ok(_) => distrust(path).map_or(Ok(()), |why| Err(error(why.to_owned())))?,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(e) => return Err(error(e.to_string())),
    }
    fs::read_to_string(path).map(Some).map_err(|e| error(e.to_string()))
}

/// File of the saved filters: each line has a name, a space and the filter. The last line of a name counts.
pub const SAVED_FILTERS: &str = "filters";

pub fn state_file(name: &str) -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "spytui")?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).join(name))
}

/// Saves a filter under a name for later runs.
pub fn save_filter(file: &Path, name: &str, filter: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = open_private(OpenOptions::new().append(true).create(true), file)?;
    file.write_all(format!("{name} {filter}\n").as_bytes())
}
