//! Takes what the target tells of the records that it dropped.

use spytui_plugin_api::Output;

use super::native::NativeReceiver;
use crate::{fast::Shape, frame::FrameLocation, layout::id, names, record};

impl NativeReceiver {
    /// How many records the target dropped, if a record tells or names what told it.
    pub(super) fn drop_total(&mut self, id: u8, frame: &[u8]) -> Option<u32> {
        if id == id::USR_DICT {
            let (named, name) = names::user_name(&self.base.config, frame)?;
            return self.drops.name(named, name);
        }
        if !self.drops.may_be(id) || self.base.plans.of(id).shape != Shape::Application {
            return None;
        }
        let number = record::only_number(frame.get(2..frame.len().saturating_sub(1))?, &self.base.config.sizes)?;
        self.drops.number(id, number)
    }

    /// Adds the row of a record that tells how many records the target dropped.
    pub(super) fn total(&mut self, total: u32, frame: &[u8], at: FrameLocation, out: &mut Output<'_>) {
        let row = self.base.record(frame, at);
        self.step_back(&row, out);
        if !self.late {
            self.sequence.drop_total(total, out);
        }
        self.push(row, frame, out);
    }
}
