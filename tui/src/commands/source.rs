//! `:open`, `:show`, `:close`: the sources.

use spytui_engine::io::link::LinkSpec;

use crate::{
    demo::SCHEME as DEMO,
    input::{Arg, ArgKind},
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

pub(super) const SHOW: Command = Command::new(
    &["show"],
    &[Arg::must("SOURCE", ArgKind::Source)],
    "show another source, by its number or name",
    |given, model| links::show_named(model, &given.must(0)),
);

pub(super) const CLOSE: Command = Command::new(
    &["close"],
    &[Arg::may("SOURCE", ArgKind::Source)],
    "close a source, by its number or name; without one, the source shown",
    |given, model| links::close(model, given.text(0)),
);
