//! The whole configuration as a file, each value with where it was said.

use super::layers::Config;
use super::value::{Value, quoted};

/// Width at which the comments begin, where the values leave room.
const COMMENTS_AT: usize = 40;

impl Config {
    /// A file that says the same, with the origin of each value as a comment.
    pub fn print(&self) -> String {
        let mut out = String::new();
        let mut table = String::new();
        for (name, value, origin) in self.all() {
            let (own, key) = name.rsplit_once('.').unwrap_or(("", name));
            if own != table {
                out.push_str(if out.is_empty() { "" } else { "\n" });
                out.push_str(&format!("[{}]\n", own.split('.').map(bare).collect::<Vec<_>>().join(".")));
                table = own.to_owned();
            }
            let line = format!("{} = {value}", bare(key));
            out.push_str(&format!("{line:COMMENTS_AT$} # {origin}\n"));
        }
        out
    }

    /// One line about a setting: `ui.fps = 30 (built in)`.
    pub fn line(&self, name: &str) -> Option<String> {
        let (value, origin) = self.get(name)?;
        let value = match value {
            Value::Text(text) => text.clone(),
            other => other.to_string(),
        };
        Some(format!("{name} = {value} ({origin})"))
    }
}

/// A key of TOML, quoted where it has to be.
fn bare(key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain { key.to_owned() } else { quoted(key) }
}
