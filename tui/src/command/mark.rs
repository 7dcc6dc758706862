//! `:mark`: a bookmark at the cursor row.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, jump, settings::Command},
};

/// `:mark`
pub(super) const MARK: Command = Command {
    spec: CommandSpec {
        words: &["mark"],
        aliases: &[],
        args: &[Arg::may("NAME", ArgKind::NewName), Arg::may("NOTE", ArgKind::Text)],
        doc: "mark the cursor row",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    jump::mark(model, given.text(0).map(str::to_owned), given.must(1));
    Ok(())
}
