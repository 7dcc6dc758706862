//! `:show`: another source.

use crate::{
    action::{Arg, ArgKind},
    model::{links, settings::Command},
};

pub(super) const SHOW: Command = Command::new(
    &["show"],
    &[Arg::must("SOURCE", ArgKind::Source)],
    "show another source, by its number or name",
    |given, model| links::show_named(model, &given.must(0)),
);
