//! What the user can do: actions behind keys, commands behind `:`, and the line they are typed in.
//!
//! Parser, completion, ghost help and help text all come from the same two tables, [`ACTIONS`] and [`COMMANDS`].

mod act;
mod key;
mod keymap;

pub use act::{ACTIONS, Act, Entry, Place, Valid};
pub use key::Key;
pub use keymap::{DEFAULT_KEYS, Keymap, Meaning};
