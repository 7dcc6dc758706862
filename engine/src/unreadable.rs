//! Why a file that the user named can't be read, in words, with a next step.

use std::{fs, io, path::Path};

use crate::nearest::nearest;

/// `brew_lat.bin: no such file. Nearest here: brew_late.bin.`
#[must_use]
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => format!("no such file{}", instead(path)),
        io::ErrorKind::PermissionDenied => "permission denied; this user may not read it.".to_owned(),
        io::ErrorKind::IsADirectory => return is_a_folder(path),
        _ => format!("{error}."),
    };
    format!("{}: {why}", path.display())
}

/// The same for a folder where a file must be.
#[must_use]
pub fn is_a_folder(path: &Path) -> String {
    format!("{} is a folder; name a file in it.", path.display())
}

/// The nearest name in the same folder, else where it was looked for.
fn instead(path: &Path) -> String {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else {
        return format!("; folder {} can't be looked into.", folder.display());
    };
    let names: Vec<String> = entries
        .flatten()
        .filter(|entry| !entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let wanted = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match (nearest(wanted, names.iter().map(String::as_str)), folder.canonicalize()) {
        (Some(near), _) => format!(". Nearest here: {near}."),
        (None, Ok(folder)) if path.is_relative() => format!(". Looked for in {}.", folder.display()),
        (None, _) => ".".to_owned(),
    }
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
        assert_eq!(
            here,
            format!("qwertz: no such file. Looked for in {}.", std::env::current_dir().unwrap().display())
        );
    }

    #[test]
    fn what_is_no_file_and_what_may_not_be_read_is_said() {
        let error = fs::read(Path::new(".")).unwrap_err();
        assert_eq!(unreadable(Path::new("."), &error), ". is a folder; name a file in it.");
        let text = unreadable(Path::new("x"), &io::ErrorKind::PermissionDenied.into());
        assert_eq!(text, "x: permission denied; this user may not read it.");
    }
}
