//! User input: actions behind keys, commands behind `:`, and the line they are typed in.
//!
//! | module | what is in it |
//! |---|---|
//! | `command` | how commands are described, and names that the running program provides |
//! | `words`, `parse` | parse a typed line into a command with checked arguments, or report its error |
//! | `complete` | completions and the text behind the cursor |
//! | `editor` | the line editor with readline keys, and the history |
//! | `help` | help text, and the explanation that `?` shows |
//!
//! The actions and commands themselves come from the program: see [`ActionCatalog`] and [`KnownNames::commands`].

mod command;
mod complete;
mod editor;
mod help;
mod keymap;
mod parse;
mod table;
mod words;

pub use command::{Arg, ArgKind, Choice, CommandSpec, Completions, KnownNames, Lookup, Names, Need};
pub use complete::{Ghost, complete, ghost, quoted};
pub use editor::{Aid, History, LineEditor, PromptKind, Typed};
pub use help::{HelpLine, explain, help, narrow};
pub use keymap::{DEFAULT_KEYS, Key, Keymap, Meaning};
pub use parse::{FilterArg, Given, parse};
pub use table::{Action, ActionCatalog, ActionEntry, Hint, LOG, PaneAction, PaneId, PaneKeys, RECORDS, TARGET};
pub use words::{CommandError, JumpTarget, RowRange, Where, escaped, read_range, read_where, unescaped};

pub(crate) use parse::family;
