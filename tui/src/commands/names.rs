//! `:dict`, `:name`: saving, loading, forgetting and setting names.

use crate::{
    input::{Arg, ArgKind},
    model::{Effect, names, settings::Command},
};

pub(super) const SAVE: Command = Command::new(
    &["dict", "save"],
    &[Arg::must("PATH", ArgKind::Output)],
    "save the names to a .dic file",
    |given, model| names::save(model, &given.path(0)),
);

pub(super) const LOAD: Command = Command::new(
    &["dict", "load"],
    &[Arg::must("PATH", ArgKind::Input)],
    "load names from a .dic file",
    |given, model| model.ask_for(Effect::LoadNames(given.path(0), model.list.rows.parts().to_vec())),
);

pub(super) const CLEAR: Command = Command::new(&["dict", "clear"], &[], "forget all names", |_, model| {
    model.ask_for(Effect::ClearNames(model.list.rows.parts().to_vec()));
    model.say("all names cleared, until the target sends them again");
});

pub(super) const NAME: Command = Command::new(
    &["name"],
    &[Arg::must("SPACE", ArgKind::Space), Arg::must("KEY", ArgKind::Key), Arg::must("NAME", ArgKind::Text)],
    "give something a name, as obj 0x4110E0 pump",
    |given, model| {
        if let Some(key) = given.key(1) {
            names::set(model, &given.must(0), key, &given.must(2));
        }
    },
);
