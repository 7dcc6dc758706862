//! User input: actions behind keys, commands behind `:`, and the line they are typed in.
//!
//! | module | what is in it |
//! |---|---|
//! | `table` | the actions, and the keys that start them |
//! | `command` | the words of a line, how commands are described, and names that the running program provides |
//! | `parse` | parse a typed line into a command with checked arguments, or report its error |
//! | `complete` | completions, the text behind the cursor, help |
//! | `editor` | the line editor with readline keys, and the history |
//!
//! The actions and commands themselves come from the program: see [`ActionCatalog`] and [`KnownNames::commands`].

mod command;
mod complete;
mod editor;
mod parse;
mod table;

pub use command::{
    Arg, ArgKind, ArgumentNames, Choice, CommandLineError, CommandSpec, Completions, JumpTarget, KnownNames, Need,
    PathLookup, RowRange, Where, escaped, notes, read_range, read_where, unescaped,
};
pub use complete::{Ghost, HelpLine, complete, explain, ghost, help, narrow, quoted};
pub use editor::{Aid, EditOutcome, History, LineEditor, PromptKind};
pub use parse::{FilterArg, Given, parse};
pub use table::{
    Action, ActionCatalog, ActionEntry, DEFAULT_KEYS, Hint, INCIDENT, KeyMeaning, KeyPress, Keymap, LOG, OBJECTS,
    PaneAction, PaneId, PaneKeys, RECORDS, TARGET,
};

pub(crate) use parse::family;
