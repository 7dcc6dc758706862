//! `:goto`: a row by number, time, byte or mark.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, jump, settings::Command},
};

/// `:goto`
pub(super) const GOTO: Command = Command {
    spec: CommandSpec {
        words: &["goto"],
        aliases: &["g"],
        args: &[Arg::must("WHERE", ArgKind::Where)],
        doc: "go to #714, 12.5ms, @0x1a4f0, 'mark, gap, error, reset, first or last",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    jump::to_location(model, &given.location(0)?);
    Ok(())
}
