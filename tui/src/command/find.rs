//! `:find`: the next row that passes.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, search, settings::Command},
};

/// `:find`
pub(super) const FIND: Command = Command {
    spec: CommandSpec {
        words: &["find"],
        aliases: &[],
        args: &[Arg::must("EXPR", ArgKind::Search)],
        doc: "go to the next row that passes",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let expr = given.search(0, model)?;
    let text = expr.to_string();
    search::begin(model, expr, text);
    Ok(())
}
