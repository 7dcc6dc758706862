//! Fused frames: the flag between them arrived as 0 or is missing. The checksum of the whole is still valid; only the
//! length gives it away.

use spytui_decoder_kit::RowBuilder;
use spytui_hdlc::{ESCAPE, FLAG, Segment, sum};
use spytui_plugin_api::{
    Output, Row, RowFlags,
    row::{RowKind, Severity},
};

use super::native::NativeReceiver;
use crate::{
    frame::FrameLocation,
    layout::{UNIT_TEST, USER, private_flag},
    record::Fit,
};

/// Maximum length of fused frames in bytes, and their maximum number.
const MOST_BYTES: usize = 2048;
const MOST_FRAMES: usize = 4;

/// End of the first of several fused frames, and start of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteRange {
    end: usize,
    next: usize,
}

impl NativeReceiver {
    /// Separates fused frames; `false` if there is only one.
    pub(super) fn fused(
        &mut self,
        frame: &[u8],
        stuffed: &[u8],
        lead: usize,
        at: FrameLocation,
        out: &mut Output<'_>,
    ) -> bool {
        // Without checksums and known sizes, anything could be taken for two frames.
        if frame.len() > MOST_BYTES || !(self.base.config.checksum || self.target.is_configured()) {
            return false;
        }
        let Some(cut) = self.cut(frame, MOST_FRAMES) else { return false };
        let (Some(end), Some(next)) = (place(stuffed, cut.end), place(stuffed, cut.next)) else { return false };
        let (Some(first), Some(first_stuffed)) = (frame.get(..cut.end), stuffed.get(..end)) else { return false };
        let escaped = first_stuffed.contains(&ESCAPE);
        let mut own = FrameLocation::new(at.pos, lead + next, escaped);
        own.flags |= if next > end { private_flag::FUSED } else { RowFlags::empty() };
        if let Some(first) = self.base.read(first) {
            self.take(&first, own, out);
        }
        let pos = at.pos + own.len as u64;
        let how = if next > end { "arrived as 0" } else { "did not arrive" };
        let text = format!("two frames ran together: the flag between them {how}; taken apart");
        let note = Row::note(RowKind::BAD_FRAME, pos, 0);
        self.base.say(out, Row { severity: Severity::WARNING, ..note }, &text);
        let rest = stuffed.get(next..).unwrap_or(&[]);
        let mut raw = rest.to_vec();
        raw.push(FLAG);
        self.validate(Segment::new(pos, &raw, 0, true), out);
        true
    }

    /// Whether a valid user record is two fused frames after all: the second one may pass for more items, but not with
    /// a checksum, a zero and the next sequence number in the middle.
    pub(super) fn hides_another(&self, frame: &[u8]) -> bool {
        let user = frame.first().is_some_and(|id| (USER..UNIT_TEST).contains(id));
        let evident = self.base.config.checksum && self.base.config.nseq && frame.len() <= MOST_BYTES;
        user && evident && self.cut(frame, MOST_FRAMES).is_some_and(|cut| cut.next > cut.end)
    }

    /// The first position where the bytes split into a frame that fits its id and one or more further frames.
    fn cut(&self, frame: &[u8], most: usize) -> Option<ByteRange> {
        let config = &self.base.config;
        let shortest = config.header() + config.trailer();
        let mut total = sum(frame.get(..shortest.saturating_sub(1))?);
        (shortest..frame.len()).find_map(|end| {
            total = total.wrapping_add(*frame.get(end.wrapping_sub(1))?);
            if config.checksum && total != 0 {
                return None;
            }
            let (first, rest) = frame.split_at_checked(end)?;
            if !self.is_frame(first) {
                return None;
            }
            let next = |skipped: usize| {
                let rest = rest.get(skipped..)?;
                let good = self.follows(first, rest)
                    && (self.is_frame(rest) || (most > 2 && self.cut(rest, most - 1).is_some()));
                good.then_some(ByteRange { end, next: end + skipped })
            };
            // The flag arrived as 0, or is missing.
            if rest.first() == Some(&0) { next(1).or_else(|| next(0)) } else { next(0) }
        })
    }

    /// Whether the bytes are one frame: a known id, exactly its arguments, a valid checksum.
    pub(super) fn is_frame(&self, frame: &[u8]) -> bool {
        let known = frame.first().is_some_and(|id| self.base.knows(*id));
        known
            && self.base.fit(self.base.read(frame).as_ref()) == Fit::Exact
            && (!self.base.config.checksum || sum(frame) == 0)
    }

    /// Whether the sequence number of a frame follows that of another.
    fn follows(&self, first: &[u8], next: &[u8]) -> bool {
        let nseq = |frame| self.base.read(frame).and_then(|frame| frame.nseq(&self.base.config));
        match (nseq(first), nseq(next)) {
            (Some(first), Some(next)) => first.wrapping_add(1) == next,
            (None, None) => true,
            _ => false,
        }
    }
}

/// Position in stuffed bytes of the un-stuffed byte `index`.
fn place(stuffed: &[u8], index: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..index {
        at += if *stuffed.get(at)? == ESCAPE { 2 } else { 1 };
    }
    (at <= stuffed.len()).then_some(at)
}
