//! `:open`: a further source.

use crate::{
    action::{Arg, ArgKind},
    model::{links, settings::Command},
};

pub(super) const OPEN: Command =
    Command::new(&["open"], &[Arg::must("LINK", ArgKind::Link)], "open a file, port or socket", |given, model| {
        links::open(model, given.link(0)?);
        Ok(())
    })
    .alias(&["o"]);
