//! `:dict`: names saved, loaded, forgotten.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Model, names, settings::Command},
};

/// `:dict save`
pub(super) const SAVE: Command = Command {
    spec: CommandSpec {
        words: &["dict", "save"],
        aliases: &[],
        args: &[Arg::must("PATH", ArgKind::Output)],
        doc: "save the names to a .dic file",
    },
    run: save,
};

/// `:dict load`
pub(super) const LOAD: Command = Command {
    spec: CommandSpec {
        words: &["dict", "load"],
        aliases: &[],
        args: &[Arg::must("PATH", ArgKind::Input)],
        doc: "load names from a .dic file",
    },
    run: load,
};

/// `:dict clear`
pub(super) const CLEAR: Command = Command {
    spec: CommandSpec { words: &["dict", "clear"], aliases: &[], args: &[], doc: "forget all names" },
    run: clear,
};

fn save(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    names::save(model, &given.path(0));
    Ok(())
}

fn load(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    names::load(model, &given.path(0));
    Ok(())
}

fn clear(_given: &Given, model: &mut Model) -> Result<(), CommandError> {
    names::clear(model);
    Ok(())
}
