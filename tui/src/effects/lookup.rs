//! Lookups for completions: paths and serial ports.

use std::{fs, path::PathBuf};

use spytui_engine::io::link;

use crate::{
    input::{Choice, Lookup, escaped, unescaped},
    model::{Message, prompt::LookedUp},
};

/// Entries of a folder that are looked at.
const MOST: usize = 500;

/// Looks up files, and serial ports if they are wanted.
pub(super) fn look_up(query: Lookup) -> Message {
    let ports = if query.ports { link::ports() } else { Vec::new() };
    let choice = |port: link::Port| Choice::new(port.path.display().to_string(), port.description);
    Message::LookedUp(LookedUp { paths: paths(&query.path), ports: ports.into_iter().map(choice).collect(), query })
}

/// Files and folders that begin with `typed`, folders with their slash; hidden ones only for a name with a dot.
fn paths(typed: &str) -> Vec<Choice> {
    let (folder, begin) =
        typed.rsplit_once('/').map_or(("", typed), |(folder, begin)| (&typed[..=folder.len()], begin));
    let place = if folder.is_empty() { PathBuf::from(".") } else { PathBuf::from(unescaped(folder)) };
    let Ok(entries) = fs::read_dir(place) else { return Vec::new() };
    let mut found: Vec<Choice> = entries
        .take(MOST)
        .flatten()
        .filter_map(|entry| {
            let name = escaped(&entry.file_name());
            let wanted = name.starts_with(begin) && (begin.starts_with('.') || !name.starts_with('.'));
            let slash = if entry.path().is_dir() { "/" } else { "" };
            wanted.then(|| Choice::new(quoted(&format!("{folder}{name}{slash}")), ""))
        })
        .collect();
    found.sort_by(|a, b| a.text.cmp(&b.text));
    found
}

fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}
