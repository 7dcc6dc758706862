//! Words of the target's filter for switches, and for what the cursor row is about.

use spytui_engine::{
    command,
    list::RowSource,
    present::words::{group_tag, tag_of},
    store::{Dictionary, dictionary::newest},
};
use spytui_plugin_api::{
    Info, NONE, Row,
    batch::attr,
    info::{CommandInfo, FilterTable},
    row::RowFlags,
};

use super::{
    Model,
    links::KindSums,
    switches::{is_in, kind_of, switch_of},
};

/// What a word of a filter may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The kind of the record.
    Kind,
    /// Its group.
    Group,
    /// Its object.
    Object,
    /// Its signal.
    Signal,
}

/// The command that a table is part of.
#[must_use]
pub fn command_of<'a>(info: &'a Info, table: &FilterTable) -> Option<&'a CommandInfo> {
    info.commands.iter().find(|command| command.id == table.command)
}

/// How a switch is written, without a sign: by name if that means it alone, otherwise by number.
#[must_use]
pub fn switch_word(info: &Info, dictionary: &Dictionary, table: &FilterTable, switch: u64) -> String {
    let named = |word: String| if table.word.is_empty() { word } else { format!("{}:{word}", table.word) };
    let name = switch_name(info, dictionary, table, switch).map(|name| named(quoted(&name)));
    let name = name.filter(|word| means(info, dictionary, table, word) == [(switch, switch)]);
    name.unwrap_or_else(|| command::range_word(table, (switch, switch)))
}

/// The name of a switch: as the target gave it, otherwise the decoder's tag of a kind.
#[must_use]
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
    let parsed = command::parse(&format!("{} -{word}", command.name), info, dictionary);
    let Ok(parsed) = parsed else { return Vec::new() };
    let of_table = parsed.filter().iter().filter(|op| op.table == table.id && op.group == NONE);
    of_table.map(|op| (op.first, op.last)).collect()
}

fn quoted(name: &str) -> String {
    if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name.to_owned() }
}

/// The command of a filter, and the word in it, for something that the cursor row has.
///
/// # Errors
/// Why there is none, in words.
pub fn of_cursor_row(model: &Model, about: About) -> Result<(String, String), String> {
    let rows = &model.list.rows;
    let here = rows.row(model.list.page.cursor).filter(Row::is_record);
    let row = here.ok_or_else(|| "only records can be masked on the target".to_owned())?;
    let source = rows.locate(model.list.page.cursor).map_or(0, |(source, _)| source);
    let decoding = rows.source(source);
    let (info, state) = (&decoding.decoder.info, decoding.read());
    let dictionary = &state.dictionary;
    let switch = switch_of(info, row.kind);
    let is_always_on = of_kinds(info).is_some_and(|table| is_in(&table.always_on, switch));
    if is_always_on && matches!(about, About::Kind | About::Group) {
        return Err("the target always sends this kind".to_owned());
    }
    let found = match about {
        About::Kind => of_kinds(info).map(|table| (table, switch_word(info, dictionary, table, switch))),
        About::Group => group(info, &row),
        About::Object => object(info, dictionary, &row),
        About::Signal => signal(info, dictionary, &row),
    };
    let (table, word) = found.ok_or_else(|| refusal(info, &row, about))?;
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

/// The group that is called like that of the row, otherwise the smallest one that has its kind.
fn group<'a>(info: &'a Info, row: &Row) -> Option<(&'a FilterTable, String)> {
    let tag = group_tag(info, row.group);
    let named = |table: &&FilterTable| {
        let is_filter = command_of(info, table).is_some_and(|command| command.name == "filter");
        is_filter && table.min <= table.max && table.groups.iter().any(|group| group.name == tag)
    };
    let table = info.filters.iter().find(named).or_else(|| of_kinds(info))?;
    let switch = switch_of(info, row.kind);
    let has_row = |group: &&spytui_plugin_api::info::FilterGroup| table.is_kinds && is_in(&group.ranges, switch);
    let size = |group: &&spytui_plugin_api::info::FilterGroup| -> u64 {
        group.ranges.iter().map(|range| (range.last - range.first).saturating_add(1)).fold(0, u64::saturating_add)
    };
    let own = table.groups.iter().find(|group| group.name == tag);
    let group = own.or_else(|| table.groups.iter().filter(has_row).min_by_key(size))?;
    let before = if table.word.is_empty() { String::new() } else { format!("{}:", table.word) };
    Some((table, format!("{before}{}", group.name)))
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
    let parent = dictionary.attr(space, row.obj, 0, attr::PARENT)?;
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
    let what = match about {
        About::Kind => "kind",
        About::Group => "group",
        About::Object => "object",
        About::Signal => "signal",
    };
    if info.filters.is_empty() {
        return format!("{} has no filter on the target; - hides rows here", info.title);
    }
    let has = match about {
        About::Object => row.flags.contains(RowFlags::HAS_OBJECT),
        About::Signal => row.flags.contains(RowFlags::HAS_ITEM),
        About::Kind | About::Group => true,
    };
    if has { format!("{} has no filter by this {what}", info.title) } else { format!("this row has no {what}") }
}
