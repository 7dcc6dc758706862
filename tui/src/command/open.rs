//! `:open`: a further source.

use crate::{
    action::{Arg, ArgKind},
    model::{links, settings::Command},
};

pub(super) const OPEN: Command =
    Command::new(&["open"], &[Arg::must("LINK", ArgKind::Link)], "open a file, port or socket", |given, model| {
        if let Some(spec) = given.link(0) {
            links::open(model, spec);
        }
    })
    .alias(&["o"]);
