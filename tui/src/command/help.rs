//! `:help`: keys and commands.

use crate::{
    action::{Arg, ArgKind},
    model::{prompt::Help, settings::Command},
};

pub(super) const HELP: Command = Command::new(
    &["help"],
    &[Arg::may("WORD", ArgKind::Topic)],
    "help, about a command, a key or an action",
    |given, model| model.prompt.help = Some(Help { top: 0, filter: given.must(0) }),
)
.alias(&["h"]);
