//! Profiles: link, decoder and theme of a board, used as `spytui @board1`.

use super::layers::Config;
use crate::hint::did_you_mean;

/// A profile; unset entries are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// Serial port.
    pub port: Option<String>,
    /// Server to connect to.
    pub tcp: Option<String>,
    /// Address to listen on.
    pub listen: Option<String>,
    /// Address for datagrams.
    pub udp: Option<String>,
    /// File.
    pub file: Option<String>,
    /// Rate of the port.
    pub baud: Option<u32>,
    /// Decoder.
    pub proto: Option<String>,
    /// Options of the decoder, as `key=value`.
    pub options: Vec<String>,
    /// Display filter.
    pub filter: Option<String>,
    /// Target filter to send at the start.
    pub target_filter: Option<String>,
    /// Path of the recording.
    pub record: Option<String>,
    /// Columns of the list.
    pub columns: Vec<String>,
    /// Theme.
    pub theme: Option<String>,
}

impl Config {
    /// Names of the profiles.
    pub fn profiles(&self) -> Vec<&str> {
        let parts = self.all().filter_map(|(name, ..)| name.strip_prefix("profile.")?.rsplit_once('.'));
        let mut names: Vec<&str> = parts.map(|(profile, _)| profile).collect();
        names.dedup();
        names
    }

    /// The profile called `name`.
    ///
    /// # Errors
    /// There is none; with a suggestion.
    pub fn profile(&self, name: &str) -> Result<Profile, String> {
        let names = self.profiles();
        if !names.contains(&name) {
            let at: Vec<String> = names.iter().map(|name| format!("@{name}")).collect();
            let hint = did_you_mean(&format!("@{name}"), at.iter().map(String::as_str));
            return Err(format!("@{name}: no such profile{hint}"));
        }
        let path = |key: &str| format!("profile.{name}.{key}");
        let text = |key: &str| Some(self.text(&path(key)).to_owned()).filter(|text| !text.is_empty());
        Ok(Profile {
            port: text("port"),
            tcp: text("tcp"),
            listen: text("listen"),
            udp: text("udp"),
            file: text("file"),
            baud: self.integer(&path("baud")).and_then(|baud| u32::try_from(baud).ok()),
            proto: text("proto"),
            options: self.list(&path("options")).to_vec(),
            filter: text("filter"),
            target_filter: text("target-filter"),
            record: text("record"),
            columns: self.list(&path("columns")).to_vec(),
            theme: text("theme"),
        })
    }
}
