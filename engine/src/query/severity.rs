//! The words of `sev:` and their ranks.

/// Severity words, weakest first, with the rank a row carries.
pub const SEVERITIES: [(&str, u8); 5] = [("debug", 0), ("info", 1), ("warning", 2), ("error", 3), ("fatal", 4)];

/// The rank of a severity word; a beginning of the word is enough (`warn`, `err`).
pub fn severity_named(word: &str) -> Option<u8> {
    let word = word.to_lowercase();
    SEVERITIES.iter().find(|(name, _)| !word.is_empty() && name.starts_with(&word)).map(|(_, rank)| *rank)
}
