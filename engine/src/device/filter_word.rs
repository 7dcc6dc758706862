//! Words of the target's filter for switches, and for what a row is about.

use spytui_plugin_api::{
    Info, NONE, Row,
    batch::AttrId,
    info::{FilterGroup, FilterTable},
    row::RowFlags,
};

use super::{
    command::{is_in, parse, range_word, table_word},
    switches::{Switches, command_of, is_of_filter, kind_of, switch_of},
};
use crate::{
    present::words::{kind_name, quoted, tag_of},
    store::{Dictionary, dictionary::newest},
    trace::session::KindSums,
};

/// What a word of a filter may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The kind of the record.
    Kind,
    Group,
    Object,
    Signal,
}

/// How a switch is written, without a sign: by name if that means it alone, otherwise by number.
pub fn switch_word(info: &Info, dictionary: &Dictionary, table: &FilterTable, switch: u64) -> String {
    let kind = kind_of(info, switch, &KindSums::new()).filter(|_| table.is_kinds);
    let names = [switch_name(info, dictionary, table, switch), kind.map(|kind| kind_name(info, kind))];
    let mut words = names.into_iter().flatten().map(|name| table_word(table, &quoted(name)));
    let word = words.find(|word| means(info, dictionary, table, word) == [(switch, switch)]);
    word.unwrap_or_else(|| range_word(table, (switch, switch)))
}

/// The name of a switch: as the target gave it, otherwise the decoder's tag of a kind.
pub fn switch_name(info: &Info, dictionary: &Dictionary, table: &FilterTable, switch: u64) -> Option<String> {
    let kind = kind_of(info, switch, &KindSums::new()).filter(|_| table.is_kinds);
    let key = kind.map_or(switch, |kind| kind.0.into());
    let given = newest(dictionary.names(table.space, key, 0)).filter(|_| table.space != NONE);
    let given = given.and_then(|named| named.text.as_deref());
    given.map(|text| String::from_utf8_lossy(text).into_owned()).or_else(|| kind.map(|kind| tag_of(info, kind)))
}

/// The switches that a word means.
fn means(info: &Info, dictionary: &Dictionary, table: &FilterTable, word: &str) -> Vec<(u64, u64)> {
    let Some(command) = command_of(info, table) else { return Vec::new() };
    let parsed = parse(&format!("{} -{word}", command.name), info, dictionary);
    let Ok(parsed) = parsed else { return Vec::new() };
    let of_table = parsed.filter().iter().filter(|op| op.table == table.id && op.group == NONE);
    of_table.map(|op| (op.first, op.last)).collect()
}

/// The command of a filter, and the word in it, for something that a record has.
///
/// # Errors
/// Why there is none, in words.
pub fn of_row(info: &Info, dictionary: &Dictionary, row: &Row, about: About) -> Result<(String, String), String> {
    let switch = switch_of(info, row.kind);
    let is_always_on = of_kinds(info).is_some_and(|table| is_in(&table.always_on, switch));
    if is_always_on && matches!(about, About::Kind | About::Group) {
        return Err("the target always sends this kind".to_owned());
    }
    let found = match about {
        About::Kind => of_kinds(info).map(|table| (table, switch_word(info, dictionary, table, switch))),
        About::Group => group(info, row),
        About::Object => object(info, dictionary, row),
        About::Signal => signal(info, dictionary, row),
    };
    let (table, word) = found.ok_or_else(|| refusal(info, row, about))?;
    if about == About::Object && table.has_objects_of(row.group) == Some(false) {
        return Err(format!("the target switches {} only; - o hides this object here", table.title));
    }
    let command = command_of(info, table).map_or_else(String::new, |command| command.name.to_string());
    Ok((command, word))
}

/// The table of kinds that plain words mean.
fn of_kinds(info: &Info) -> Option<&FilterTable> {
    info.filters.iter().find(|table| table.is_kinds && table.word.is_empty())
}

/// The group of the row's kind, in the first table that has one.
fn group<'a>(info: &'a Info, row: &Row) -> Option<(&'a FilterTable, String)> {
    let tables = info.filters.iter().filter(|table| is_of_filter(info, table) && table.min <= table.max);
    let group = |table: &'a FilterTable| -> Option<(&'a FilterTable, &'a FilterGroup)> {
        Some((table, Switches::new(info, table, &[], &[]).group_of(row.kind)?))
    };
    tables.filter_map(group).next().map(|(table, group)| (table, table_word(table, &group.name)))
}

/// The object of the row, otherwise what that belongs to, as the process of a thread.
fn object<'a>(info: &'a Info, dictionary: &Dictionary, row: &Row) -> Option<(&'a FilterTable, String)> {
    let space = info.kind(row.kind).map(|kind| kind.obj_space)?;
    if !row.flags.contains(RowFlags::HAS_OBJECT) {
        return None;
    }
    if let Some(table) = of_space(info, space) {
        return Some((table, switch_word(info, dictionary, table, row.obj)));
    }
    let parent = dictionary.attr(space, row.obj, 0, AttrId::PARENT)?;
    let table = of_space(info, parent.val_space)?;
    Some((table, switch_word(info, dictionary, table, parent.val)))
}

fn signal<'a>(info: &'a Info, dictionary: &Dictionary, row: &Row) -> Option<(&'a FilterTable, String)> {
    let space = info.kind(row.kind).map(|kind| kind.item_space)?;
    let table = of_space(info, space).filter(|_| row.flags.contains(RowFlags::HAS_ITEM))?;
    Some((table, switch_word(info, dictionary, table, row.item)))
}

/// The table of single names of a space.
fn of_space(info: &Info, space: u16) -> Option<&FilterTable> {
    info.filters.iter().find(|table| space != NONE && table.space == space && !table.is_kinds)
}

fn refusal(info: &Info, row: &Row, about: About) -> String {
    let (what, has) = match about {
        About::Kind => ("kind", true),
        About::Group => ("group", true),
        About::Object => ("object", row.flags.contains(RowFlags::HAS_OBJECT)),
        About::Signal => ("signal", row.flags.contains(RowFlags::HAS_ITEM)),
    };
    if info.filters.is_empty() {
        return format!("{} has no filter on the target; - hides rows here", info.title);
    }
    if has { format!("{} has no filter by this {what}", info.title) } else { format!("this row has no {what}") }
}
