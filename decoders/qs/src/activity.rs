//! Activities of records, as defined in the table. Dictionary, info, test and reply records have none, except for a
//! reset.

use spytui_plugin_api::{Activity, Output, Row, Verb, info::space::KINDS, row::RowFlags};

use crate::{
    config::Config,
    fast::Plan,
    layout::{Layout, id},
    record::Record,
};

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
    if let (true, Some(layout)) = (plan.fits(frame), plan.layout) {
        return push(layout, row.core, |field| plan.number(field, frame), out);
    }
    if let Record::Predefined(layout, values) = Record::parse(config, id, payload) {
        push(layout, row.core, |field| values.number(field), out);
    }
}

/// Pushes the activities of a predefined record.
fn push(layout: &Layout, core: u16, number: impl Fn(u8) -> u64, out: &mut Output<'_>) {
    for meaning in layout.meanings.iter().flatten() {
        out.activity(meaning.activity(core, &number));
    }
}
