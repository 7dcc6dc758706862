//! Folders of configuration and state, and loading both; profiles of boards.

use std::{
    ffi::OsString,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use directories::ProjectDirs;
use spytui_engine::distrust;

use super::layers::{Config, ConfigError, Origin, Trust};
use crate::{hint::did_you_mean, sys::open_private};

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

impl Config {
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
            let origin = Origin::File(file.clone(), number + 1);
            if let Err(why) = self.set(&format!("filters.{name}"), filter, origin) {
                self.refused.push(format!("{file}:{}: {why}", number + 1));
            }
        }
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile<'a> {
    config: &'a Config,
    name: &'a str,
}

impl Profile<'_> {
    fn path(&self, key: &str) -> String {
        format!("profile.{}.{key}", self.name)
    }

    pub fn text(&self, key: &str) -> Option<String> {
        Some(self.config.text(&self.path(key)).to_owned()).filter(|text| !text.is_empty())
    }

    /// A list; empty if it is not set.
    pub fn list(&self, key: &str) -> &[String] {
        self.config.list(&self.path(key))
    }

    /// Rate of the port.
    pub fn baud(&self) -> Option<u32> {
        self.config.integer(&self.path("baud")).and_then(|baud| u32::try_from(baud).ok())
    }
}

impl Config {
    pub fn profiles(&self) -> Vec<&str> {
        let parts = self.all().filter_map(|(name, ..)| name.strip_prefix("profile.")?.rsplit_once('.'));
        let mut names: Vec<&str> = parts.map(|(profile, _)| profile).collect();
        names.dedup();
        names
    }

    pub fn profile<'a>(&'a self, name: &'a str) -> Result<Profile<'a>, String> {
        let names = self.profiles();
        if !names.contains(&name) {
            let at: Vec<String> = names.iter().map(|name| format!("@{name}")).collect();
            let hint = did_you_mean(&format!("@{name}"), at.iter().map(String::as_str));
            return Err(format!("@{name}: no such profile{hint}"));
        }
        Ok(Profile { config: self, name })
    }
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
