//! `:target`: commands to the target.

use spytui_engine::device::line::TargetLine;

use crate::{
    input::{Arg, ArgKind},
    model::{settings::Command, target},
};

pub(super) const TARGET: Command = Command::new(
    &["target"],
    &[Arg::may("COMMAND …", ArgKind::Target)],
    "send a command to the target, as target filter -SM; Tab lists what it takes; without one show pane 6",
    |given, model| target::run(model, given.target.clone().unwrap_or(TargetLine::Show)),
)
.alias(&["t"]);
