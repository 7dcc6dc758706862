//! Commands to the target: command lines to checked values, by what a decoder declares.
//!
//! | module | what is in it |
//! |---|---|
//! | `parse` | a line to a command; what may stand at its cursor |
//! | `spec` | words, numbers and ranges of a line; states of switches to the words that make them |

mod parse;
mod spec;

pub use parse::{Completion, ParsedCommand, complete, find, is_filter, parse};
pub use spec::{CommandError, is_in, range_word, spec, table_word};
