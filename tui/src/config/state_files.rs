//! Files in the state directory of the user.

use std::path::PathBuf;

/// A file in the state directory.
pub fn state_file(name: &str) -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "spytui")?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).join(name))
}
