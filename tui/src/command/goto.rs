//! `:goto`: a row by number, time, byte or mark.

use crate::{
    action::{Arg, ArgKind, LOG, RECORDS},
    model::{jump, settings::Command},
};

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
