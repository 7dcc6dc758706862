//! `:find`, `:goto`, `:mark`: rows to go to.

use crate::{
    input::{Arg, ArgKind, LOG, RECORDS},
    model::{jump, search, settings::Command},
};

pub(super) const FIND: Command =
    Command::new(&["find"], &[Arg::must("EXPR", ArgKind::Search)], "go to the next row that passes", |given, model| {
        if let Some(expr) = given.search(0, model) {
            let text = expr.to_string();
            search::begin(model, expr, text);
        }
    });

pub(super) const GOTO: Command = Command::new(
    &["goto"],
    &[Arg::must("WHERE", ArgKind::Where)],
    "go to #714, 12.5ms, @0x1a4f0, 'mark, gap, error, reset, first or last",
    |given, model| {
        if let Some(location) = given.location(0) {
            jump::to_location(model, &location);
            if model.panes.front() == LOG {
                // There the cursor would not be seen.
                model.panes.show(RECORDS);
            }
        }
    },
)
.alias(&["g"]);

pub(super) const MARK: Command = Command::new(
    &["mark"],
    &[Arg::may("NAME", ArgKind::NewName), Arg::may("NOTE", ArgKind::Text)],
    "mark the cursor row",
    |given, model| jump::mark(model, given.text(0).map(str::to_owned), given.must(1)),
);
