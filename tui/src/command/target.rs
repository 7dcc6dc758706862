//! `:target`: commands to the target.

use crate::{
    action::{Arg, ArgKind},
    model::{settings::Command, target},
};

pub(super) const TARGET: Command = Command::new(
    &["target"],
    &[Arg::must("COMMAND …", ArgKind::Target)],
    "send a command to the target, as target filter -SM; Tab lists what it takes",
    |given, model| target::send(model, &given.must(0)),
)
.alias(&["t"]);
