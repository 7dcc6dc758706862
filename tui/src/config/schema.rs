//! All settings and their types, and parsing and printing of values.

use std::{fmt, str::Split, time::Duration};

use spytui_engine::{
    analysis::statistics::Measure,
    io::log::Rotation,
    query::{Vocabulary, parse},
};
use toml::de::DeValue;

use crate::hint::did_you_mean;

pub const COLUMNS: [&str; 13] =
    ["number", "host", "seq", "epoch", "bytes", "severity", "time", "delta", "lane", "group", "kind", "object", "what"];

const LINE: ValueKind = ValueKind::Choice(&["keep", "on", "off"]);

pub(super) const SETTINGS: [(&str, ValueKind); 57] = [
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
    ("ui.look-back", ValueKind::Integer(1, 3_600)),
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
    // Listed so that suggestions for a mistyped family include them.
    ("columns.*", ValueKind::ListOf(&COLUMNS)),
    ("decode.*.*", ValueKind::Scalar),
    ("deadlines.*", ValueKind::Integer(1, 3_600_000_000)),
    ("filters.*", ValueKind::Expr),
    ("target-filters.*", ValueKind::Text),
    ("alias.*", ValueKind::Text),
    ("profile.*.port", ValueKind::Text),
    ("profile.*.tcp", ValueKind::Text),
    ("profile.*.listen", ValueKind::Text),
    ("profile.*.udp", ValueKind::Text),
    ("profile.*.file", ValueKind::Text),
    ("profile.*.baud", ValueKind::Integer(1, 50_000_000)),
    ("profile.*.proto", ValueKind::Text),
    ("profile.*.options", ValueKind::List),
    ("profile.*.filter", ValueKind::Expr),
    ("profile.*.target-filter", ValueKind::Text),
    ("profile.*.columns", ValueKind::ListOf(&COLUMNS)),
    ("profile.*.record", ValueKind::Text),
    ("profile.*.theme", ValueKind::Text),
];

/// Names of the settings without a part that users choose.
pub(super) fn fixed() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|(path, _)| *path).filter(|path| !path.contains('*'))
}

/// The rest of `pattern` after `path`; `None` if it doesn't begin with it.
fn rest_after(pattern: &'static str, path: &[&str]) -> Option<Split<'static, char>> {
    let mut parts = pattern.split('.');
    path.iter().all(|own| parts.next().is_some_and(|part| part == "*" || part == *own)).then_some(parts)
}

/// Type of the setting at `path`; `None` if there is none.
pub(super) fn kind(path: &[&str]) -> Option<ValueKind> {
    let is_whole = |pattern| rest_after(pattern, path).is_some_and(|mut rest| rest.next().is_none());
    let is_measure = |word: &&str| Measure::all().any(|measure| measure.word() == *word);
    let exists = path.first() != Some(&"deadlines") || path.get(1).is_some_and(is_measure);
    SETTINGS.iter().find(|(pattern, _)| exists && is_whole(pattern)).map(|(_, kind)| *kind)
}

/// `true` if `path` is a table of settings.
pub(super) fn is_table(path: &[&str]) -> bool {
    SETTINGS.iter().any(|(pattern, _)| rest_after(pattern, path).is_some_and(|mut rest| rest.next().is_some()))
}

/// The last words that may follow the table `path`.
pub(super) fn words_below(path: &[&str]) -> Vec<&'static str> {
    let next = SETTINGS.iter().filter_map(|(pattern, _)| rest_after(pattern, path)?.next());
    let mut words: Vec<&str> = next.filter(|word| *word != "*").collect();
    words.dedup();
    words
}

/// The setting meant by a word: its full name, or its last part if unique. Settings of the screen take precedence over
/// those of links.
pub fn setting_named(word: &str) -> Option<String> {
    let parts: Vec<&str> = word.split('.').collect();
    if parts.len() > 1 {
        return kind(&parts).map(|_| word.to_owned());
    }
    let of = |table: &str| fixed().find(|path| *path == format!("{table}.{word}"));
    let ends: Vec<&str> = fixed().filter(|path| path.rsplit('.').next() == Some(word)).collect();
    let only = if let [only] = ends.as_slice() { Some(*only) } else { None };
    of("ui").or_else(|| of("link")).or(only).map(str::to_owned)
}

/// Values of a setting; empty if they can't be listed.
pub fn values_of(setting: &str) -> Vec<&'static str> {
    match kind(&setting.split('.').collect::<Vec<_>>()) {
        Some(ValueKind::Bool) => vec!["on", "off"],
        Some(ValueKind::Choice(words)) => words.to_vec(),
        Some(ValueKind::ListOf(words)) => words.to_vec(),
        _ => Vec::new(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Bool,
    /// A whole number between two limits.
    Integer(i64, i64),
    /// `auto`, or a whole number between two limits.
    AutoOr(i64, i64),
    Text,
    Choice(&'static [&'static str]),
    /// Bytes, such as `512 MB`, or a number.
    Size,
    /// Never, after a number of bytes, or after some time.
    Rotation,
    List,
    ListOf(&'static [&'static str]),
    Expr,
    /// String, number or Boolean, stored as a string.
    Scalar,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    Bool(bool),
    Integer(i64),
    Text(String),
    Size(u64),
    List(Vec<String>),
}

const UNITS: [(&str, u64); 11] = [
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
    ("G", 1_000_000_000),
    ("M", 1_000_000),
    ("k", 1_000),
    ("", 1),
];

impl ValueKind {
    pub(super) fn of_toml(self, value: &DeValue<'_>) -> Result<SettingValue, String> {
        match (self, value) {
            (ValueKind::Bool | ValueKind::Scalar, DeValue::Boolean(on)) => self.of_text(&on.to_string()),
            (
                ValueKind::Integer(..) | ValueKind::AutoOr(..) | ValueKind::Size | ValueKind::Scalar,
                DeValue::Integer(number),
            ) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                self.of_text(&parsed.map_err(|_| format!("{} is too large", number.as_str()))?.to_string())
            }
            (ValueKind::Bool | ValueKind::Integer(..), DeValue::String(_)) => Err(self.wish()),
            (ValueKind::List | ValueKind::ListOf(_), DeValue::Array(items)) => {
                let texts = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                self.of_list(texts.collect::<Option<Vec<String>>>().ok_or_else(|| self.wish())?)
            }
            (ValueKind::List | ValueKind::ListOf(_), _) => Err(self.wish()),
            (ValueKind::Scalar, DeValue::Float(number)) => Ok(SettingValue::Text(number.as_str().to_owned())),
            (_, DeValue::String(text)) => self.of_text(text),
            _ => Err(self.wish()),
        }
    }

    /// Parses a value from text: a flag, a variable, `:set`.
    pub(super) fn of_text(self, text: &str) -> Result<SettingValue, String> {
        match self {
            ValueKind::Bool => match text {
                "true" | "on" | "yes" | "1" => Ok(SettingValue::Bool(true)),
                "false" | "off" | "no" | "0" => Ok(SettingValue::Bool(false)),
                _ => Err(self.wish()),
            },
            ValueKind::AutoOr(..) if text == "auto" => Ok(SettingValue::Text("auto".into())),
            ValueKind::Integer(from, to) | ValueKind::AutoOr(from, to) => {
                let number = text.parse().ok().filter(|number| (from..=to).contains(number));
                number.map(SettingValue::Integer).ok_or_else(|| self.wish())
            }
            ValueKind::Text | ValueKind::Scalar => Ok(SettingValue::Text(text.to_owned())),
            ValueKind::Choice(words) => choice(text, words).map(|word| SettingValue::Text(word.to_owned())),
            ValueKind::Size => size(text).map(SettingValue::Size).ok_or_else(|| self.wish()),
            ValueKind::Rotation => {
                rotation(text).map(|_| SettingValue::Text(text.to_owned())).ok_or_else(|| self.wish())
            }
            ValueKind::List | ValueKind::ListOf(_) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                self.of_list(items.map(str::to_owned).collect())
            }
            ValueKind::Expr => match parse(text, &Vocabulary::open()) {
                Ok(_) => Ok(SettingValue::Text(text.to_owned())),
                Err(error) => Err(format!("column {}: {error}", error.column + 1)),
            },
        }
    }

    fn of_list(self, items: Vec<String>) -> Result<SettingValue, String> {
        if let ValueKind::ListOf(words) = self {
            items.iter().try_for_each(|item| choice(item, words).map(drop))?;
        }
        Ok(SettingValue::List(items))
    }

    fn wish(self) -> String {
        match self {
            ValueKind::Bool => "must be true or false".to_owned(),
            ValueKind::Integer(from, to) => format!("must be a number from {from} to {to}"),
            ValueKind::AutoOr(from, to) => format!("must be \"auto\" or a number from {from} to {to}"),
            ValueKind::Text | ValueKind::Expr => "must be a text in quotes".to_owned(),
            ValueKind::Choice(words) => format!("must be one of: {}", words.join(" ")),
            ValueKind::Size => "must be a size, as \"512 MB\"".to_owned(),
            ValueKind::Rotation => {
                "must be a size from \"16 kB\", as \"512 MB\", a time, as \"1 h\", both, as \"64M,1h\", or \"\""
                    .to_owned()
            }
            ValueKind::List | ValueKind::ListOf(_) => "must be a list of texts, as [\"a\", \"b\"]".to_owned(),
            ValueKind::Scalar => "must be a text, a number, true or false".to_owned(),
        }
    }
}

fn choice<'a>(text: &str, words: &[&'a str]) -> Result<&'a str, String> {
    let found = words.iter().find(|word| **word == text).copied();
    found.ok_or_else(|| {
        format!("{text:?} is not one of: {}{}", words.join(" "), did_you_mean(text, words.iter().copied()))
    })
}

/// Bytes, from `512 MB` or `512M`. `None` if invalid.
pub fn size(text: &str) -> Option<u64> {
    in_units(text, &UNITS)
}

fn in_units(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim())?;
    digits.parse::<u64>().ok()?.checked_mul(*factor)
}

const SECONDS: [(&str, u64); 4] = [("s", 1), ("min", 60), ("h", 3_600), ("d", 86_400)];

/// Minimum size of the files of a rotated recording: with a forgotten unit, one-byte files would fill the folder.
const SMALLEST_FILE: u64 = 16_000;

/// When recordings continue in a new file: after `64 MB`, after `1 h`, at the first of both (`64M,1h`), or never if the
/// text is empty. `None` if invalid.
pub fn rotation(text: &str) -> Option<Rotation> {
    let mut rotation = Rotation::default();
    for part in text.split(',').map(str::trim).filter(|_| !text.is_empty()) {
        let is_second = match in_units(part, &SECONDS) {
            Some(seconds) => rotation.time.replace(Duration::from_secs(Some(seconds).filter(|s| *s > 0)?)).is_some(),
            None => rotation.size.replace(size(part).filter(|bytes| *bytes >= SMALLEST_FILE)?).is_some(),
        };
        if is_second {
            return None;
        }
    }
    Some(rotation)
}

impl fmt::Display for SettingValue {
    /// Prints the value as in a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Bool(on) => write!(f, "{on}"),
            SettingValue::Integer(number) => write!(f, "{number}"),
            SettingValue::Text(text) => f.write_str(&quoted(text)),
            SettingValue::Size(bytes) => {
                let unit = UNITS.iter().find(|(_, factor)| *bytes > 0 && bytes % factor == 0);
                let (unit, factor) = unit.unwrap_or(&("B", 1));
                write!(f, "\"{} {unit}\"", bytes / factor)
            }
            SettingValue::List(items) => {
                let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}

/// A TOML basic string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_rotate_by_size_or_time() {
        let both =
            |size, minutes: Option<u64>| Some(Rotation { size, time: minutes.map(|n| Duration::from_secs(60 * n)) });
        let minutes = |n| both(None, Some(n));
        assert_eq!(rotation("64 MB"), both(Some(64_000_000), None));
        assert_eq!(
            (rotation("64M,1h"), rotation("1 h, 64 MB")),
            (both(Some(64_000_000), Some(60)), rotation("64M,1h"))
        );
        assert_eq!((rotation("90min"), rotation("1 h"), rotation("1 d")), (minutes(90), minutes(60), minutes(1_440)));
        assert_eq!(rotation(""), both(None, None));
        assert_eq!(rotation("16 kB"), both(Some(16_000), None));
        let wrong = ["1", "512", "15 kB", "0 MB", "0 s", "h", "daily", "-1 h", "1.5 h", "99999999999999999999 d"];
        for wrong in wrong.into_iter().chain(["1h,2h", "1M,2M", "1h,", ",", "1M,0s", "1M,daily"]) {
            assert_eq!(rotation(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("512 MB", 512_000_000), ("1GiB", 1 << 30), ("0", 0), ("64 kB", 64_000), ("7 B", 7)] {
            assert_eq!(size(text), Some(bytes), "{text}");
            assert_eq!(size(SettingValue::Size(bytes).to_string().trim_matches('"')), Some(bytes));
        }
        for wrong in ["", "MB", "1 TB", "-1", "1.5 MB", "99999999999999999999"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }
}
