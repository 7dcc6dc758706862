//! Folders of the configuration, and loading it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::layers::Config;
use super::origin::{Origin, Trust};
use super::source::ConfigError;
use super::state_files::{SAVED_FILTERS, state_file};
use spytui_engine::distrust;

/// The administrator's folder.
const SYSTEM: &str = "/etc/spytui";
/// A project's file, in the present folder.
const PROJECT: &str = ".spytui.toml";
/// Larger files are refused.
const LARGEST: u64 = 1 << 20;

/// The folders of the program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folders {
    /// System-wide configuration.
    pub system: Option<PathBuf>,
    /// Configuration of the user.
    pub user: Option<PathBuf>,
    /// Project folder: the working directory.
    pub project: Option<PathBuf>,
    /// File of the filters that `:filter save` kept.
    pub saved_filters: Option<PathBuf>,
}

impl Folders {
    /// The folders of this platform and process.
    pub fn of_process() -> Folders {
        let dirs = ProjectDirs::from("", "", "spytui");
        Folders {
            system: cfg!(unix).then(|| PathBuf::from(SYSTEM)),
            user: dirs.map(|dirs| dirs.config_dir().to_owned()),
            project: std::env::current_dir().ok(),
            saved_filters: state_file(SAVED_FILTERS),
        }
    }

    /// The configuration files that are looked for, the strongest last.
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
    /// The defaults with files and environment over them.
    ///
    /// # Errors
    /// The first mistake in any of them.
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

    /// A line that is no filter is reported and left out: the user did not write the file by hand.
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
