//! The commands of the command line. Each has a constant with its syntax and function in the file of its family, and
//! one line in [`COMMANDS`].

mod files;
mod names;
mod place;
mod plugin;
mod program;
mod source;

#[cfg(test)]
mod tests;

pub use crate::model::settings::Command;

/// Every command, in the order of the help.
pub const COMMANDS: &[&Command] = &[
    &source::PROTO,
    &program::SET,
    &source::OPEN,
    &source::SHOW,
    &source::CLOSE,
    &source::BAUD,
    &files::RECORD,
    &files::WRITE,
    &files::PERFETTO,
    &files::SEQUENCE,
    &place::FILTER,
    &place::WHY,
    &place::SAVE,
    &source::TARGET,
    &place::FIND,
    &place::GOTO,
    &place::MARK,
    &names::SAVE,
    &names::LOAD,
    &names::CLEAR,
    &names::NAME,
    &plugin::LIST_FORMATS,
    &plugin::LOAD_FORMATS,
    &plugin::CHECK_FORMATS,
    &plugin::LIST,
    &plugin::LOAD,
    &plugin::RELOAD,
    &plugin::ENABLE,
    &plugin::DISABLE,
    &program::STATS,
    &program::HELP,
    &program::QUIT,
    &files::WRITE_QUIT,
];
