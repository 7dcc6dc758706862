//! Severity words and their ranks.

/// Severity words, lowest first, with the rank of a row.
pub const SEVERITIES: [(&str, u8); 5] = [("debug", 0), ("info", 1), ("warning", 2), ("error", 3), ("fatal", 4)];

/// The rank of a severity word; prefixes are accepted (`warn`, `err`).
pub fn severity_named(word: &str) -> Option<u8> {
    let word = word.to_lowercase();
    SEVERITIES.iter().find(|(name, _)| !word.is_empty() && name.starts_with(&word)).map(|(_, rank)| *rank)
}
