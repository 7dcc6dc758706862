//! `:target`: commands to the target.

use crate::{
    action::{Arg, ArgKind},
    model::{advice, settings::Command, target},
};

pub(super) const TARGET: Command = Command::new(
    &["target"],
    &[Arg::may("COMMAND …", ArgKind::Target)],
    "send a command to the target, as target filter -SM; Tab lists what it takes; without one show pane 6",
    |given, model| match advice::asked(&given.must(0)) {
        Some(asked) => advice::fill(model, asked.ok().flatten()),
        None => target::run(model, &given.must(0)),
    },
)
.alias(&["t"]);
