//! Text on the trace line. Its lines are shown before the flag behind them comes, if no frame can have begun in them; text
//! with flags in it is held until what follows shows that it is no damage.

use spytui_decoder_kit::RowBuilder;
use spytui_hdlc::{ESCAPE, HeldText, Segment, TextHandler, unstuffed};
use spytui_plugin_api::{
    Output, Row,
    row::{RowFlags, RowKind},
};

use super::native::NativeReceiver;

/// Maximum length of a frame that reads as text up to a line feed, un-stuffed.
const PRINTABLE: usize = 64;
/// Number of ticks around the last time stamp within which four bytes are taken for another one.
const NEAR: u64 = 1 << 24;

impl TextHandler for NativeReceiver {
    fn held_text(&mut self) -> &mut HeldText {
        &mut self.held_text
    }

    fn note(&self, note: Row) -> Row {
        self.base.note(note)
    }

    fn skipped(&mut self, kind: RowKind, is_damage: bool) {
        if is_damage {
            self.sequence.skipped(!matches!(kind, RowKind::PARTIAL | RowKind::RESYNC));
            self.records_lost();
        }
    }

    fn take_frame(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        self.validate(segment, out);
    }
}

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
        // The flag does not follow, so a frame would continue after these bytes.
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
