//! `:mark`: a bookmark at the cursor row.

use crate::{
    action::{Arg, ArgKind},
    model::{jump, settings::Command},
};

pub(super) const MARK: Command = Command::new(
    &["mark"],
    &[Arg::may("NAME", ArgKind::NewName), Arg::may("NOTE", ArgKind::Text)],
    "mark the cursor row",
    |given, model| jump::mark(model, given.text(0).map(str::to_owned), given.must(1)),
);
