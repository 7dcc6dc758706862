//! Takes what the target reports of the records that it dropped.

use spytui_plugin_api::{Output, RowFlags};

use super::native::NativeReceiver;
use crate::{
    frame::FrameLocation,
    layout::{self, id},
    names, record,
};

impl NativeReceiver {
    /// How many records the target dropped, if a record reports or names it.
    pub(super) fn drop_total(&mut self, id: u8, frame: &[u8]) -> Option<u32> {
        if id == id::USR_DICT {
            let (named, name) = names::user_name(&self.base.config, frame)?;
            return self.drops.name(named, name);
        }
        if !self.base.plans.of(id).flags.intersects(RowFlags::APPLICATION) {
            return None;
        }
        let config = &self.base.config;
        let payload = frame.get(2..frame.len().saturating_sub(1))?;
        let first = layout::user_base(config.version, config.style);
        self.drops.record(id, first, |element| record::total(payload, &config.sizes, element))
    }

    /// Adds the row of a record that reports how many records the target dropped.
    pub(super) fn total(&mut self, total: u32, frame: &[u8], at: FrameLocation, out: &mut Output<'_>) {
        let mut row = self.base.record(frame, at);
        row.flags -= self.clock_news(row.pos, out);
        self.is_aside = self.is_aside && !self.sequence.proves(total, out);
        if !self.is_aside && self.sequence.drop_total(total, out) {
            self.posts.records_lost();
        }
        self.push(row, frame, out);
    }
}
