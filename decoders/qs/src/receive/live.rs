//! Lines of text that are shown before the flag behind them comes: no frame can have begun in them.

use spytui_hdlc::{ESCAPE, unstuffed};
use spytui_plugin_api::row::RowFlags;

use super::native::NativeReceiver;

/// Maximum length of a frame that reads as text up to a line feed, un-stuffed.
const PRINTABLE: usize = 64;
/// Number of ticks around the last time stamp within which four bytes are taken for another one.
const NEAR: u64 = 1 << 24;

impl NativeReceiver {
    /// Whether stuffed bytes begin with the expected sequence number.
    #[inline]
    pub(super) fn is_next(&self, body: &[u8]) -> bool {
        self.sequence.expected().is_some() && unstuffed(body).next() == self.sequence.expected()
    }

    /// Whether a frame may have begun in lines of text: one with the expected sequence number or, after lost ones, with
    /// a time stamp near the last one.
    pub(super) fn may_hold_frame(&self, lines: &[u8]) -> bool {
        let first = lines.len().saturating_sub(2 * PRINTABLE);
        (first..lines.len()).any(|at| self.may_begin(lines.get(at..).unwrap_or(&[])))
    }

    fn may_begin(&self, bytes: &[u8]) -> bool {
        let mut plain = unstuffed(bytes);
        let (seq, Some(id)) = (plain.next(), plain.next()) else {
            // The record id is still to come.
            return self.is_next(bytes) || bytes == [ESCAPE];
        };
        let plan = self.base.plans.of(id);
        let is_next = seq == self.sequence.expected();
        let is_likely = is_next || plan.flags.intersects(RowFlags::TIME_OWN) && self.is_near(plain);
        // The flag does not follow, so a frame goes on behind these bytes.
        is_likely && unstuffed(bytes).count() <= plan.frame_len().unwrap_or(PRINTABLE)
    }

    /// Whether these bytes are a time stamp near the last one.
    fn is_near(&self, plain: impl Iterator<Item = u8>) -> bool {
        let (size, clock) = (self.base.config.sizes.time, &self.base.clock);
        let bytes: Vec<u8> = plain.take(4).collect();
        let Some(stamp) = bytes.first_chunk().filter(|_| size == 4 && clock.is_known()) else { return false };
        clock.extend(u32::from_le_bytes(*stamp).into(), size).abs_diff(clock.now()) < NEAR
    }
}
