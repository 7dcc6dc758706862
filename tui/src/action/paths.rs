//! Paths that begin as typed.

use std::fs;
use std::path::Path;

use super::names::Choice;

/// A folder with more entries is offered in part.
const MOST: usize = 500;

/// Files and folders that begin with `typed`, folders with their slash; hidden ones only when asked for.
pub(super) fn paths(typed: &str) -> Vec<Choice> {
    let (folder, begin) =
        typed.rsplit_once('/').map_or(("", typed), |(folder, begin)| (&typed[..=folder.len()], begin));
    let place = if folder.is_empty() { Path::new(".") } else { Path::new(folder) };
    let Ok(entries) = fs::read_dir(place) else { return Vec::new() };
    let mut found: Vec<Choice> = entries
        .take(MOST)
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let wanted = name.starts_with(begin) && (begin.starts_with('.') || !name.starts_with('.'));
            let slash = if entry.path().is_dir() { "/" } else { "" };
            (wanted && !name.chars().any(char::is_control))
                .then(|| Choice::new(quoted(&format!("{folder}{name}{slash}")), ""))
        })
        .collect();
    found.sort_by(|a, b| a.text.cmp(&b.text));
    found
}

fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}
