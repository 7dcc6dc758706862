//! `:help`: keys and commands.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, prompt::Help, settings::Command},
};

/// `:help`
pub(super) const HELP: Command = Command {
    spec: CommandSpec {
        words: &["help"],
        aliases: &["h"],
        args: &[Arg::may("WORD", ArgKind::Topic)],
        doc: "help, about a command, a key or an action",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    model.prompt.help = Some(Help { top: 0, filter: given.must(0) });
    Ok(())
}
