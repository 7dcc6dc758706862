//! All settings and their types.

use super::value::ValueKind;

/// Columns of the record list.
pub const COLUMNS: [&str; 13] =
    ["number", "host", "seq", "epoch", "bytes", "severity", "time", "delta", "lane", "group", "kind", "object", "what"];

const LINE: ValueKind = ValueKind::Choice(&["keep", "on", "off"]);

/// Settings with a fixed name.
pub(super) const SETTINGS: [(&str, ValueKind); 42] = [
    ("ui.theme", ValueKind::Text),
    ("ui.glyphs", ValueKind::Choice(&["auto", "unicode", "cp437", "ascii"])),
    ("ui.mouse", ValueKind::Bool),
    ("ui.layout", ValueKind::Choice(&["auto", "stacked", "side"])),
    ("ui.budget", ValueKind::AutoOr(1_000, 100_000_000)),
    ("ui.fps", ValueKind::Integer(1, 60)),
    ("ui.time", ValueKind::Choice(&["target", "ticks", "seconds", "date", "delta", "mark", "host"])),
    ("ui.fold", ValueKind::Bool),
    ("ui.details", ValueKind::Bool),
    ("ui.heading", ValueKind::Bool),
    ("ui.beside", ValueKind::Bool),
    ("ui.strip", ValueKind::Bool),
    ("ui.hints", ValueKind::Bool),
    ("ui.esc-wait", ValueKind::Integer(0, 1_000)),
    ("ui.short-names", ValueKind::Bool),
    ("ui.lifelines", ValueKind::Text),
    ("link.baud", ValueKind::Integer(1, 50_000_000)),
    ("link.dtr", LINE),
    ("link.rts", LINE),
    ("link.exclusive", ValueKind::Bool),
    ("link.reconnect", ValueKind::Bool),
    ("link.once", ValueKind::Bool),
    ("link.peers", ValueKind::Integer(1, 1_000)),
    ("link.wait", ValueKind::Integer(0, 86_400)),
    ("record.dir", ValueKind::Text),
    ("record.auto", ValueKind::Bool),
    ("record.rotate", ValueKind::Rotation),
    ("record.memory", ValueKind::Size),
    ("record.spool", ValueKind::Size),
    ("store.memory", ValueKind::Size),
    ("decode.proto", ValueKind::Text),
    ("plugins.path", ValueKind::List),
    ("plugins.order", ValueKind::List),
    ("plugins.disabled", ValueKind::List),
    ("copy.osc52", ValueKind::Bool),
    ("copy.tmux", ValueKind::Bool),
    ("copy.file", ValueKind::Bool),
    // Named here so that a slip in a family's name finds them.
    ("columns.*", ValueKind::ListOf(&COLUMNS)),
    ("decode.*.*", ValueKind::Scalar),
    ("filters.*", ValueKind::Expr),
    ("target-filters.*", ValueKind::Text),
    ("alias.*", ValueKind::Text),
];

/// Keys of a profile.
pub(super) const PROFILE: [(&str, ValueKind); 13] = [
    ("port", ValueKind::Text),
    ("tcp", ValueKind::Text),
    ("listen", ValueKind::Text),
    ("udp", ValueKind::Text),
    ("file", ValueKind::Text),
    ("baud", ValueKind::Integer(1, 50_000_000)),
    ("proto", ValueKind::Text),
    ("options", ValueKind::List),
    ("filter", ValueKind::Expr),
    ("target-filter", ValueKind::Text),
    ("columns", ValueKind::ListOf(&COLUMNS)),
    ("record", ValueKind::Text),
    ("theme", ValueKind::Text),
];

/// Type of the setting at `path`; `None` if there is no such setting.
pub(super) fn kind(path: &[&str]) -> Option<ValueKind> {
    if let ["profile", _, key] = path {
        return PROFILE.iter().find(|(name, _)| name == key).map(|(_, kind)| *kind);
    }
    let fits = |pattern: &str| {
        let mut parts = path.iter();
        pattern.split('.').all(|part| parts.next().is_some_and(|own| part == "*" || part == *own)) && parts.len() == 0
    };
    SETTINGS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, kind)| *kind)
}

/// `true` if `path` is a table of settings.
pub(super) fn is_table(path: &[&str]) -> bool {
    match path {
        ["profile"] | ["profile", _] | ["decode", _] => true,
        path => SETTINGS.iter().any(|(pattern, _)| {
            let parts: Vec<&str> = pattern.split('.').collect();
            parts.len() > path.len() && parts.starts_with(path)
        }),
    }
}

/// The last words that may follow the table `path`.
pub(super) fn words_below(path: &[&str]) -> Vec<&'static str> {
    if let ["profile", _] = path {
        return PROFILE.iter().map(|(name, _)| *name).collect();
    }
    let mut words: Vec<&str> = SETTINGS
        .iter()
        .filter_map(|(pattern, _)| {
            let mut parts = pattern.split('.');
            let below = path.iter().all(|own| parts.next() == Some(own));
            parts.next().filter(|word| below && *word != "*")
        })
        .collect();
    if path.is_empty() {
        words.push("profile");
    }
    words.dedup();
    words
}

/// The setting that a word means: its full name, or the last part of one if only one ends in it. Settings of the screen
/// come first, then those of links.
pub fn setting_named(word: &str) -> Option<String> {
    let parts: Vec<&str> = word.split('.').collect();
    if parts.len() > 1 {
        return kind(&parts).map(|_| word.to_owned());
    }
    let fixed = || SETTINGS.iter().map(|(path, _)| *path).filter(|path| !path.contains('*'));
    let of = |table: &str| fixed().find(|path| *path == format!("{table}.{word}"));
    let ends: Vec<&str> = fixed().filter(|path| path.rsplit('.').next() == Some(word)).collect();
    let only = if let [only] = ends.as_slice() { Some(*only) } else { None };
    of("ui").or_else(|| of("link")).or(only).map(str::to_owned)
}

/// Values that a setting may have; empty if they can't be listed.
pub fn values_of(setting: &str) -> Vec<&'static str> {
    match kind(&setting.split('.').collect::<Vec<_>>()) {
        Some(ValueKind::Bool) => vec!["on", "off"],
        Some(ValueKind::Choice(words)) => words.to_vec(),
        Some(ValueKind::ListOf(words)) => words.to_vec(),
        _ => Vec::new(),
    }
}
