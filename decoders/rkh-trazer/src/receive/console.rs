//! Text printed on the trace line: boot banners, `printf`. It runs into the next frame, as frames begin without a flag.

use spytui_decoder_kit::{RowBuilder, console};
use spytui_hdlc::{FLAG, Segment, Suffix, suffixes, unstuff_into};
use spytui_plugin_api::{Output, Row, row::RowKind};

use super::native::NativeReceiver;
use crate::config::Tcfg;

impl NativeReceiver {
    /// Takes a damaged segment that is text, or text and a frame; `false` if it is neither.
    #[cold]
    pub(super) fn printed(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        let (body, lead) = (segment.body(), segment.leading_flags);
        if let Some(start) = self.frame_after_text(body) {
            let (text, frame) = body.split_at(start);
            self.text(segment.pos, lead, text, 0, out);
            let mut raw = frame.to_vec();
            raw.push(FLAG);
            self.fresh = false;
            let kept = std::mem::take(&mut self.scratch);
            self.validate(Segment::new(segment.pos + (lead + start) as u64, &raw, 0, true), out);
            self.scratch = kept;
            return true;
        }
        let is_text = self.is_text(body);
        if is_text {
            self.text(segment.pos, lead, body, 1, out);
        }
        is_text
    }

    /// Whether bytes without a frame are text.
    pub(super) fn is_text(&self, body: &[u8]) -> bool {
        console::is_text(body) && (self.in_text || body.len() >= console::FEWEST)
    }

    /// Adds rows of text between flags.
    pub(super) fn text(&mut self, pos: u64, lead: usize, text: &[u8], flags: usize, out: &mut Output<'_>) {
        for (start, len) in console::rows(text, lead, flags) {
            out.row(self.base.note(Row::note(RowKind::CONSOLE, pos + start as u64, len)));
        }
        self.in_text = true;
    }

    /// Start of the frame after the text at the start of a segment.
    fn frame_after_text(&self, body: &[u8]) -> Option<usize> {
        let text = console::text_len(body);
        if text == 0 {
            return None;
        }
        let shortest = self.base.config.header() + self.base.config.trailer();
        let checked = self.base.config.checksum;
        let mut frame = Vec::new();
        let mut found = None;
        for Suffix { start, stuffed, sum, len } in suffixes(body) {
            if start > text || len < shortest || checked && sum != 0 {
                continue;
            }
            frame.clear();
            unstuff_into(stuffed, |byte| frame.push(byte));
            if Tcfg::find(&frame, self.target.version()).is_some() {
                return Some(start);
            }
            let front = body.get(..start).unwrap_or(&[]);
            if self.is_frame(&frame) && self.is_likely(front, &frame) {
                found = Some(start);
            }
        }
        found
    }

    /// Whether a frame is likely to follow this text: it has the next sequence number, or there is a checksum and
    /// enough text. Without any of them, the text must be a line.
    fn is_likely(&self, text: &[u8], frame: &[u8]) -> bool {
        let seq = self.base.plans.header.nseq(frame);
        let expected = seq.is_some() && self.sequence.expected() == seq;
        let evident = self.base.config.checksum && self.is_text(text);
        expected || evident || seq.is_none() && text.ends_with(b"\n")
    }
}
