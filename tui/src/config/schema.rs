//! Which settings there are, and what each may be.

use super::value::Kind;

/// Columns of the record list.
pub const COLUMNS: [&str; 13] =
    ["number", "host", "seq", "epoch", "bytes", "severity", "time", "delta", "lane", "group", "kind", "object", "what"];

const LINE: Kind = Kind::Choice(&["keep", "on", "off"]);

/// Settings with a fixed name.
pub(super) const SETTINGS: [(&str, Kind); 33] = [
    ("ui.theme", Kind::Text),
    ("ui.glyphs", Kind::Choice(&["auto", "unicode", "cp437", "ascii"])),
    ("ui.mouse", Kind::Bool),
    ("ui.layout", Kind::Choice(&["auto", "stacked", "side"])),
    ("ui.budget", Kind::AutoOr(1_000, 100_000_000)),
    ("ui.fps", Kind::Integer(1, 60)),
    ("ui.time", Kind::Choice(&["target", "mark", "host"])),
    ("ui.fold", Kind::Bool),
    ("ui.details", Kind::Bool),
    ("ui.hints", Kind::Bool),
    ("ui.esc-wait", Kind::Integer(0, 1_000)),
    ("ui.short-names", Kind::Bool),
    ("link.baud", Kind::Integer(1, 50_000_000)),
    ("link.dtr", LINE),
    ("link.rts", LINE),
    ("link.exclusive", Kind::Bool),
    ("link.reconnect", Kind::Bool),
    ("link.once", Kind::Bool),
    ("record.dir", Kind::Text),
    ("record.auto", Kind::Bool),
    ("record.memory", Kind::Size),
    ("store.memory", Kind::Size),
    ("decode.proto", Kind::Text),
    ("plugins.path", Kind::List),
    ("plugins.order", Kind::List),
    ("plugins.disabled", Kind::List),
    ("copy.osc52", Kind::Bool),
    ("copy.tmux", Kind::Bool),
    ("copy.file", Kind::Bool),
    // Named here so that a slip in a family's name finds them.
    ("columns.*", Kind::ListOf(&COLUMNS)),
    ("decode.*.*", Kind::Scalar),
    ("filters.*", Kind::Expr),
    ("alias.*", Kind::Text),
];

/// Keys of a profile.
pub(super) const PROFILE: [(&str, Kind); 12] = [
    ("port", Kind::Text),
    ("tcp", Kind::Text),
    ("listen", Kind::Text),
    ("udp", Kind::Text),
    ("file", Kind::Text),
    ("baud", Kind::Integer(1, 50_000_000)),
    ("proto", Kind::Text),
    ("options", Kind::List),
    ("filter", Kind::Expr),
    ("columns", Kind::ListOf(&COLUMNS)),
    ("record", Kind::Text),
    ("theme", Kind::Text),
];

/// What the setting at `path` may be; `None` if there is no such setting.
pub(super) fn kind(path: &[&str]) -> Option<Kind> {
    if let ["profile", _, key] = path {
        return PROFILE.iter().find(|(name, _)| name == key).map(|(_, kind)| *kind);
    }
    let fits = |pattern: &str| {
        let mut parts = path.iter();
        pattern.split('.').all(|part| parts.next().is_some_and(|own| part == "*" || part == *own)) && parts.len() == 0
    };
    SETTINGS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, kind)| *kind)
}

/// Whether settings lie below `path`.
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
