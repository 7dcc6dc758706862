//! The words of commands, as declared by a decoder and written by a user: names, numbers, and errors with their column.

use std::collections::BTreeSet;

use spytui_plugin_api::{
    FilterState, Info,
    info::{CommandInfo, FilterRange, FilterTable},
};

use crate::io::text::{ByteOrder, hex_bytes};

/// Maximum number of switches of a table for writing it by groups.
const MOST: u64 = 4096;

/// The words of a command that set its tables to these states; `None` if no word is needed. Switches without a state
/// may become anything.
pub fn spec(info: &Info, command: &CommandInfo, states: &[FilterState]) -> Option<String> {
    let mut words = Vec::new();
    for table in info.filters.iter().filter(|table| table.command == command.id) {
        let own: Vec<&FilterState> = states.iter().filter(|state| state.table == table.id).collect();
        if own.is_empty() {
            continue;
        }
        let is_small = own.iter().map(|state| (state.last - state.first).saturating_add(1)).sum::<u64>() <= MOST;
        if words.is_empty() && is_small && !table.groups.is_empty() {
            words = whole(table, &own);
        } else {
            // Only the first word of a filter can switch all others off.
            let off = own.iter().filter(|state| !state.is_on);
            words.extend(off.map(|state| format!("-{}", range_word(table, (state.first, state.last)))));
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// The word for consecutive switches of a table, without a sign.
pub fn range_word(table: &FilterTable, (first, last): (u64, u64)) -> String {
    let range = if first == last { first.to_string() } else { format!("{first}..{last}") };
    table_word(table, &range)
}

/// A word of a table, prefixed with the table's name if it has one.
pub fn table_word(table: &FilterTable, word: &str) -> String {
    if table.word.is_empty() { word.to_owned() } else { format!("{}:{word}", table.word) }
}

/// The whole table: what is on, or everything except what is off, whichever is shorter.
fn whole(table: &FilterTable, states: &[&FilterState]) -> Vec<String> {
    let those = |on: bool| {
        let those = states.iter().filter(move |state| state.is_on == on);
        those.flat_map(|state| state.first..=state.last).collect::<BTreeSet<u64>>()
    };
    let (on, off) = (those(true), those(false));
    let first = |mut words: Vec<String>, sign: &str, rest: &str| {
        for (at, word) in words.iter_mut().enumerate() {
            word.insert_str(0, if at == 0 { sign } else { rest });
        }
        words
    };
    let only = first(cover(table, &on, &off), "=", "+");
    let all = table.groups.iter().find(|group| on.union(&off).all(|switch| is_in(&group.ranges, *switch)));
    let but = all.map(|all| {
        let mut words = vec![format!("={}", table_word(table, &all.name))];
        words.extend(first(cover(table, &off, &on), "-", "-"));
        words
    });
    let len = |words: &Vec<String>| words.iter().map(|word| word.len() + 1).sum::<usize>();
    but.filter(|but| only.is_empty() || len(but) < len(&only)).unwrap_or(only)
}

/// Groups and ranges that contain all wanted switches and no unwanted ones.
fn cover(table: &FilterTable, wanted: &BTreeSet<u64>, unwanted: &BTreeSet<u64>) -> Vec<String> {
    let mut left = wanted.clone();
    let mut words = Vec::new();
    let mut groups: Vec<_> = table.groups.iter().collect();
    groups
        .sort_by_key(|group| std::cmp::Reverse(wanted.iter().filter(|switch| is_in(&group.ranges, **switch)).count()));
    for group in groups {
        let has_new = left.iter().any(|switch| is_in(&group.ranges, *switch));
        if has_new && !unwanted.iter().any(|switch| is_in(&group.ranges, *switch)) {
            left.retain(|switch| !is_in(&group.ranges, *switch));
            words.push(table_word(table, &group.name));
        }
    }
    words.extend(runs(&left).into_iter().map(|run| range_word(table, run)));
    words
}

pub fn is_in(ranges: &[FilterRange], switch: u64) -> bool {
    ranges.iter().any(|range| (range.first..=range.last).contains(&switch))
}

fn runs(numbers: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let numbers: Vec<u64> = numbers.iter().copied().collect();
    numbers.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run[run.len() - 1])).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpecWord {
    /// Number of characters before it.
    pub(super) column: usize,
    pub(super) text: String,
    /// The word began with a quote.
    pub(super) is_quoted: bool,
}

/// Splits a line at blanks; quotes keep blanks together and may begin within a word (`obj:"Tmr Svc"`).
///
/// # Errors
/// The column of an unclosed quote.
pub(super) fn words(line: &str) -> Result<Vec<SpecWord>, usize> {
    let mut words = Vec::new();
    let mut word: Option<SpecWord> = None;
    let mut quote = None;
    for (column, c) in line.chars().enumerate() {
        if c.is_whitespace() && quote.is_none() {
            words.extend(word.take());
            continue;
        }
        let is_quote = c == '"';
        let word = word.get_or_insert_with(|| SpecWord { column, text: String::new(), is_quoted: is_quote });
        if is_quote {
            quote = if quote.is_some() { None } else { Some(column) };
        } else {
            word.text.push(c);
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), Err)
}

/// A number, decimal or with 0x.
pub fn number(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |hex| (hex, 16));
    // `from_str_radix` accepts a sign.
    u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'))
}

pub(super) const BYTES: &str =
    "bytes are 0 to 255, u16:500 (u8 u16 u32 u64 i8 i16 i32 i64 f32 f64), hex:00ff, \"text\"";

/// The bytes of a word, little-endian.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let Some((kind, value)) = text.split_once(':') else {
        return number(text).and_then(|n| u8::try_from(n).ok()).map(|byte| vec![byte]);
    };
    let unsigned = |size: usize| {
        let n = number(value)?;
        (size == 8 || n >> (8 * size) == 0).then(|| n.to_le_bytes()[..size].to_vec())
    };
    let signed = |size: usize| {
        let n = match value.strip_prefix('-') {
            Some(value) => 0_i64.checked_sub_unsigned(number(value)?)?,
            None => i64::try_from(number(value)?).ok()?,
        };
        let half = 1_i128 << (8 * size - 1);
        (-half..half).contains(&n.into()).then(|| n.to_le_bytes()[..size].to_vec())
    };
    match kind {
        "u8" => unsigned(1),
        "u16" => unsigned(2),
        "u32" => unsigned(4),
        "u64" => unsigned(8),
        "i8" => signed(1),
        "i16" => signed(2),
        "i32" => signed(4),
        "i64" => signed(8),
        "f32" => value.parse::<f32>().ok().map(|n| n.to_le_bytes().to_vec()),
        "f64" => value.parse::<f64>().ok().map(|n| n.to_le_bytes().to_vec()),
        "hex" => hex_bytes(value, ByteOrder::Written),
        _ => None,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// In characters, from 0.
    pub column: usize,
    pub message: String,
    /// A name is not in the dictionary, but the target may still report it.
    pub is_unknown_name: bool,
}

impl CommandError {
    pub fn new(column: usize, message: impl Into<String>) -> CommandError {
        CommandError { column, message: one_line(&message.into()), is_unknown_name: false }
    }
}

fn one_line(text: &str) -> String {
    let spelt = |c: char| if c.is_control() { c.escape_default().collect() } else { String::from(c) };
    text.chars().map(spelt).collect()
}

/// `; nearest: WORD`, if one of the words is similar.
pub(super) fn hint<'a>(given: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    spytui_plugin_api::nearest::nearest(given, words).map(|word| format!("; nearest: {word}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spytui_plugin_api::{
        FilterOpKind, NONE,
        info::{ArgForms, ArgInfo, FilterGroup},
    };

    use super::*;
    use crate::{device::command::parse, store::Dictionary};

    fn info() -> Info {
        let groups = [
            FilterGroup::new("SM", "", &[(1, 9), (55, 57)]),
            FilterGroup::new("AO", "", &[(10, 18)]),
            FilterGroup::new("ALL", "", &[(0, 63)]),
        ];
        let table =
            |id, word: &str| FilterTable { id, word: word.into(), max: 63, space: NONE, ..FilterTable::default() };
        Info {
            commands: [CommandInfo::new(0, "filter", "").with([ArgInfo::new("SPEC", ArgForms::FILTER)])]
                .into_iter()
                .collect(),
            filters: [FilterTable { groups: groups.into_iter().collect(), ..table(0, "") }, table(1, "obj")]
                .into_iter()
                .collect(),
            ..Info::default()
        }
    }

    fn states(table: u16, on: u64) -> Vec<FilterState> {
        let each =
            (0..64).map(|bit| FilterState { table, is_on: on >> bit & 1 == 1, is_known: true, first: bit, last: bit });
        each.collect()
    }

    fn written(states: &[FilterState]) -> Option<String> {
        let info = info();
        spec(&info, &info.commands[0], states)
    }

    #[test]
    fn whole_groups_are_named_and_the_shorter_form_is_taken() {
        let sm = (1..=9).chain(55..=57).fold(0, |mask, bit| mask | 1_u64 << bit);
        assert_eq!(written(&states(0, sm)).unwrap(), "=SM");
        assert_eq!(written(&states(0, !sm)).unwrap(), "=ALL -SM");
        assert_eq!(written(&states(0, sm | 7 << 20)).unwrap(), "=SM +20..22");
        assert_eq!(written(&states(0, u64::MAX)).unwrap(), "=ALL");
        assert_eq!(written(&states(0, 0)).unwrap(), "=ALL -ALL");
        assert_eq!(written(&[]), None);
        let object = FilterState { table: 1, is_known: true, first: 3, last: 3, ..FilterState::default() };
        assert_eq!(written(&[object]).unwrap(), "-obj:3");
    }

    proptest! {
        #[test]
        fn the_words_make_the_same_states(mask: u64, objects: u64) {
            let info = info();
            let all = [states(0, mask), states(1, objects)].concat();
            let line = format!("filter {}", written(&all).unwrap());
            let parsed = parse(&line, &info, &Dictionary::default()).unwrap();
            let mut made = [0_u64, u64::MAX];
            for op in &parsed.filter {
                let table = usize::from(op.table);
                let ranges: Vec<(u64, u64)> = match info.filters[table].groups.get(usize::from(op.group)) {
                    Some(group) => group.ranges.iter().map(|range| (range.first, range.last)).collect(),
                    None => vec![(op.first, op.last)],
                };
                for bit in ranges.into_iter().flat_map(|(first, last)| first..=last) {
                    match op.kind {
                        FilterOpKind::ON => made[table] |= 1 << bit,
                        FilterOpKind::OFF => made[table] &= !(1 << bit),
                        _ => {}
                    }
                }
                if op.kind == FilterOpKind::CLEAR {
                    made[table] = 0;
                }
            }
            prop_assert_eq!(made, [mask, objects], "{}", line);
        }
    }

    #[test]
    fn quotes_keep_blanks() {
        let found = words("  event obj:\"Tmr Svc\" \"a b\"").unwrap();
        let found: Vec<_> = found.iter().map(|word| (word.column, word.text.as_str(), word.is_quoted)).collect();
        assert_eq!(found, [(2, "event", false), (8, "obj:Tmr Svc", false), (22, "a b", true)]);
        assert_eq!(words("a \"b"), Err(2));
        assert_eq!(words(""), Ok(Vec::new()));
    }

    #[test]
    fn numbers_have_no_sign_and_must_fit() {
        assert_eq!(number("0xff"), Some(255));
        for wrong in ["", "+1", "-1", "1x", "0x", "0x+1", "18446744073709551616"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn bytes_are_little_endian() {
        assert_eq!(bytes("7"), Some(vec![7]));
        assert_eq!(bytes("u16:0x1234"), Some(vec![0x34, 0x12]));
        assert_eq!(bytes("i16:-2"), Some(vec![0xFE, 0xFF]));
        assert_eq!(bytes("i64:-9223372036854775808"), Some(vec![0, 0, 0, 0, 0, 0, 0, 0x80]));
        assert_eq!(bytes("f32:1"), Some(vec![0, 0, 0x80, 0x3F]));
        assert_eq!(bytes("hex:00aB"), Some(vec![0, 0xAB]));
        for wrong in ["256", "u8:256", "i8:128", "i8:-129", "hex:0", "hex:xy", "f32:x", "q:1", ""] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
