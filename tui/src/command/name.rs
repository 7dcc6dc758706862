//! `:name`: a name for a key of the dictionary.

use crate::{
    action::{Arg, ArgKind},
    model::{names, settings::Command},
};

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
