//! A line to a command.

use spytui_plugin_api::{
    ArgValue, Command, FilterOp, Info, RVec, RowKind,
    info::{ArgForms, CommandInfo},
};

use super::{
    arguments::{self, Values},
    error::{CommandError, hint},
    filter,
    words::{Word, words},
};
use crate::store::Dictionary;

/// A command with checked values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedCommand {
    /// The line, as it was typed.
    pub line: String,
    /// The command's name, as `test probe`.
    pub name: String,
    /// What the command does.
    pub help: String,
    /// Id of its [`CommandInfo`].
    pub id: u16,
    /// The host must ask before it is sent: it stops the target or overwrites its memory, and has no `!` behind its name.
    pub confirm: bool,
    values: Vec<ArgValue>,
    arena: Vec<u8>,
    filter: Vec<FilterOp>,
    columns: Vec<usize>,
    /// What is sent in place of the command that the line names; empty = that one.
    pub remark: String,
}

impl ParsedCommand {
    /// A line that can't be read, for the list of commands.
    pub(crate) fn unread(line: &str) -> ParsedCommand {
        let name = line.split_whitespace().next().unwrap_or_default().to_owned();
        ParsedCommand { line: line.to_owned(), name, ..ParsedCommand::default() }
    }

    /// The command as an encoder takes it.
    pub fn command<'a>(&'a self, cfg: &'a [u8], seen: &'a [RowKind]) -> Command<'a> {
        Command {
            id: self.id,
            cfg: cfg.into(),
            values: self.values.as_slice().into(),
            arena: self.arena.as_slice().into(),
            filter: self.filter.as_slice().into(),
            seen: seen.into(),
        }
    }

    /// Its changes of a filter.
    pub fn filter(&self) -> &[FilterOp] {
        &self.filter
    }

    /// Column of an argument.
    pub fn column(&self, arg: u16) -> usize {
        self.columns.get(usize::from(arg)).or(self.columns.last()).copied().unwrap_or(0)
    }
}

/// The command that a line begins with, and how many of its words are its name: the longest name that fits, so that
/// `test probe` is not `test`. There are no abbreviations in what goes to the target.
pub fn find<'a>(commands: &'a RVec<CommandInfo>, line: &[&str]) -> Option<(&'a CommandInfo, usize)> {
    let fits = |command: &&CommandInfo| {
        let name: Vec<&str> = command.name.split_whitespace().collect();
        let given = line.get(..name.len()).unwrap_or_default().iter().map(|word| confirmed(word).unwrap_or(word));
        given.eq(name.iter().copied())
    };
    let found = commands.iter().filter(fits).max_by_key(|command| command.name.len())?;
    Some((found, found.name.split_whitespace().count()))
}

/// The word without a `!` at its end, which stands for the answer to the host's question.
fn confirmed(word: &str) -> Option<&str> {
    word.strip_suffix('!')
}

/// Reads a command line, names and all. Nothing that is wrong gets as far as an encoder, save what only it can know.
///
/// # Errors
/// The first mistake, with its column.
pub fn parse(line: &str, info: &Info, dictionary: &Dictionary) -> Result<ParsedCommand, CommandError> {
    let words = words(line).map_err(|column| CommandError::new(column, "the closing quote is missing"))?;
    let end = line.trim_end().chars().count();
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let Some((written, named)) = find(&info.commands, &texts) else { return Err(unknown(info, &words)) };
    let command = meant(info, written, &texts[named..]);
    let is_confirmed = texts.get(named.saturating_sub(1)).is_some_and(|word| confirmed(word).is_some());
    let words = &words[named..];
    let (values, filter) = if is_filter(command) {
        let columns = words.first().map(|word| word.column).into_iter().collect();
        let ops = filter::changes(command, words, end, (info, dictionary))?;
        (Values { columns, ..Values::default() }, ops)
    } else {
        (arguments::values(&command.args, words, end, (info, dictionary))?, Vec::new())
    };
    let Values { values, arena, columns } = values;
    let confirm = command.confirm && !is_confirmed;
    let remark = if command.id == written.id { String::new() } else { format!("sent as target {}", command.name) };
    let (line, name, help) = (line.to_owned(), command.name.to_string(), written.help.to_string());
    Ok(ParsedCommand { line, name, help, id: command.id, confirm, values, arena, filter, columns, remark })
}

/// Whether a command changes the target's filter.
pub fn is_filter(command: &CommandInfo) -> bool {
    command.args.iter().any(|arg| arg.forms.intersects(ArgForms::FILTER))
}

/// The command that a line means: where the words behind one filter are all of the tables of another, as `filter
/// -obj:burner` of a target with a filter of its own for objects, the other one.
fn meant<'a>(info: &'a Info, written: &'a CommandInfo, words: &[&str]) -> &'a CommandInfo {
    let table_of = |word: &&str| {
        let (table, _) = word.trim_start_matches(['+', '-', '=']).split_once(':')?;
        info.filters.iter().find(|known| known.word == table).map(|known| known.command)
    };
    let tables: Option<Vec<u16>> = words.iter().map(table_of).collect();
    match tables.filter(|_| is_filter(written)).as_deref() {
        Some([first, rest @ ..]) if rest.iter().all(|table| table == first) => {
            // A table of both is that of the one written.
            let is_own = words.iter().all(|word| has_table(info, written, word));
            let other = info.commands.iter().find(|command| command.id == *first).filter(|_| !is_own);
            other.unwrap_or(written)
        }
        _ => written,
    }
}

/// Whether a filter has the table of a word.
fn has_table(info: &Info, command: &CommandInfo, word: &str) -> bool {
    let table = word.trim_start_matches(['+', '-', '=']).split_once(':').map(|(table, _)| table);
    table.is_some_and(|table| info.filters.iter().any(|known| known.command == command.id && known.word == table))
}

fn unknown(info: &Info, words: &[Word]) -> CommandError {
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
