//! `:name`: a name for a key of the dictionary.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, names, settings::Command},
};

/// `:name`
pub(super) const NAME: Command = Command {
    spec: CommandSpec {
        words: &["name"],
        aliases: &[],
        args: &[Arg::must("SPACE", ArgKind::Space), Arg::must("KEY", ArgKind::Key), Arg::must("NAME", ArgKind::Text)],
        doc: "give something a name, as obj 0x4110E0 pump",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    names::set(model, &given.must(0), given.key(1)?, &given.must(2));
    Ok(())
}
