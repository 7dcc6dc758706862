//! How long events waited in the queues of active objects. Posts and gets report the free entries of the queue; an empty
//! one has as many as before, less one, when the next event is posted.

use spytui_decoder_kit::Fill;
use spytui_plugin_api::{Output, row::RowFlags};

use super::native::NativeReceiver;
use crate::layout::{id, private_attachment};

impl NativeReceiver {
    /// Pairs posts and gets, just before their rows are added; the response time becomes an attachment of the get.
    #[inline(never)]
    pub(super) fn post_or_get(&mut self, id: u8, frame: &[u8], (time, flags): (u64, RowFlags), out: &mut Output<'_>) {
        if self.is_aside || !flags.contains(RowFlags::TIME_OWN) {
            return self.posts.records_lost();
        }
        let plan = self.base.plans.of(id);
        let (object, signal) = (plan.obj.read(frame), plan.sig.read(frame));
        let fill = if id == id::GET_LAST { Fill::Length(0) } else { Fill::Free(plan.free.read(frame)) };
        if matches!(id, id::POST | id::POST_LIFO) {
            return self.posts.post(object, signal, time, fill, id == id::POST_LIFO);
        }
        let posted = self.posts.get(object, signal, fill);
        if let Some(waited) = posted.and_then(|posted| time.checked_sub(posted)) {
            out.attachment(private_attachment::RT, waited, 0);
        }
    }
}
