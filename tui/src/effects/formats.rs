//! Format files, looked at for wrong lines.

use std::path::PathBuf;

use spytui_engine::{
    io::format_files::{FormatFiles, FormatPaths},
    open::Registry,
};

use crate::app_log::{self, Level};

/// Reads a file or folder; an error says its first wrong line, the log has them all. Lines are for these decoders.
pub(super) fn check(path: PathBuf, registry: &Registry) -> Result<String, String> {
    let mut files = FormatFiles::new(FormatPaths { named: vec![path], ..FormatPaths::default() });
    if let Some(why) = files.unreadable() {
        return Err(why);
    }
    let mut set = files.read();
    set.refuse_unknown(&registry.protocols());
    for fault in set.faults.iter().skip(1) {
        app_log::note(Level::Warning, "formats", fault);
    }
    match set.faults.first() {
        Some(fault) => Err(fault.clone()),
        None => Ok(set.files.iter().map(ToString::to_string).collect::<Vec<_>>().join(" · ")),
    }
}
