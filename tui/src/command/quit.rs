//! `:q` and `:wq`.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Effect, Model, settings::Command},
};

/// `:q`
pub(super) const QUIT: Command = Command {
    spec: CommandSpec { words: &["q"], aliases: &["quit"], args: &[], doc: "quit at once, without asking" },
    run: quit,
};

/// `:wq`
pub(super) const WRITE_QUIT: Command = Command {
    spec: CommandSpec {
        words: &["wq"],
        aliases: &[],
        args: &[Arg::must("PATH", ArgKind::Output)],
        doc: "record everything to PATH and quit",
    },
    run: write_quit,
};

fn quit(_given: &Given, model: &mut Model) -> Result<(), CommandError> {
    model.quit = Some(0);
    Ok(())
}

fn write_quit(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let sources = model.links.scope.clone();
    model.ask_for(Effect::Record { sources, path: Some(given.path(0)), quit: true });
    Ok(())
}
