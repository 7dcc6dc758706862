//! Takes what the target tells of the records that it dropped: a user event that its names call so.

use spytui_plugin_api::{Output, Row, RowFlags};

use super::native::NativeReceiver;
use crate::{
    layout::{DROPS, Layout, Values, private_flag},
    names::Naming,
    record::{self, FrameParts},
};

impl NativeReceiver {
    /// Takes the event that may tell a total; call it just before its row is added.
    pub(super) fn drop_event(&mut self, frame: &[u8], row: &Row, out: &mut Output<'_>) {
        if row.flags.intersects(RowFlags::MALFORMED | private_flag::AGAIN) || !self.drops.may_be(DROPS) {
            return;
        }
        let args = FrameParts::of(frame, &self.base.config).map_or(&[][..], |parts| parts.args);
        let number = record::only_number(args, &self.base.config);
        if let Some(total) = number.and_then(|number| self.drops.number(DROPS, number)) {
            self.sequence.drop_total(total, out);
        }
    }

    /// Takes the name of an event, which may have told a total before.
    pub(super) fn drop_name(&mut self, layout: &Layout, values: &Values<'_>, out: &mut Output<'_>) {
        let naming = Naming::of(layout, values).filter(Naming::is_of_drops);
        if let Some(total) = naming.and_then(|naming| self.drops.name(DROPS, naming.name)) {
            self.sequence.drop_total(total, out);
        }
    }
}
