//! Text printed on the trace line: boot banners, `printf`. It runs into the next frame, as frames begin without a flag.
//! Complete lines are shown before that, if no frame can have begun in them.

use spytui_decoder_kit::RowBuilder;
use spytui_hdlc::{ESCAPE, FLAG, HeldText, Segment, Suffix, TextHandler, suffixes, unstuff, unstuffed};
use spytui_plugin_api::{Output, Row, console, row::RowKind};

use super::native::NativeReceiver;
use crate::{
    config::Tcfg,
    frame::LONGEST,
    layout::layout,
    record::{self, Frame},
};

/// Number of ticks around the last time stamp within which four bytes are taken for another one.
const NEAR: u64 = 1 << 24;
/// One more than the number of frames that may be missing before one after text.
const NEAR_TEXT: u8 = 16;

impl TextHandler for NativeReceiver {
    fn held_text(&mut self) -> &mut HeldText {
        &mut self.held_text
    }

    fn note(&self, note: Row) -> Row {
        self.base.note(note)
    }

    fn damage(&self, kind: RowKind, pos: u64, len: usize) -> Row {
        self.base.damage(kind, pos, len)
    }

    fn skipped(&mut self, kind: RowKind, is_damage: bool) {
        self.fresh = false;
        if is_damage {
            let is_frame = !matches!(kind, RowKind::PARTIAL | RowKind::RESYNC | RowKind::CUT_OFF | RowKind::TAIL);
            self.sequence.skipped(is_frame);
            self.queues.records_lost();
        }
    }

    fn take_frame(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        self.validate(segment, out);
    }
}

impl NativeReceiver {
    /// Takes a segment without the expected sequence number, which may not be complete: first lines of text. Returns
    /// the number of bytes consumed.
    #[cold]
    pub(super) fn unexpected(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let mut done = 0;
        while let Some(lines) = self.lines(segment, done, out) {
            done = lines;
        }
        if done == 0 {
            return self.frames(segment, out);
        }
        let rest = segment.raw.get(done..).unwrap_or(&[]);
        if rest.len() <= usize::from(segment.ended) {
            // The flag becomes a leading flag of the next segment.
            return done;
        }
        done + self.frames(Segment::new(segment.pos + done as u64, rest, 0, segment.ended), out)
    }

    /// Takes lines of text after the first `done` bytes of a segment; returns where they end.
    fn lines(&mut self, segment: Segment<'_>, done: usize, out: &mut Output<'_>) -> Option<usize> {
        if self.overlong || self.sequence.expected().is_none() || self.held_text.has_frame() {
            return None;
        }
        let lead = if done == 0 { segment.leading_flags } else { 0 };
        let start = done + lead;
        let body = segment.raw.get(start..segment.raw.len() - usize::from(segment.ended))?;
        let body = body.get(..LONGEST).unwrap_or(body);
        let fewest = self.held_text.fewest();
        let mut scanned = self.scanned;
        let end = console::live_line(body, &mut scanned, fewest, |lines| self.may_hold_frame(lines));
        self.scanned = scanned;
        let end = end?;
        let lines = body.get(..end)?;
        self.text(segment.pos + done as u64, lead, lines, 0, out);
        (self.scanned, self.fresh) = (0, false);
        Some(start + end)
    }

    /// Whether a frame may have begun in lines of text: one with the expected sequence number or, after lost ones, with
    /// a time stamp near the last one.
    fn may_hold_frame(&self, lines: &[u8]) -> bool {
        let (expected, config) = (self.sequence.expected(), &self.base.config);
        let is_escaped = matches!(expected, Some(ESCAPE | FLAG));
        let is_next = |seq: u8| Some(seq) == expected || is_escaped && seq == ESCAPE;
        let stamped = config.stamp == 4 && self.base.clock.is_known();
        let begins = |at: usize| match lines.get(at..).unwrap_or(&[]) {
            [id, ..] if !self.base.knows(*id) => false,
            [_, seq, ..] if is_next(*seq) => true,
            [_, _, a, b, c, d, ..] if stamped => self.is_near([*a, *b, *c, *d]),
            // Without a time stamp only the first bytes are doubted. Stuffed, a frame has twice its length at most.
            [id, _, ..] => at == 0 && !stamped && lines.len() < self.longest(*id),
            // The sequence number is still to come.
            [_] => true,
            [] => false,
        };
        (0..lines.len()).any(begins)
    }

    /// Maximum length of a stuffed frame.
    fn longest(&self, id: u8) -> usize {
        let config = &self.base.config;
        layout(id, config.era).and_then(|layout| record::length(layout, config)).map_or(usize::MAX, |len| 2 * len)
    }

    /// Whether the bytes of a time stamp, stuffed, may be one near the last.
    fn is_near(&self, stamp: [u8; 4]) -> bool {
        let ticks = self.base.clock.extend(u32::from_le_bytes(stamp).into(), 4).abs_diff(self.base.clock.now());
        ticks < NEAR || stamp.contains(&ESCAPE)
    }

    /// Takes a segment without a frame: text, text and a frame, or damage.
    #[cold]
    pub(super) fn no_frame(&mut self, kind: RowKind, segment: Segment<'_>, out: &mut Output<'_>) {
        if !self.printed(segment, out) && !self.holds_text(segment, Some(kind), false, out) {
            self.damaged(kind, segment, out);
        }
    }

    /// Takes a damaged segment that is text, or text and a frame; `false` if it is neither.
    #[cold]
    pub(super) fn printed(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        let body = segment.body();
        if let Some(start) = self.frame_after_text(body, false) {
            self.text_and_frame(segment, start, out);
            return true;
        }
        let is_text = self.held_text.is_text(body);
        if is_text && !self.holds_text(segment, Some(RowKind::BAD_FRAME), true, out) {
            self.text(segment.pos, segment.leading_flags, body, 1, out);
        }
        is_text
    }

    /// Takes a segment whose frame begins with a byte of its body.
    fn text_and_frame(&mut self, segment: Segment<'_>, start: usize, out: &mut Output<'_>) {
        let lead = segment.leading_flags;
        let (text, frame) = segment.body().split_at(start);
        let mut raw = frame.to_vec();
        raw.push(FLAG);
        let mut head = unstuffed(frame).skip(1);
        if self.held_text.has_frame() && head.next() == self.sequence.expected() {
            self.settle_text(Some(0), out);
        }
        self.text(segment.pos, lead, text, 0, out);
        self.fresh = false;
        self.validate(Segment::new(segment.pos + (lead + start) as u64, &raw, 0, true), out);
    }

    /// Number of frames that are missing before this one, as far as its number says that.
    pub(super) fn missing(&self, frame: &Frame<'_>) -> Option<usize> {
        let distance = self.sequence.distance(frame.nseq(&self.base.config)?)?;
        (distance < 0x80).then_some(distance.into())
    }

    /// Takes a frame whose number is not the next, if it is text with the right sum by chance: the next frame is in it or,
    /// if it is held, follows.
    #[cold]
    pub(super) fn is_printed(&mut self, frame: &Frame<'_>, segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        let distance = frame.nseq(&self.base.config).and_then(|seq| self.sequence.distance(seq));
        if distance.is_none_or(|distance| distance == 0) || self.held_text.is_settled {
            return false;
        }
        let start = self.frame_after_text(segment.body(), true).filter(|_| self.base.config.checksum);
        if let Some(start) = start {
            self.text_and_frame(segment, start, out);
        }
        start.is_some() || self.holds_text(segment, None, false, out)
    }

    /// Start of the frame after the text at the start of a segment. `is_next` = only of one with the expected number.
    fn frame_after_text(&self, body: &[u8], is_next: bool) -> Option<usize> {
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
            unstuff(stuffed, &mut frame);
            if Tcfg::find(&frame, self.target.version()).is_some() {
                return Some(start);
            }
            let front = body.get(..start).unwrap_or(&[]);
            if self.is_frame(&frame) && self.is_likely(front, &frame, is_next) {
                found = Some(start);
            }
        }
        found
    }

    /// Whether a frame is likely to follow this text: it has the next sequence number, or there is a checksum and a number
    /// near that or enough text. Without any of them, the text must be a line.
    fn is_likely(&self, text: &[u8], frame: &[u8], is_next: bool) -> bool {
        let seq = self.base.read(frame).and_then(|frame| frame.nseq(&self.base.config));
        let missing = seq.and_then(|seq| self.sequence.distance(seq));
        let is_near = missing.is_some_and(|missing| missing < NEAR_TEXT);
        let evident = self.base.config.checksum && (is_near || self.held_text.is_text(text));
        missing == Some(0) || !is_next && (evident || seq.is_none() && text.ends_with(b"\n"))
    }
}
