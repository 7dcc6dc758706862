//! Opens regular files only, and puts file errors into words.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use crate::nearest::nearest;

/// `brew_lat.bin: no such file. Nearest here: brew_late.bin.`
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => format!("no such file{}", instead(path)),
        io::ErrorKind::PermissionDenied => "permission denied; this user may not read it.".to_owned(),
        io::ErrorKind::IsADirectory => return is_a_folder(path),
        _ => format!("{error}."),
    };
    format!("{}: {why}", path.display())
}

pub fn is_a_folder(path: &Path) -> String {
    format!("{} is a folder; name a file in it.", path.display())
}

/// `run.bin: there is no folder runs; make it first`
pub fn unwritable(path: &Path, error: &io::Error) -> String {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => format!("{shown} exists already; choose another name"),
        io::ErrorKind::NotFound => format!("{shown}: there is no folder {}; make it first", folder_of(path).display()),
        io::ErrorKind::PermissionDenied => format!("{shown}: permission denied; this user may not write there"),
        _ => format!("{shown}: {error}"),
    }
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The nearest name in the same folder, or the folder.
fn instead(path: &Path) -> String {
    let folder = folder_of(path);
    let Ok(entries) = fs::read_dir(folder) else {
        return format!("; folder {} can't be looked into.", folder.display());
    };
    let wanted = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let names: Vec<String> = entries
        .flatten()
        .filter(|entry| !entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        // A dangling link has the name itself.
        .filter(|name| name != wanted)
        .collect();
    match (nearest(wanted, names.iter().map(String::as_str)), folder.canonicalize()) {
        (Some(near), _) => format!(". Nearest here: {near}."),
        (None, Ok(folder)) if path.is_relative() => format!(" in {}.", folder.display()),
        (None, _) => ".".to_owned(),
    }
}

/// Opens a regular file for reading.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_names_its_neighbour_or_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("brew_late.bin"), b"").unwrap();
        let text = |name: &str| unreadable(&dir.path().join(name), &io::ErrorKind::NotFound.into());
        let expected = "brew_lat.bin: no such file. Nearest here: brew_late.bin.";
        assert!(text("brew_lat.bin").ends_with(expected), "{}", text("brew_lat.bin"));
        assert!(text("qwertz").ends_with("qwertz: no such file."), "{}", text("qwertz"));
        let none = dir.path().join("none");
        let expected = format!("x: no such file; folder {} can't be looked into.", none.display());
        assert!(text("none/x").ends_with(&expected), "{}", text("none/x"));
        let here = unreadable(Path::new("qwertz"), &io::ErrorKind::NotFound.into());
        assert_eq!(here, format!("qwertz: no such file in {}.", std::env::current_dir().unwrap().display()));
    }

    #[test]
    fn a_file_that_can_not_be_made_says_what_to_do() {
        let text = |kind: io::ErrorKind| unwritable(Path::new("none/x.bin"), &kind.into());
        assert_eq!(text(io::ErrorKind::NotFound), "none/x.bin: there is no folder none; make it first");
        assert_eq!(text(io::ErrorKind::AlreadyExists), "none/x.bin exists already; choose another name");
        assert!(text(io::ErrorKind::PermissionDenied).ends_with("this user may not write there"));
    }

    #[test]
    fn what_is_no_file_and_what_may_not_be_read_is_said() {
        let error = fs::read(Path::new(".")).unwrap_err();
        assert_eq!(unreadable(Path::new("."), &error), ". is a folder; name a file in it.");
        let text = unreadable(Path::new("x"), &io::ErrorKind::PermissionDenied.into());
        assert_eq!(text, "x: permission denied; this user may not read it.");
    }
}
