//! Opens files whose names come from settings, projects or the folder of a recording. Reading a pipe or a device in their
//! place might never end.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Opens a file to be read as a whole.
///
/// # Errors
/// It can't be opened, or is a pipe, a device or a folder.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}
