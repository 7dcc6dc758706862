//! Takes what the target reports of the records that it dropped.

use spytui_plugin_api::{Output, Row, RowFlags};

use super::native::NativeReceiver;
use crate::{
    layout::{Layout, USER, Values},
    names::Naming,
    record::{self, Frame, Record},
};

impl NativeReceiver {
    /// Takes the event that may report a total; call it just before its row is added.
    pub(super) fn drop_event(&mut self, frame: &Frame<'_>, row: Row, out: &mut Output<'_>) {
        if let Some(total) = self.reported(frame, &row) {
            self.total(total, out);
        }
    }

    /// Whether an event that is out of order reports a total by which it is not.
    pub(super) fn proves(&mut self, frame: &Frame<'_>, row: &Row, out: &mut Output<'_>) -> bool {
        self.reported(frame, row).is_some_and(|total| self.sequence.proves(total, out))
    }

    fn reported(&mut self, frame: &Frame<'_>, row: &Row) -> Option<u32> {
        if row.flags.intersects(RowFlags::MALFORMED) || !matches!(frame.record, Record::User) {
            return None;
        }
        let config = &self.base.config;
        self.drops.record(frame.id(), USER, |element| record::total(frame.args(config), config, element))
    }

    /// Takes the name of an event, which may have reported a total before.
    pub(super) fn drop_name(&mut self, layout: &Layout, values: &Values<'_>, out: &mut Output<'_>) {
        let naming = Naming::of(layout, values);
        if let Some(total) = naming.and_then(|naming| self.drops.name(naming.user_event()?, naming.name)) {
            self.total(total, out);
        }
    }

    fn total(&mut self, total: u32, out: &mut Output<'_>) {
        if self.sequence.drop_total(total, out) {
            self.queues.records_lost();
        }
    }
}
