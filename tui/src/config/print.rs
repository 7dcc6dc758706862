//! The whole configuration as a file, each value with its origin.

use super::layers::Config;
use super::value::quoted;

/// Column of the comments, if the values are shorter.
const COMMENTS_AT: usize = 40;

impl Config {
    /// The configuration as TOML, with the origin of each value as a comment.
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
}

/// A TOML key, quoted if necessary.
fn bare(key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain { key.to_owned() } else { quoted(key) }
}
