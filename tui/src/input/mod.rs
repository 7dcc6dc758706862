//! User input: actions behind keys, commands behind `:`, and the line they are typed in.
//!
//! | module | what is in it |
//! |---|---|
//! | `key`, `keymap`, `table` | keys, and the actions they start |
//! | `command`, `given`, `command_error` | how commands are described, the arguments that were given, mistakes |
//! | `words`, `parse`, `check`, `location` | a typed line to a command with checked arguments |
//! | `file_name` | names of files as they are typed |
//! | `complete`, `complete_expr`, `ghost` | completions and the text behind the cursor |
//! | `editor`, `history` | the line with the keys of readline, and lines typed before |
//! | `help`, `explain` | help text, and what `?` shows about a command |
//! | `names` | names that the running program provides |
//!
//! The actions and commands themselves come from the program: see [`ActionCatalog`] and [`KnownNames::commands`].

mod check;
mod command;
mod command_error;
mod complete;
mod complete_expr;
mod editor;
mod explain;
mod file_name;
mod ghost;
mod given;
mod help;
mod history;
mod key;
mod keymap;
mod location;
mod names;
mod parse;
mod table;
mod words;

pub use command::{Arg, ArgKind, CommandSpec, Need};
pub use command_error::CommandError;
pub use complete::complete;
pub use complete_expr::quoted;
pub use editor::{Aid, LineEditor, Typed};
pub use explain::explain;
pub use file_name::{escaped, unescaped};
pub use ghost::{Ghost, ghost};
pub use given::{FilterArg, Given};
pub use help::{HelpLine, help, narrow};
pub use history::{History, PromptKind};
pub use key::Key;
pub use keymap::{DEFAULT_KEYS, Keymap, Meaning};
pub use location::{JumpTarget, RowRange, Where, read_range, read_where};
pub use names::{Choice, Completions, KnownNames, Lookup, Names};
pub(crate) use parse::family;
pub use parse::parse;
pub use table::{Action, ActionCatalog, ActionEntry, Hint, LOG, PaneAction, PaneId, PaneKeys, RECORDS, TARGET};
