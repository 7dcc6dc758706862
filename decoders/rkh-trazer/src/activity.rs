//! Activities of records, as defined in the table of events. Dictionary, configuration and unit-test records have none.

use spytui_plugin_api::{Activity, Output, Row, RowFlags, Verb, info::space::KINDS};

use crate::layout::{Layout, Values};

/// Adds the activity of a user event, before its row.
pub(crate) fn user(row: Row, out: &mut Output<'_>) {
    if out.wants_activities() && row.flags.contains(RowFlags::APPLICATION) {
        out.activity(Activity { core: row.core, ..Activity::new(Verb::INSTANT).sub(KINDS, row.kind.0.into()) });
    }
}

/// Adds the activities of a valid event, before its row.
#[inline(never)]
pub(crate) fn record(layout: &Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
    for meaning in layout.meanings.iter().flatten() {
        out.activity(meaning.activity(row.core, |field| values.number(field)));
    }
}
