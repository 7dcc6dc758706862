//! `spytui config init`: a file in which to change settings.

use std::{fs, io::Write, path::Path};

use spytui_engine::unwritable;

use super::{failure::Failure, output};
use crate::{
    config::{DEFAULTS, Folders},
    sys,
};

/// What the file begins with, in place of what the defaults say of themselves.
const HEAD: &str = "\
# spytui: all settings. Each line that begins with # and a name shows a default; remove the # to change it.
# `spytui --print-config` shows what is in force, and from where.
";

/// Writes the file, unless there is one.
///
/// # Errors
/// There is one, it can't be written (3), or there is no such folder (2).
pub(super) fn init() -> Result<u8, Failure> {
    let folder = Folders::of_process().user;
    let folder = folder.ok_or_else(|| Failure::usage("there is no home folder, and so no configuration folder"))?;
    let path = folder.join("spytui.toml");
    write_new(&path)?;
    output::print(&format!("{}: all settings, with a # before each\n", path.display()))?;
    Ok(0)
}

fn write_new(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() {
        return Err(Failure::input(format!("{} exists already and stays as it is", path.display())));
    }
    let failed = |error| Failure::input(unwritable(path, &error));
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    // One that others may write to would not be obeyed.
    let mut file = sys::open_private(fs::OpenOptions::new().write(true).create_new(true), path).map_err(failed)?;
    file.write_all(template().as_bytes()).map_err(failed)
}

/// The defaults, all settings as comments.
fn template() -> String {
    let settings = DEFAULTS.split_once("\n\n").map_or(DEFAULTS, |(_, settings)| settings);
    let commented = |line: &str| match line.is_empty() || line.starts_with(['#', '[']) {
        true => format!("{line}\n"),
        false => format!("#{line}\n"),
    };
    let lines: String = settings.lines().map(commented).collect();
    format!("{HEAD}\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Origin, Trust};

    #[test]
    fn the_file_changes_nothing_until_a_comment_sign_is_removed() {
        let mut config = Config::built_in();
        config.overlay("spytui.toml", &template(), Trust::Own).expect("a configuration");
        assert_eq!(config, Config::built_in());
        let text = template().replace("#fps = 30", "fps = 10");
        config.overlay("spytui.toml", &text, Trust::Own).expect("a configuration");
        assert_eq!(config.integer("ui.fps"), Some(10));
    }

    #[test]
    fn every_setting_is_in_the_file() {
        let is_setting = |line: &&str| line.starts_with('#') && line[1..].starts_with(|c: char| c.is_ascii_lowercase());
        let text = template();
        let active: String = text
            .lines()
            .map(|line| if is_setting(&line) { &line[1..] } else { line })
            .fold(String::new(), |text, line| text + line + "\n");
        let mut config = Config::built_in();
        config.overlay("all.toml", &active, Trust::Own).expect("a configuration");
        let from_file = |origin: &Origin| matches!(origin, Origin::File(..));
        assert!(config.all().all(|(_, _, origin)| from_file(origin)), "{text}");
        assert!(text.contains("\n#theme = \"auto\"") && text.starts_with("# spytui: all settings."), "{text}");
    }
}
