//! Takes what the target reports of the records that it dropped.

use spytui_plugin_api::{Output, Row, RowFlags};

use super::native::NativeReceiver;
use crate::{
    layout::{Layout, USER, Values, private_flag},
    names::Naming,
    record::{self, Frame},
};

impl NativeReceiver {
    /// Takes the event that may report a total; call it just before its row is added.
    pub(super) fn drop_event(&mut self, frame: &Frame<'_>, row: &Row, out: &mut Output<'_>) {
        if row.flags.intersects(RowFlags::MALFORMED | private_flag::AGAIN) {
            return;
        }
        let config = &self.base.config;
        let read = |element| record::total(frame.args(config), config, element);
        if let Some(total) = self.drops.record(frame.id(), USER, read) {
            self.total(total, out);
        }
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
