//! `:export`: everything received so far in the form of another tool.

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, Given},
    model::{Effect, Model, settings::Command},
};

/// `:export perfetto`
pub(super) const PERFETTO: Command = Command {
    spec: CommandSpec {
        words: &["export", "perfetto"],
        aliases: &[],
        args: &[Arg::must("PATH", ArgKind::Output)],
        doc: "write everything received so far as a trace for the Perfetto viewer; never overwrites",
    },
    run,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let decoding = model.list.decoding().clone();
    model.ask_for(Effect::ExportPerfetto { decoding, path: given.path(0) });
    Ok(())
}
