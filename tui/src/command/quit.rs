//! `:q` and `:wq`.

use crate::{
    action::{Arg, ArgKind},
    model::{Effect, settings::Command},
};

pub(super) const QUIT: Command =
    Command::new(&["q"], &[], "quit at once, without asking", |_, model| model.quit = Some(0)).alias(&["quit"]);

pub(super) const WRITE_QUIT: Command = Command::new(
    &["wq"],
    &[Arg::must("PATH", ArgKind::Output)],
    "record everything to PATH and quit",
    |given, model| {
        let sources = model.links.scope.clone();
        model.ask_for(Effect::Record { sources, path: Some(given.path(0)), quit: true });
    },
);
