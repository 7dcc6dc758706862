//! `:close`: closes a source.

use crate::{
    action::{Arg, ArgKind},
    model::{links, settings::Command},
};

pub(super) const CLOSE: Command = Command::new(
    &["close"],
    &[Arg::may("SOURCE", ArgKind::Source)],
    "close a source, by its number or name; without one, the source shown",
    |given, model| links::close(model, given.text(0)),
);
