//! Words to changes of the target's filter: `+SM -U0 =14 10..18 -obj:door`.

use spytui_plugin_api::{
    FilterOp, FilterOpKind, Info, NONE, RowKind,
    info::{CommandInfo, FilterTable, KindInfo},
};

use super::{
    error::{CommandError, hint},
    names::{keys, names},
    number::number,
    words::Word,
};
use crate::{present::words::wire_id, store::Dictionary};

/// Reads the changes of a command's filter tables.
pub(super) fn changes(
    command: &CommandInfo,
    words: &[Word],
    end: usize,
    (info, dictionary): (&Info, &Dictionary),
) -> Result<Vec<FilterOp>, CommandError> {
    let tables: Vec<&FilterTable> = info.filters.iter().filter(|table| table.command == command.id).collect();
    let mut ops = Vec::new();
    let is_set = words.first().is_some_and(|word| word.text.starts_with('='));
    for word in words {
        let reader = Reader { tables: &tables, word, info, dictionary, is_set };
        reader.item(&mut ops)?;
    }
    if ops.is_empty() {
        return Err(CommandError::new(end, "give what to change: +WORD on, -WORD off, =WORD this alone"));
    }
    Ok(ops)
}

struct Reader<'a> {
    tables: &'a [&'a FilterTable],
    word: &'a Word,
    info: &'a Info,
    dictionary: &'a Dictionary,
    /// The first word sets what alone is on; plain words after it are on as well.
    is_set: bool,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> CommandError {
        CommandError::new(self.word.column, message)
    }

    fn item(&self, ops: &mut Vec<FilterOp>) -> Result<(), CommandError> {
        let text = self.word.text.as_str();
        let (sign, word) = match text.chars().next() {
            Some(sign @ ('+' | '-' | '=')) => (sign, &text[1..]),
            _ if ops.is_empty() || self.is_set => ('+', text),
            _ => return Err(self.error(format!("\"{text}\": begin it with + (on) or - (off)"))),
        };
        if sign == '=' && !ops.is_empty() {
            return Err(self.error("= is for the first word: all others off, then this one on"));
        }
        let Some((table, name)) = self.table(word) else {
            return Err(self.error("this command has no filter"));
        };
        let kind = if sign == '-' { FilterOpKind::OFF } else { FilterOpKind::ON };
        let found = self.switches(table, name)?;
        if sign == '=' {
            ops.push(FilterOp { kind: FilterOpKind::CLEAR, table: table.id, group: NONE, first: 0, last: 0 });
        }
        ops.extend(found.into_iter().map(|op| FilterOp { kind, ..op }));
        Ok(())
    }

    /// The table and what is behind its word; plain words mean the first one.
    fn table<'w>(&self, word: &'w str) -> Option<(&FilterTable, &'w str)> {
        if let Some((of, name)) = word.split_once(':')
            && let Some(table) = self.tables.iter().find(|table| table.word == of)
        {
            return Some((table, name));
        }
        self.tables.first().map(|table| (*table, word))
    }

    /// What a word means in a table: a group, a range, a number, a kind or a name.
    fn switches(&self, table: &FilterTable, name: &str) -> Result<Vec<FilterOp>, CommandError> {
        if table.min > table.max {
            return self.in_group(table, name);
        }
        let op = FilterOp { table: table.id, group: NONE, ..FilterOp::default() };
        if let Some(group) = table.groups.iter().position(|group| group.name == name) {
            return Ok(vec![FilterOp { group: group as u16, ..op }]);
        }
        if let Some((first, last)) = range(name) {
            if first > last || first < table.min || last > table.max {
                return Err(self.error(format!("{name}: numbers go from {} to {}", table.min, table.max)));
            }
            return Ok(vec![FilterOp { first, last, ..op }]);
        }
        let mut found: Vec<u64> = keys(self.dictionary, table.space, name).iter().map(|key| key.key).collect();
        if table.is_kinds {
            let id = |key: u64| u16::try_from(key).map_or(key, |kind| wire_id(self.info, RowKind(kind)).into());
            found = found.into_iter().map(id).collect();
            found.extend(kinds(self.info, name));
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return Err(self.unknown(table, name));
        }
        Ok(found.into_iter().map(|key| FilterOp { first: key, last: key, ..op }).collect())
    }

    /// `GROUP:N` or `GROUP:N..N`: these switches of each range of the group.
    fn in_group(&self, table: &FilterTable, name: &str) -> Result<Vec<FilterOp>, CommandError> {
        let (word, numbers) = name.split_once(':').unwrap_or((name, ""));
        let Some(group) = table.groups.iter().find(|group| group.name == word) else {
            return Err(self.unknown(table, word));
        };
        let most = group.ranges.iter().map(|range| range.last.saturating_sub(range.first)).min().unwrap_or(0);
        let Some((first, last)) = range(numbers).filter(|(first, last)| first <= last && *last <= most) else {
            return Err(self.error(format!("{word}:N has numbers from 0 to {most}")));
        };
        let op = FilterOp { table: table.id, group: NONE, ..FilterOp::default() };
        let each = group.ranges.iter();
        Ok(each.map(|range| FilterOp { first: range.first + first, last: range.first + last, ..op }).collect())
    }

    /// What a word means that belongs to another table, or has a word before a colon that no table has.
    fn elsewhere(&self, table: &FilterTable, name: &str, known: &[String]) -> Option<String> {
        let others = self.tables.iter().filter(|other| other.id != table.id && other.space != NONE);
        let mut named = others.filter(|other| !keys(self.dictionary, other.space, name).is_empty());
        if let Some(other) = named.next() {
            return Some(format!("{}:{name}", other.word));
        }
        let (_, behind) = name.split_once(':')?;
        known.iter().any(|word| word == behind).then(|| behind.to_owned())
    }

    fn unknown(&self, table: &FilterTable, name: &str) -> CommandError {
        let groups = table.groups.iter().map(|group| group.name.to_string());
        let kinds = self.info.kinds.iter().filter(|_| table.is_kinds).map(|kind| kind.tag().to_owned());
        let known: Vec<String> = groups.chain(kinds).chain(names(self.dictionary, table.space)).collect();
        let near = match self.elsewhere(table, name, &known) {
            Some(word) => format!("; nearest: {word}"),
            None => hint(name, known.iter().map(String::as_str)),
        };
        let groups: Vec<&str> = table.groups.iter().map(|group| group.name.as_str()).collect();
        let offer = match groups.join(" ") {
            _ if groups.is_empty() => String::new(),
            words if table.min > table.max => format!(": WORD:N or WORD:N..N with {words}"),
            words => format!(": {words} N N..N"),
        };
        if name.is_empty() {
            return self.error(format!("\"{}\": a word of the {} is missing{offer}", self.word.text, table.title));
        }
        let is_name = table.space != NONE && self.info.space(table.space).is_some();
        self.error(format!("no \"{name}\" in the {}{offer}{near}", table.title)).unknown_name(is_name)
    }
}

fn range(text: &str) -> Option<(u64, u64)> {
    match text.split_once("..") {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => number(text).map(|n| (n, n)),
    }
}

/// Ids on the wire of the kinds with this tag or name. Where versions of a protocol number a kind differently, the id of
/// the newest, which is its number.
fn kinds(info: &Info, name: &str) -> Vec<u64> {
    let named = info.kinds.iter().filter(|kind| kind.name == name || kind.tag() == name);
    let named: Vec<&KindInfo> = named.filter(|kind| kind.first == kind.last).collect();
    let is_newest = |kind: &KindInfo| kind.first.0 == kind.wire_id;
    let replaced =
        |kind: &KindInfo| !is_newest(kind) && named.iter().any(|other| other.name == kind.name && is_newest(other));
    named.iter().filter(|kind| !replaced(kind)).map(|kind| kind.wire_id.into()).collect()
}
