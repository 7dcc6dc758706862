//! The start of a target, byte for byte as it came before: it may have come twice, or the target started again. What
//! follows shows which; until then its frames are held.

use spytui_decoder_kit::RowBuilder;
use spytui_hdlc::{Segment, TextHandler};
use spytui_plugin_api::{
    Output, Row, RowKind,
    sequence::{Numbered, Step},
};

use super::{held_frames::HeldFrames, native::NativeReceiver};
use crate::frame::{GOOD_SUM, LONGEST, SHORTEST};

/// Numbers that may be missing behind a start that came again.
const NEAR: u8 = 8;

impl NativeReceiver {
    /// Takes a segment while frames are held, if it does not end that; the number of bytes consumed.
    pub(super) fn beside_held(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> Option<usize> {
        if !segment.ended && segment.body().len() < LONGEST {
            return Some(0);
        }
        let mut room = std::mem::take(&mut self.scratch);
        let frame = segment.frame(&mut room).filter(|(frame, sum)| *sum == GOOD_SUM && frame.len() >= SHORTEST);
        let is_frame = segment.ended && frame.is_some();
        self.scratch = room;
        if is_frame {
            self.validate(segment, out);
            return Some(segment.raw.len());
        }
        self.release_held(out);
        None
    }

    /// Holds a valid frame, if it may be of a start that came before; `starts` = it is the first of one. Otherwise it ends
    /// that.
    pub(super) fn holds(
        &mut self,
        (step, starts): (Step, bool),
        numbered: &Numbered<'_>,
        segment: &Segment<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let seq = numbered.number as u8;
        let may_begin = starts && self.held.is_near(segment.pos);
        if self.is_released || (self.held.is_empty() && !may_begin) {
            return false;
        }
        if step == Step::Again && !self.held.is_full() {
            self.settle_text(None, out);
            self.held.add(seq, segment);
            self.sequence.watch();
            return true;
        }
        let goes_on = seq.wrapping_sub(self.held.last).wrapping_sub(1) <= NEAR;
        let is_other = !matches!(step, Step::Next | Step::Again);
        self.release(is_other && goes_on, out);
        false
    }

    /// Nothing follows that shows whether the target started again: two frames may be of a start, more that are the same
    /// came twice.
    pub(super) fn release_held(&mut self, out: &mut Output<'_>) {
        if !self.held.is_empty() {
            self.release(self.held.frames.len() <= 2, out);
        }
    }

    /// Adds the rows of what is held.
    fn release(&mut self, started: bool, out: &mut Output<'_>) {
        let HeldFrames { frames, .. } = self.held.take();
        self.is_released = started;
        for (pos, raw, leading_flags) in &frames {
            if started {
                self.validate(Segment::new(*pos, raw, *leading_flags, true), out);
            } else {
                out.row(self.base.note(Row::note(RowKind::DUPLICATE, *pos, raw.len())));
            }
        }
        self.is_released = false;
    }
}
