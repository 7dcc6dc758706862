//! The commands of the command line. Each is a file of its own, with how it is written and what it does, and one line
//! in [`COMMANDS`].

mod baud;
mod close;
mod dict;
mod export;
mod filter;
mod find;
mod formats;
mod goto;
mod help;
mod mark;
mod name;
mod open;
mod plugin;
mod proto;
mod quit;
mod record;
mod set;
mod show;
mod stats;
mod target;
mod write;

#[cfg(test)]
mod tests;

pub use crate::model::settings::Command;

/// Every command, in the order of the help.
pub const COMMANDS: &[&Command] = &[
    &proto::PROTO,
    &set::SET,
    &open::OPEN,
    &show::SHOW,
    &close::CLOSE,
    &baud::BAUD,
    &record::RECORD,
    &write::WRITE,
    &export::PERFETTO,
    &filter::FILTER,
    &filter::WHY,
    &filter::SAVE,
    &target::TARGET,
    &find::FIND,
    &goto::GOTO,
    &mark::MARK,
    &dict::SAVE,
    &dict::LOAD,
    &dict::CLEAR,
    &name::NAME,
    &formats::LIST,
    &formats::LOAD,
    &formats::CHECK,
    &plugin::LIST,
    &plugin::LOAD,
    &plugin::RELOAD,
    &plugin::ENABLE,
    &plugin::DISABLE,
    &stats::STATS,
    &help::HELP,
    &quit::QUIT,
    &quit::WRITE_QUIT,
];
