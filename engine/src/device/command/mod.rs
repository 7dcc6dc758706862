//! Commands to the target: command lines to checked values, by what a decoder declares.
//!
//! | module | what is in it |
//! |---|---|
//! | `words` | a line to words with their columns |
//! | `names` | names of a dictionary to keys |
//! | `number` | numbers and bytes as they are typed |
//! | `arguments` | words to the values of a command's arguments |
//! | `filter` | words to changes of the target's filter |
//! | `parse` | a line to a command |
//! | `spec` | states of switches to the words that make them |
//! | `complete` | what may stand at the cursor |
//! | `error` | what is wrong, with its column |

mod arguments;
mod complete;
mod error;
mod filter;
mod names;
mod number;
mod parse;
mod spec;
mod words;

pub use complete::{Completion, complete};
pub use error::CommandError;
pub use parse::{ParsedCommand, find, is_filter, parse};
pub use spec::{is_in, range_word, spec, table_word};
