//! Activities of records, as defined in the table. Dictionary, info, test and reply records have none, except for a
//! reset.

use spytui_plugin_api::{Activity, Output, Row, Verb, info::space::KINDS, row::RowFlags};

use crate::{config::Config, fast::Plan, layout::id, record::Record};

/// Adds the activities of a valid frame, before its row.
#[inline(never)]
pub(crate) fn record(config: &Config, plan: &Plan, row: Row, frame: &[u8], out: &mut Output<'_>) {
    if row.flags.intersects(RowFlags::MALFORMED) {
        return;
    }
    let &[_, id, ref payload @ .., _] = frame else { return };
    if row.flags.intersects(RowFlags::APPLICATION) {
        let marker = Activity::new(Verb::INSTANT).sub(KINDS, row.kind.0.into());
        return out.activity(Activity { core: row.core, ..marker });
    }
    if id == id::INFO && row.flags.intersects(RowFlags::EPOCH) {
        return out.activity(Activity { core: row.core, ..Activity::new(Verb::RESET) });
    }
    if let Record::Predefined(layout, values) = Record::read(config, Some(plan), frame, (id, payload)) {
        for meaning in layout.meanings.iter().flatten() {
            out.activity(meaning.activity(row.core, |field| values.number(field)));
        }
    }
}
