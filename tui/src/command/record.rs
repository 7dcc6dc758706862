//! `:record`: everything received into a file.

use std::path::PathBuf;

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Effect, Model, settings::Command},
};

/// `:record`
pub(super) const RECORD: Command = Command {
    spec: CommandSpec {
        words: &["record"],
        aliases: &["r"],
        args: &[Arg::may("PATH|stop", ArgKind::Recording)],
        doc: "record what was received so far and what follows; never overwrites",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let sources = model.links.scope.clone();
    match given.text(0) {
        Some("stop") => model.ask_for(Effect::StopRecording(sources)),
        path => model.ask_for(Effect::Record { sources, path: path.map(PathBuf::from), quit: false }),
    }
    Ok(())
}
