//! Profiles: link, decoder and theme of a board, used as `spytui @board1`.

use super::layers::Config;
use crate::hint::did_you_mean;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile<'a> {
    config: &'a Config,
    name: &'a str,
}

impl Profile<'_> {
    fn path(&self, key: &str) -> String {
        format!("profile.{}.{key}", self.name)
    }

    pub fn text(&self, key: &str) -> Option<String> {
        Some(self.config.text(&self.path(key)).to_owned()).filter(|text| !text.is_empty())
    }

    /// A list; empty if it is not set.
    pub fn list(&self, key: &str) -> &[String] {
        self.config.list(&self.path(key))
    }

    /// Rate of the port.
    pub fn baud(&self) -> Option<u32> {
        self.config.integer(&self.path("baud")).and_then(|baud| u32::try_from(baud).ok())
    }
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
    pub fn profile<'a>(&'a self, name: &'a str) -> Result<Profile<'a>, String> {
        let names = self.profiles();
        if !names.contains(&name) {
            let at: Vec<String> = names.iter().map(|name| format!("@{name}")).collect();
            let hint = did_you_mean(&format!("@{name}"), at.iter().map(String::as_str));
            return Err(format!("@{name}: no such profile{hint}"));
        }
        Ok(Profile { config: self, name })
    }
}
