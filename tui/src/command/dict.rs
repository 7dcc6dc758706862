//! `:dict`: names saved, loaded, forgotten.

use crate::{
    action::{Arg, ArgKind},
    model::{names, settings::Command},
};

pub(super) const SAVE: Command = Command::new(
    &["dict", "save"],
    &[Arg::must("PATH", ArgKind::Output)],
    "save the names to a .dic file",
    |given, model| names::save(model, &given.path(0)),
);

pub(super) const LOAD: Command = Command::new(
    &["dict", "load"],
    &[Arg::must("PATH", ArgKind::Input)],
    "load names from a .dic file",
    |given, model| names::load(model, &given.path(0)),
);

pub(super) const CLEAR: Command =
    Command::new(&["dict", "clear"], &[], "forget all names", |_, model| names::clear(model));
