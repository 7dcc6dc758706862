//! `:export`: everything received so far in the form of another tool.

use crate::{
    action::{Arg, ArgKind},
    model::{Effect, settings::Command},
};

pub(super) const PERFETTO: Command = Command::new(
    &["export", "perfetto"],
    &[Arg::must("PATH", ArgKind::Output)],
    "write everything received so far as a trace for the Perfetto viewer; never overwrites",
    |given, model| {
        let decoding = model.list.decoding().clone();
        model.ask_for(Effect::ExportPerfetto { decoding, path: given.path(0) });
    },
);
