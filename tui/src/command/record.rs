//! `:record`: everything received into a file.

use std::path::PathBuf;

use crate::{
    action::{Arg, ArgKind},
    model::{Effect, settings::Command},
};

pub(super) const RECORD: Command = Command::new(
    &["record"],
    &[Arg::may("PATH|stop", ArgKind::Recording)],
    "record what was received so far and what follows; never overwrites",
    |given, model| {
        let sources = model.links.scope.clone();
        match given.text(0) {
            Some("stop") => model.ask_for(Effect::StopRecording(sources)),
            path => model.ask_for(Effect::Record { sources, path: path.map(PathBuf::from), quit: false }),
        }
    },
)
.alias(&["r"]);
