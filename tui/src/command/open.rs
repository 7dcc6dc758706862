//! `:open`: a further source.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, links, settings::Command},
};

/// `:open`
pub(super) const OPEN: Command = Command {
    spec: CommandSpec {
        words: &["open"],
        aliases: &["o"],
        args: &[Arg::must("LINK", ArgKind::Link)],
        doc: "open a file, port or socket",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    links::open(model, given.link(0)?);
    Ok(())
}
