//! Commands to the target: parses command lines into checked values, as the decoder declares.
//!
//! | module | what is in it |
//! |---|---|
//! | `parse` | parses and completes a line |
//! | `spec` | words, numbers and ranges of a line; converts states of switches to words |

mod parse;
mod spec;

pub use parse::{Completion, ParsedCommand, complete, find, is_filter, parse};
pub use spec::{CommandError, is_in, range_word, spec, table_word};
