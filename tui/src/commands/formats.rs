//! `:formats`: format files listed, and checked.

use crate::{
    input::{Arg, ArgKind, LOG},
    model::{Effect, formats, settings::Command},
};

pub(super) const LIST: Command = Command::new(&["formats"], &[], "list the files with texts of records", |_, model| {
    formats::report(model);
    model.panes.show(LOG);
});

pub(super) const LOAD: Command = Command::new(
    &["formats", "load"],
    &[Arg::must("PATH", ArgKind::Input)],
    "use a format file, or a folder of them, from now on",
    |given, model| model.ask_for(Effect::LoadFormats(given.path(0))),
);

pub(super) const CHECK: Command = Command::new(
    &["formats", "check"],
    &[Arg::must("PATH", ArgKind::Input)],
    "list the wrong lines of a format file",
    |given, model| model.ask_for(Effect::CheckFormats(given.path(0))),
);
