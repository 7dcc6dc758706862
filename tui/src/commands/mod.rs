//! The commands of the command line. Each has a constant in the file of its family, with how it is written and what it does, and
//! one line in [`COMMANDS`].

mod baud;
mod files;
mod filter;
mod formats;
mod names;
mod place;
mod plugin;
mod program;
mod proto;
mod set;
mod source;
mod target;

#[cfg(test)]
mod tests;

pub use crate::model::settings::Command;

/// Every command, in the order of the help.
pub const COMMANDS: &[&Command] = &[
    &proto::PROTO,
    &set::SET,
    &source::OPEN,
    &source::SHOW,
    &source::CLOSE,
    &baud::BAUD,
    &files::RECORD,
    &files::WRITE,
    &files::PERFETTO,
    &files::SEQUENCE,
    &filter::FILTER,
    &filter::WHY,
    &filter::SAVE,
    &target::TARGET,
    &place::FIND,
    &place::GOTO,
    &place::MARK,
    &names::SAVE,
    &names::LOAD,
    &names::CLEAR,
    &names::NAME,
    &formats::LIST,
    &formats::LOAD,
    &formats::CHECK,
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
