//! What the user can do: actions behind keys, commands behind `:`, and the line they are typed in.
//!
//! Parser, completion, ghost help and help text all come from the same two tables, [`ACTIONS`] and [`COMMANDS`].

mod build;
mod call;
mod check;
mod command;
mod complete;
mod complete_expr;
mod editor;
mod ghost;
mod help;
mod history;
mod key;
mod keymap;
mod names;
mod parse;
mod paths;
mod place;
mod table;
mod words;

#[cfg(test)]
mod line_tests;

pub use call::{Call, Filter};
pub use command::{Arg, ArgKind, COMMANDS, Command, Need};
pub use complete::{Completions, complete};
pub use complete_expr::quoted;
pub use editor::{Aid, LineEditor, Typed};
pub use ghost::{Ghost, ghost};
pub use help::{HelpLine, help, narrow};
pub use history::{History, Prompt};
pub use key::Key;
pub use keymap::{DEFAULT_KEYS, Keymap, Meaning};
pub use names::{Choice, Known, Names, Unknown};
pub use parse::{CommandError, parse};
pub use place::{RowRange, Where, read_range, read_where};
pub use table::{ACTIONS, Action, ActionEntry, Place, Valid};
