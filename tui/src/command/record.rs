//! `:record`: everything received into a file.

use std::path::PathBuf;

use crate::{
    action::{Arg, ArgKind, unescaped},
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
            path => {
                let path = path.map(|path| PathBuf::from(unescaped(path)));
                model.ask_for(Effect::Record { sources, path, quit: false });
            }
        }
    },
)
.alias(&["r"]);
