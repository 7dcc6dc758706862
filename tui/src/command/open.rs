//! `:open`: a further source.

use spytui_engine::link::LinkSpec;

use crate::{
    action::{Arg, ArgKind},
    demo::SCHEME as DEMO,
    model::{links, settings::Command},
};

pub(super) const OPEN: Command =
    Command::new(&["open"], &[Arg::must("LINK", ArgKind::Link)], "open a file, port or socket", |given, model| {
        // Only this program knows its demo.
        let demo = given.text(0).filter(|text| text.starts_with(DEMO)).map(LinkSpec::path);
        if let Some(spec) = demo.or_else(|| given.link(0)) {
            links::open(model, spec);
        }
    })
    .alias(&["o"]);
