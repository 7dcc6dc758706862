//! `:show`: another source.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, links, settings::Command},
};

/// `:show`
pub(super) const SHOW: Command = Command {
    spec: CommandSpec {
        words: &["show"],
        aliases: &[],
        args: &[Arg::must("SOURCE", ArgKind::Source)],
        doc: "show another source, by its number or name",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    links::show_named(model, &given.must(0));
    Ok(())
}
