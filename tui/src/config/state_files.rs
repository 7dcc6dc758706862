//! Files in the state directory of the user.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::sys::open_private;

/// File of the saved filters: on each line a name, a space and the filter. The last line of a name counts.
pub const SAVED_FILTERS: &str = "filters";

/// A file in the state directory.
pub fn state_file(name: &str) -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "spytui")?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).join(name))
}

/// Keeps a filter under a name for later runs.
///
/// # Errors
/// The file can't be written.
pub fn save_filter(file: &Path, name: &str, filter: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = open_private(OpenOptions::new().append(true).create(true), file)?;
    file.write_all(format!("{name} {filter}\n").as_bytes())
}
