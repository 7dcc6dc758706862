//! Commands to the target: parses command lines into checked values, as the decoder declares, and completes them.

mod spec;

use spytui_plugin_api::{
    ArgForm, ArgValue, ByteRange, Command, FilterOp, FilterOpKind, Info, NONE, RVec, RowKind,
    info::{ArgForms, ArgInfo, CommandInfo, FilterTable, KindInfo, Matching},
};

pub use self::spec::{CommandError, is_in, number, range_word, spec, table_word};
use self::spec::{SpecWord, hint, words};
use crate::{
    io::text::{ByteOrder, hex_bytes},
    present::words::{quoted, wire_id},
    store::dictionary::{Dictionary, DictionaryName, newest},
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedCommand {
    pub line: String,
    /// Name, such as `test probe`.
    pub name: String,
    pub help: String,
    pub id: u16,
    /// The host must ask first: it stops the target or overwrites its memory, and has no `!` after its name.
    pub confirm: bool,
    args: ArgValues,
    pub filter: Vec<FilterOp>,
    /// The command sent instead of the typed one; empty = none.
    pub remark: String,
    /// It comes from a front end, which waits for the answer itself: the commands behind it do not.
    pub is_relayed: bool,
}

impl ParsedCommand {
    /// An unparsable line, for the list of commands.
    pub(crate) fn unread(line: &str) -> ParsedCommand {
        let name = line.split_whitespace().next().unwrap_or_default().to_owned();
        ParsedCommand { line: line.to_owned(), name, ..ParsedCommand::default() }
    }

    pub fn command<'a>(&'a self, cfg: &'a [u8], seen: &'a [RowKind]) -> Command<'a> {
        Command {
            id: self.id,
            cfg: cfg.into(),
            values: self.args.values.as_slice().into(),
            arena: self.args.arena.as_slice().into(),
            filter: self.filter.as_slice().into(),
            seen: seen.into(),
        }
    }

    pub fn column(&self, arg: u16) -> usize {
        let columns = &self.args.columns;
        columns.get(usize::from(arg)).or(columns.last()).copied().unwrap_or(0)
    }
}

/// The command that a line begins with, and the number of words in its name: the longest name that fits, so that `test
/// probe` is not `test`. Commands to the target can't be abbreviated.
pub fn find<'a>(commands: &'a RVec<CommandInfo>, line: &[&str]) -> Option<(&'a CommandInfo, usize)> {
    let fits = |command: &&CommandInfo| {
        let name: Vec<&str> = command.name.split_whitespace().collect();
        let given = line.get(..name.len()).unwrap_or_default().iter().map(|word| confirmed(word).unwrap_or(word));
        given.eq(name.iter().copied())
    };
    let found = commands.iter().filter(fits).max_by_key(|command| command.name.len())?;
    Some((found, found.name.split_whitespace().count()))
}

/// The word without a final `!`, which answers the host's question in advance.
fn confirmed(word: &str) -> Option<&str> {
    word.strip_suffix('!')
}

/// Parses a command line including names. The encoder only receives errors that it alone can detect.
pub fn parse(line: &str, info: &Info, dictionary: &Dictionary) -> Result<ParsedCommand, CommandError> {
    let words = words(line).map_err(|column| CommandError::new(column, "the closing quote is missing"))?;
    let end = line.trim_end().chars().count();
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let Some((written, named)) = find(&info.commands, &texts) else { return Err(unknown(info, &words)) };
    let command = meant(info, written, &texts[named..]);
    let is_confirmed = texts.get(named.saturating_sub(1)).is_some_and(|word| confirmed(word).is_some());
    let words = &words[named..];
    let reader = ArgReader { info, dictionary, end };
    let (args, filter) = if is_filter(command) {
        let columns = words.first().map(|word| word.column).into_iter().collect();
        (ArgValues { columns, ..ArgValues::default() }, reader.changes(command, words)?)
    } else {
        (reader.values(&command.args, words)?, Vec::new())
    };
    let confirm = command.confirm && !is_confirmed;
    let remark = if command.id == written.id { String::new() } else { format!("sent as target {}", command.name) };
    let (line, name, help) = (line.to_owned(), command.name.to_string(), written.help.to_string());
    Ok(ParsedCommand { line, name, help, id: command.id, confirm, args, filter, remark, is_relayed: false })
}

pub fn is_filter(command: &CommandInfo) -> bool {
    command.args.iter().any(|arg| arg.forms.intersects(ArgForms::FILTER))
}

/// The command that a line means: if all words after a filter belong to tables of another one, that other filter.
/// Example: `filter -obj:burner` for a target with a separate filter for objects.
fn meant<'a>(info: &'a Info, written: &'a CommandInfo, words: &[&str]) -> &'a CommandInfo {
    let has_all = |command: &&CommandInfo| {
        let is_own = |name: &str| info.filters.iter().any(|table| table.command == command.id && table.word == name);
        let mut names = words.iter().map(|word| word.trim_start_matches(['+', '-', '=']).split_once(':'));
        names.all(|name| name.is_some_and(|(name, _)| is_own(name)))
    };
    // If several commands have the tables, the one written counts.
    let known = std::iter::once(written).chain(&info.commands);
    known.filter(|_| is_filter(written)).find(has_all).unwrap_or(written)
}

fn unknown(info: &Info, words: &[SpecWord]) -> CommandError {
    let known: Vec<&str> = info.commands.iter().map(|command| command.name.as_str()).collect();
    let Some(first) = words.first() else {
        return CommandError::new(0, format!("a command is missing: {}", known.join(", ")));
    };
    if known.is_empty() {
        return CommandError::new(first.column, format!("{} has no commands to the target", info.title));
    }
    let near = hint(&first.text, known.iter().copied());
    CommandError::new(first.column, format!("the target has no command \"{}\"{near}", first.text))
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ArgValues {
    values: Vec<ArgValue>,
    arena: Vec<u8>,
    columns: Vec<usize>,
}

impl ArgValues {
    fn bytes(&mut self, arg: u16, bytes: &[u8]) {
        let range = ByteRange { off: self.arena.len() as u32, len: bytes.len() as u32 };
        self.arena.extend_from_slice(bytes);
        self.values.push(ArgValue { arg, form: ArgForm::BYTES, bytes: range, ..ArgValue::default() });
    }

    fn number(&mut self, arg: u16, num: u64) {
        self.values.push(ArgValue { arg, form: ArgForm::NUMBER, num, ..ArgValue::default() });
    }
}

struct ArgReader<'a> {
    info: &'a Info,
    dictionary: &'a Dictionary,
    /// Column of a missing argument.
    end: usize,
}

impl ArgReader<'_> {
    /// Assigns words to arguments.
    fn values(&self, args: &[ArgInfo], words: &[SpecWord]) -> Result<ArgValues, CommandError> {
        let mut out = ArgValues::default();
        let mut rest = words;
        for (index, arg) in (0..).zip(args) {
            let Some((word, tail)) = rest.split_first() else {
                if arg.is_optional {
                    break;
                }
                let missing = format!("{} is missing: {}", arg.name, self.legal(arg));
                return Err(CommandError::new(self.end, missing));
            };
            out.columns.push(word.column);
            if arg.forms.intersects(ArgForms::BYTES | ArgForms::HEX | ArgForms::NUMBERS | ArgForms::TEXT) {
                list(arg, index, rest, &mut out)?;
                rest = &[];
            } else {
                out.values.extend(self.single(arg, index, word)?);
                rest = tail;
            }
        }
        rest.first().map_or(Ok(out), |word| Err(CommandError::new(word.column, "too many arguments")))
    }

    /// One word: a choice, a name or a number, in this order.
    fn single(&self, arg: &ArgInfo, index: u16, word: &SpecWord) -> Result<Vec<ArgValue>, CommandError> {
        let text = word.text.as_str();
        let one =
            |form: ArgForm, num: u64, scope: u64| ArgValue { arg: index, form, num, scope, ..ArgValue::default() };
        if let (Some(choice), false) = (arg.choices.iter().position(|choice| choice == text), word.is_quoted) {
            return Ok(vec![one(ArgForm::CHOICE, choice as u64, 0)]);
        }
        if arg.forms.intersects(ArgForms::NAME) {
            let found = self.named(arg, word)?;
            if !found.is_empty() {
                return Ok(found.iter().map(|found| one(ArgForm::NAME, found.key, found.scope)).collect());
            }
        }
        if arg.forms.intersects(ArgForms::NUMBER) && spec::number(text).is_some() {
            return in_range(arg, word).map(|num| vec![one(ArgForm::NUMBER, num, 0)]);
        }
        let known = arg.choices.iter().map(|choice| choice.to_string());
        let known: Vec<String> = known.chain(names(self.dictionary, arg.space)).collect();
        let near = hint(text, known.iter().map(String::as_str));
        let is_name = arg.space != NONE && self.info.space(arg.space).is_some();
        let message = match is_name {
            true => format!("no name \"{text}\" in the dictionary: {}{near}", self.legal(arg)),
            false => format!("\"{text}\": {}{near}", self.legal(arg)),
        };
        Err(CommandError { is_unknown_name: is_name, ..CommandError::new(word.column, message) })
    }

    /// The keys that a name may mean. In spaces scoped by objects, the encoder chooses.
    fn named(&self, arg: &ArgInfo, word: &SpecWord) -> Result<Vec<NamedKey>, CommandError> {
        let mut found = keys(self.dictionary, arg.space, &word.text);
        if self.info.space(arg.space).is_some_and(|space| space.matching != Matching::EXACT) {
            return Ok(found);
        }
        found.retain(|key| key.scope == arg.scope);
        if let [first, second, ..] = found.as_slice() {
            let both = format!("{:#x} and {:#x}", first.key, second.key);
            let message = format!("\"{}\" is the name of {both}: give the number", word.text);
            return Err(CommandError::new(word.column, message));
        }
        Ok(found)
    }

    fn legal(&self, arg: &ArgInfo) -> String {
        let mut parts = Vec::new();
        if !arg.choices.is_empty() {
            parts.push(arg.choices.iter().map(|choice| choice.as_str()).collect::<Vec<_>>().join(" "));
        }
        if let Some(space) = self.info.space(arg.space).filter(|_| arg.forms.intersects(ArgForms::NAME)) {
            parts.push(format!("a name of {}", space.title));
        }
        if arg.forms.intersects(ArgForms::NUMBER | ArgForms::NUMBERS) {
            parts.push(match arg.max {
                u64::MAX => "a number".to_owned(),
                _ => format!("a number from {} to {}", arg.min, arg.max),
            });
        }
        if arg.forms.intersects(ArgForms::BYTES) {
            parts.push(spec::BYTES.to_owned());
        }
        if arg.forms.intersects(ArgForms::HEX) {
            parts.push("hexadecimal digits".to_owned());
        }
        if arg.forms.intersects(ArgForms::TEXT) {
            parts.push("a text".to_owned());
        }
        parts.join(", or ")
    }

    fn changes(&self, command: &CommandInfo, words: &[SpecWord]) -> Result<Vec<FilterOp>, CommandError> {
        let &ArgReader { info, dictionary, end } = self;
        let tables: Vec<&FilterTable> = info.filters.iter().filter(|table| table.command == command.id).collect();
        let mut ops = Vec::new();
        let is_set = words.first().is_some_and(|word| word.text.starts_with('='));
        for word in words {
            let reader = FilterReader { tables: &tables, word, info, dictionary, is_set };
            reader.item(&mut ops)?;
        }
        if ops.is_empty() {
            return Err(CommandError::new(end, "give what to change: +WORD on, -WORD off, =WORD this alone"));
        }
        Ok(ops)
    }
}

fn list(arg: &ArgInfo, index: u16, words: &[SpecWord], out: &mut ArgValues) -> Result<(), CommandError> {
    if arg.forms.intersects(ArgForms::TEXT) {
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        out.bytes(index, words.join(" ").as_bytes());
        return Ok(());
    }
    let mut bytes = Vec::new();
    for word in words {
        let wrong = |message: String| CommandError::new(word.column, message);
        if arg.forms.intersects(ArgForms::NUMBERS) {
            out.number(index, in_range(arg, word)?);
        } else if arg.forms.intersects(ArgForms::HEX) {
            let digits = hex_bytes(&word.text, ByteOrder::Written);
            bytes.extend(digits.ok_or_else(|| wrong(format!("{} are two hexadecimal digits each", arg.name)))?);
        } else if word.is_quoted {
            bytes.extend_from_slice(word.text.as_bytes());
        } else {
            let part = spec::bytes(&word.text);
            bytes.extend(part.ok_or_else(|| wrong(format!("\"{}\": {}", word.text, spec::BYTES)))?);
        }
    }
    if !arg.forms.intersects(ArgForms::NUMBERS) {
        out.bytes(index, &bytes);
    }
    Ok(())
}

fn in_range(arg: &ArgInfo, word: &SpecWord) -> Result<u64, CommandError> {
    let number = spec::number(&word.text).filter(|number| (arg.min..=arg.max).contains(number));
    number.ok_or_else(|| {
        let range = format!("{} is a number from {} to {}", arg.name, arg.min, arg.max);
        CommandError::new(word.column, range)
    })
}

struct FilterReader<'a> {
    tables: &'a [&'a FilterTable],
    word: &'a SpecWord,
    info: &'a Info,
    dictionary: &'a Dictionary,
    /// The first word switches all others off; plain words after it are on as well.
    is_set: bool,
}

impl FilterReader<'_> {
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

    /// The table of a word, and the rest of the word; plain words mean the first table.
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

    /// Message for a word of another table, or with an unknown word before a colon.
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
        let message = format!("no \"{name}\" in the {}{offer}{near}", table.title);
        CommandError { is_unknown_name: is_name, ..self.error(message) }
    }
}

fn range(text: &str) -> Option<(u64, u64)> {
    match text.split_once("..") {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => number(text).map(|n| (n, n)),
    }
}

/// Wire ids of the kinds with this tag or name. If versions of a protocol number a kind differently, the newest id.
fn kinds(info: &Info, name: &str) -> Vec<u64> {
    let named = info.kinds.iter().filter(|kind| kind.name == name || kind.tag() == name);
    let named: Vec<&KindInfo> = named.filter(|kind| kind.first == kind.last).collect();
    let is_newest = |kind: &KindInfo| kind.first.0 == kind.wire_id;
    let replaced =
        |kind: &KindInfo| !is_newest(kind) && named.iter().any(|other| other.name == kind.name && is_newest(other));
    named.iter().filter(|kind| !replaced(kind)).map(|kind| kind.wire_id.into()).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NamedKey {
    key: u64,
    scope: u64,
}

/// All keys with this full or short name, in order; only those of the newest epoch that has any, because after a reset
/// the target may run another build.
fn keys(dictionary: &Dictionary, space: u16, name: &str) -> Vec<NamedKey> {
    let goes_by = |named: &DictionaryName| {
        named.text.as_deref() == Some(name.as_bytes()) || dictionary.short(space, named) == name.as_bytes()
    };
    let named =
        |(key, scope, names)| newest(names).filter(|named| goes_by(named)).map(|n| (n.epoch, NamedKey { key, scope }));
    let found: Vec<(u32, NamedKey)> = dictionary.of_space(space).filter_map(named).collect();
    let epoch = found.iter().map(|(epoch, _)| *epoch).max();
    let mut keys: Vec<NamedKey> = found.iter().filter(|(of, _)| Some(*of) == epoch).map(|(_, key)| *key).collect();
    keys.sort_unstable();
    keys
}

/// Longer names are not offered.
const LONGEST: usize = 255;

/// All names of a space that can be typed, for completion and messages.
fn names(dictionary: &Dictionary, space: u16) -> Vec<String> {
    let mut names: Vec<String> = dictionary
        .of_space(space)
        .filter_map(|(_, _, names)| newest(names))
        .map(|named| dictionary.short(space, named))
        .filter_map(|name| str::from_utf8(name).ok())
        .filter(|name| !name.is_empty() && name.len() <= LONGEST && !name.contains('"'))
        .filter(|name| !name.chars().any(char::is_control))
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    pub text: String,
    pub help: String,
}

/// Completions at the end of a line: the column where the replaced part begins, and the words in order of declaration.
/// They need not begin with the typed text.
pub fn complete(line: &str, info: &Info, dictionary: &Dictionary) -> (usize, Vec<Completion>) {
    let none = (line.chars().count(), Vec::new());
    let Ok(mut typed) = words(line) else { return none };
    let last = typed.pop_if(|_| !line.ends_with(char::is_whitespace));
    let before: Vec<&str> = typed.iter().map(|word| word.text.as_str()).collect();
    let (from, text) = last.as_ref().map_or((none.0, ""), |word| (word.column, word.text.as_str()));
    let Some((command, named)) = find(&info.commands, &before) else {
        return (
            0,
            info.commands.iter().map(|command| completion(command.name.as_str(), command.help.as_str())).collect(),
        );
    };
    let place = before.len() - named;
    let last_is_list = |arg: &ArgInfo| arg.forms.intersects(ArgForms::FILTER | ArgForms::NUMBERS | ArgForms::BYTES);
    let arg = command.args.get(place).or(command.args.last().filter(|arg| last_is_list(arg)));
    let Some(arg) = arg else { return none };
    if arg.forms.intersects(ArgForms::FILTER) {
        let (skip, items) = filter(command, text, info, dictionary);
        return (from + skip, items);
    }
    (from, argument(arg, info, dictionary))
}

fn completion(text: impl Into<String>, help: impl Into<String>) -> Completion {
    Completion { text: text.into(), help: help.into() }
}

fn argument(arg: &ArgInfo, info: &Info, dictionary: &Dictionary) -> Vec<Completion> {
    let choices = arg.choices.iter().map(|choice| completion(choice.as_str(), arg.name.as_str()));
    let space = info.space(arg.space).filter(|_| arg.space != NONE);
    let title = space.map_or("", |space| space.title.as_str());
    let named = names(dictionary, arg.space).into_iter().filter(|_| space.is_some());
    choices.chain(named.map(|name| completion(quoted(name), title))).collect()
}

/// Length of the part of a filter word that stays, in characters, and the completions after it.
fn filter(command: &CommandInfo, text: &str, info: &Info, dictionary: &Dictionary) -> (usize, Vec<Completion>) {
    let sign = usize::from(text.starts_with(['+', '-', '=']));
    let word = &text[sign..];
    let tables: Vec<&FilterTable> = info.filters.iter().filter(|table| table.command == command.id).collect();
    if let Some((of, _)) = word.split_once(':')
        && let Some(table) = tables.iter().find(|table| table.word == of)
    {
        return (sign + of.chars().count() + 1, switches(table, info, dictionary));
    }
    let plain = tables.first().into_iter();
    let mut items: Vec<Completion> = plain.flat_map(|table| switches(table, info, dictionary)).collect();
    let others = tables.iter().filter(|table| !table.word.is_empty());
    items.extend(others.map(|table| completion(format!("{}:", table.word), table.title.as_str())));
    (sign, items)
}

fn switches(table: &FilterTable, info: &Info, dictionary: &Dictionary) -> Vec<Completion> {
    // Numbers may only count within a group.
    let colon = if table.min > table.max { ":" } else { "" };
    let groups = table.groups.iter();
    let groups = groups.map(|group| completion(format!("{}{colon}", group.name), group.title.as_str()));
    let kinds = info.kinds.iter().filter(|kind| table.is_kinds && !kind.first.is_note() && kind.first == kind.last);
    let kinds = kinds.map(|kind| completion(quoted(kind.tag().to_owned()), kind.name.as_str()));
    let named = names(dictionary, table.space).into_iter().map(|name| completion(quoted(name), table.title.as_str()));
    groups.chain(named).chain(kinds).collect()
}
