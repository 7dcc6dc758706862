//! What the file of a project may not say: it came with a folder that somebody else may have made.

use std::path::{Component, Path};

use super::origin::Origin;
use super::value::Value;

/// Tables whose names one types: a project adds names, but replaces none of the user's own.
const NAMED: [&str; 4] = ["alias", "filters", "profile", "target-filters"];

/// Why a project's file may not set this; `before` is where the setting comes from without it.
pub(super) fn objection(file: &str, path: &[&str], value: &Value, before: Option<&Origin>) -> Option<String> {
    let into_own = |what: &str| Some(format!("a project's file may not {what}; put it into your own spytui.toml"));
    match path {
        ["plugins", "path"] => into_own("name plugins"),
        // Boards are reset by these lines.
        ["link", "dtr" | "rts"] => into_own("switch the lines of a port"),
        ["profile", _, "target-filter"] => into_own("send anything to the target"),
        ["record", "dir"] | ["profile", _, "record"] if leaves(folder(file), value) => {
            into_own("record outside the project's folder")
        }
        [table, name, ..] if NAMED.contains(table) => match before {
            None | Some(Origin::BuiltIn | Origin::Project(..)) => None,
            Some(own) => Some(format!("{name} would replace your own, of {own}; give it another name")),
        },
        _ => None,
    }
}

fn folder(file: &str) -> &Path {
    Path::new(file).parent().unwrap_or(Path::new(""))
}

/// Whether a path leaves a folder, itself or through a link that lies in the folder.
fn leaves(folder: &Path, value: &Value) -> bool {
    let Value::Text(text) = value else { return false };
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
