//! Classifies a segment: record, damaged frame, text, or frame after text or noise. Detects losses before it.

use spytui_decoder_kit::RowBuilder;
use spytui_hdlc::{LineHandler, Segment, Suffix, suffixes, unstuff, whole};
use spytui_plugin_api::{
    Activity, Output, Row, Verb, console,
    row::{RowFlags, RowKind},
};
use spytui_plugin_layer::{
    Order,
    sequence::{Decision, FramePlace, Numbered, Step},
};

use super::native::NativeReceiver;
use crate::{
    config::Style,
    frame::{FrameLocation, GOOD_SUM, SHORTEST},
    layout::id,
    record::TargetInfo,
};

/// Maximum sequence jump at which a frame after noise is accepted.
const NEAR: u8 = 4;
/// Maximum sequence jump at which a frame after text is accepted.
const NEAR_TEXT: u8 = 64;

impl NativeReceiver {
    #[inline]
    pub(super) fn validate(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        let mut room = std::mem::take(&mut self.line.scratch);
        match segment.frame(&mut room) {
            Some((frame, GOOD_SUM)) if frame.len() >= SHORTEST => self.good(segment, frame, out),
            frame => self.bad(segment, frame.map(|(_, sum)| sum), out),
        }
        (self.line.scratch, self.line.scanned) = (room, 0);
    }

    #[inline]
    fn good(&mut self, segment: Segment<'_>, frame: &[u8], out: &mut Output<'_>) {
        let [seq, id, payload @ .., _] = frame else { return };
        let plain = self.line.sequence.is_plain(*seq) && self.base.plans.of(*id).is_plain(frame);
        let fits = if plain { None } else { Some(self.base.fits(*id, payload)) };
        if fits.is_some_and(|fits| !self.accept(segment, frame, fits, out)) {
            return;
        }
        let at = FrameLocation { pos: segment.pos, len: segment.raw.len(), escaped: segment.escaped, fits };
        if fits.is_none() {
            self.line.sequence.numbers.take_plain(frame);
        }
        if self.is_aside {
            self.out_of_order(frame, *id, at, out);
        } else {
            self.record(frame, *id, at, out);
        }
        self.taken();
    }

    /// Takes an out-of-order record: it affects neither the time nor pending posts.
    #[cold]
    fn out_of_order(&mut self, frame: &[u8], id: u8, at: FrameLocation, out: &mut Output<'_>) {
        let clock = self.base.clock.clone();
        self.base.clock.set_late(true);
        self.record(frame, id, at, out);
        // Its content may have proved that it is in order.
        if std::mem::take(&mut self.is_aside) {
            self.base.clock = clock;
        }
        self.base.clock.set_late(false);
    }

    /// Whether to accept a frame with a valid checksum that is not a fixed-length record; if so, takes its sequence
    /// number. `fits` = its payload fits.
    #[inline(never)]
    fn accept(&mut self, segment: Segment<'_>, frame: &[u8], fits: bool, out: &mut Output<'_>) -> bool {
        let [seq, ..] = frame else { return false };
        if !self.line.sequence.is_plain(*seq) && self.line.sequence.expected() == Some(*seq) {
            self.settle_text(Some(0), out);
            if self.line.held_start.is_empty() {
                self.line.sequence.numbers.unwatch();
            }
        }
        if !self.line.sequence.is_plain(*seq) {
            return self.jump(segment, frame, out);
        }
        let text = segment.body().iter().take(2).all(|&b| console::is_text_byte(b));
        if text && !fits && self.split(segment, true, out) {
            return false;
        }
        self.line.sequence.numbers.take_plain(frame);
        true
    }

    /// Checks a valid frame with an unexpected sequence number; returns whether it is a record.
    #[cold]
    fn jump(&mut self, segment: Segment<'_>, frame: &[u8], out: &mut Output<'_>) -> bool {
        let [seq, id, payload @ .., _] = frame else { return false };
        let numbered = self.numbered(segment.pos, frame);
        let info = Some(payload).filter(|_| *id == id::INFO).and_then(|p| TargetInfo::parse(p, Style::Native));
        let starts = *id == id::EMPTY || info.is_some_and(|info| info.reset);
        let step = self.line.sequence.numbers.step(&numbered);
        if self.holds(starts, (*seq, step, numbered.order), &segment, out) {
            return false;
        }
        let starts = starts && self.line.held_start.came_late().is_none();
        let step = self.line.sequence.numbers.step(&numbered);
        let is_again = step == Step::Again && !starts;
        if !is_again && self.is_suspect(segment, *seq, *id, payload, out) {
            return false;
        }
        let is_far = step != Step::Late && self.line.sequence.distance(*seq).is_none_or(|d| d > NEAR);
        let may_be_text = is_far && step != Step::Again && !starts && !self.line.held_text.is_settled;
        if may_be_text && self.holds_text(segment, None, false, out) {
            self.line.sequence.numbers.watch();
            return false;
        }
        self.settle_text(if starts { None } else { step.missing() }, out);
        let numbered = self.numbered(segment.pos, frame);
        let step = self.line.sequence.numbers.step(&numbered);
        match step {
            // This record starts the sequence numbers; frames sent before others may still arrive.
            Step::First if *id == id::EMPTY => self.line.sequence.begin(*seq),
            Step::First | Step::Next => {}
            Step::Again if is_again => {
                out.row(self.base.note(Row::note(RowKind::DUPLICATE, segment.pos, segment.raw.len())));
                return false;
            }
            _ if *id == id::EMPTY && starts => {
                let note = Row::note(RowKind::RESTART, segment.pos, 0);
                self.restarts(*seq, note, &format!("sequence restarted at {seq}"), out);
            }
            _ if starts => self.line.sequence.begin(*seq),
            Step::Decided(Decision::Restart) => {
                self.base.clock.restart();
                if out.wants_activities() {
                    out.activity(Activity::new(Verb::RESET));
                }
                let note = Row { flags: RowFlags::EPOCH, ..Row::note(RowKind::RESTART, segment.pos, 0) };
                self.restarts(*seq, note, "sequence and time restarted", out);
            }
            _ => self.records_lost(),
        }
        if starts || step == Step::First {
            self.line.held_start.begins(segment.pos);
        }
        let step = self.line.sequence.numbers.step(&numbered);
        let clock = &self.base.clock;
        let place = self.line.sequence.take(step, &numbered, (clock, |row| self.base.note(row)), out);
        self.is_aside = place == FramePlace::Aside;
        true
    }

    fn numbered<'f>(&self, pos: u64, frame: &'f [u8]) -> Numbered<'f> {
        let (clock, size) = (&self.base.clock, self.base.config.sizes.time);
        let [seq, id, payload @ .., _] = frame else { return Numbered::default() };
        let stamp = self.base.stamp_of(*id, payload);
        let time = stamp.map(|stamp| clock.extend(stamp, size));
        let order = stamp.map_or(Order::Unknown, |stamp| clock.order(stamp, u32::from(size) * 8));
        Numbered { number: (*seq).into(), frame, pos, time, order }
    }

    fn restarts(&mut self, seq: u8, note: Row, why: &str, out: &mut Output<'_>) {
        let expected = self.line.sequence.expected().unwrap_or_default();
        let text = format!("{why} (expected {expected}): the target restarted");
        self.base.say(out, note, &text);
        // The info that confirms it may get lost.
        self.line.sequence.begin(seq);
        self.line.sequence.start_drops();
        self.line.drops.start();
        self.records_lost();
    }

    /// One in 256 damaged frames has a valid checksum. A frame with an unexpected sequence number and a payload that
    /// does not fit counts as damaged; text followed by a frame that fits is split.
    fn is_suspect(&mut self, segment: Segment<'_>, seq: u8, id: u8, payload: &[u8], out: &mut Output<'_>) -> bool {
        let unknown = self.base.plans.of(id).group == 0 || id > 124;
        let far = self.line.sequence.distance(seq).is_none_or(|d| d > NEAR);
        // QS_EMPTY is independent of all sizes.
        let sure = self.target.is_configured() || id == id::EMPTY;
        let broken = (sure && !self.base.fits(id, payload)) || (unknown && far);
        let text = console::text_len(segment.body()) > 0;
        if !broken && !text {
            return false;
        }
        if self.split(segment, !broken, out) {
            return true;
        }
        if broken && (self.line.sequence.expected().is_some() || id == id::EMPTY) {
            let kind = if std::mem::take(&mut self.line.fresh) { RowKind::PARTIAL } else { RowKind::BAD_FRAME };
            self.no_frame(kind, segment, out);
            return true;
        }
        false
    }

    /// Takes a segment that is not a valid frame. `sum` is `None` if it ends with an escape.
    #[cold]
    fn bad(&mut self, segment: Segment<'_>, sum: Option<u8>, out: &mut Output<'_>) {
        let body = segment.body();
        if body.is_empty() {
            return self.idle(segment.pos, segment.raw.len(), out);
        }
        if self.split(segment, false, out) {
            return;
        }
        let kind = match () {
            () if std::mem::take(&mut self.line.overlong) => RowKind::RESYNC,
            () if self.line.fresh => RowKind::PARTIAL,
            () if sum.is_none() => RowKind::BAD_FRAME,
            () if sum == Some(GOOD_SUM) => RowKind::TOO_SHORT,
            () => RowKind::BAD_CHECK,
        };
        self.line.fresh = false;
        self.no_frame(kind, segment, out);
    }

    /// Takes a segment without a frame: text, or damage.
    fn no_frame(&mut self, kind: RowKind, segment: Segment<'_>, out: &mut Output<'_>) {
        let body = segment.body();
        let unexpected = body.first().copied() != self.line.sequence.expected();
        let is_evident = unexpected && self.line.held_text.is_text(body);
        if self.holds_text(segment, Some(kind), is_evident, out) {
            return self.line.sequence.numbers.watch();
        }
        if is_evident {
            self.text(segment.pos, segment.leading_flags, body, 1, out);
        } else {
            self.damaged(kind, segment, out);
        }
    }

    /// Finds a valid frame at the end of a segment and takes it. `text_only` = only after text.
    fn split(&mut self, segment: Segment<'_>, text_only: bool, out: &mut Output<'_>) -> bool {
        if self.line.held_text.is_settled {
            return false;
        }
        let body = segment.body();
        let text = console::text_len(body);
        let mut best: Option<(u8, Candidate<'_>)> = None;
        for candidate in candidates(body) {
            let is_next = self.line.sequence.expected() == Some(candidate.seq);
            let is_likely = is_next || matches!(candidate.id, id::EMPTY | id::INFO);
            // Both text and frames have many suffixes with a valid sum.
            if text_only && candidate.start > text || (text_only || text == body.len()) && !is_likely {
                continue;
            }
            let rank = self.score_candidate(&candidate, candidate.start <= text);
            if let Some(rank) = rank.filter(|r| best.is_none_or(|(b, _)| *r <= b)) {
                best = Some((rank, candidate));
            }
        }
        let Some((_, found)) = best else { return false };
        let front = body.get(..found.start).unwrap_or(&[]);
        let is_next = self.line.sequence.expected() == Some(found.seq);
        let goes_on = self.line.held_text.in_text || !self.line.held_text.is_empty();
        if found.start <= text && (console::is_text(front) || goes_on || is_next) {
            if is_next && self.line.held_text.has_frame() {
                self.settle_text(Some(0), out);
            }
            self.text(segment.pos, segment.leading_flags, front, 0, out);
        } else {
            let kind = if std::mem::take(&mut self.line.fresh) { RowKind::PARTIAL } else { RowKind::BAD_CHECK };
            let raw = segment.raw.get(..segment.leading_flags + front.len()).unwrap_or(&[]);
            self.damaged(kind, Segment::new(segment.pos, raw, segment.leading_flags, false), out);
        }
        self.line.overlong = false;
        let skipped = segment.leading_flags + front.len();
        let raw = segment.raw.get(skipped..).unwrap_or(&[]);
        self.settled_frame(Segment::new(segment.pos + skipped as u64, raw, 0, true), out);
        true
    }

    /// Score of a frame candidate within a segment; lower is better, `None` = rejected.
    fn score_candidate(&mut self, candidate: &Candidate<'_>, behind_text: bool) -> Option<u8> {
        let Candidate { start, stuffed, seq, id } = *candidate;
        let distance = self.line.sequence.distance(seq);
        let near = if behind_text { NEAR_TEXT } else { NEAR };
        let restart = matches!(id, id::EMPTY | id::INFO);
        let rank = match distance {
            _ if id > 124 => return None,
            Some(d) if d <= near => d,
            _ if restart => 0,
            None if behind_text && start >= 4 => NEAR_TEXT,
            _ => return None,
        };
        let mut room = std::mem::take(&mut self.line.scratch);
        let fits =
            matches!(whole(stuffed, &mut room), Some([_, _, payload @ .., _]) if self.fits_surely(id, seq, payload));
        self.line.scratch = room;
        fits.then_some(rank)
    }

    /// Whether a payload fits so well that it is unlikely by chance.
    fn fits_surely(&self, id: u8, seq: u8, payload: &[u8]) -> bool {
        if self.base.plans.of(id).group == 0 || !self.base.fits(id, payload) {
            return false;
        }
        let printable = |text: &[u8]| !text.is_empty() && text.iter().all(|b| (b' '..0x7F).contains(b) || *b >= 0x80);
        match id {
            id::EMPTY => seq == 1,
            id::INFO => TargetInfo::parse(payload, Style::Native).is_some_and(|i| i.plausible()),
            _ if self.base.plans.of(id).flags.intersects(RowFlags::NAMING) => {
                let name = payload.split_last().map_or(payload, |(_, rest)| rest);
                name.iter().rposition(|&b| b < b' ').is_none_or(|p| printable(name.get(p + 1..).unwrap_or(&[])))
            }
            _ => true,
        }
    }
}

/// A suffix with a valid checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate<'a> {
    /// Index in the body.
    pub(crate) start: usize,
    pub(crate) stuffed: &'a [u8],
    pub(crate) seq: u8,
    pub(crate) id: u8,
}

/// All candidates after the first byte of `body`, last first.
pub(crate) fn candidates(body: &[u8]) -> impl Iterator<Item = Candidate<'_>> {
    suffixes(body).filter(|suffix| suffix.sum == GOOD_SUM && suffix.len >= SHORTEST).map(|suffix| {
        let Suffix { start, stuffed, .. } = suffix;
        let mut head = Vec::with_capacity(4);
        unstuff(stuffed.get(..4).unwrap_or(stuffed), &mut head);
        let [seq, id] = head.first_chunk().copied().unwrap_or_default();
        Candidate { start, stuffed, seq, id }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_behind_text_is_found() {
        let frame = [1, 0, 0xFE];
        let body = [b"hello}".as_slice(), &frame].concat();
        let found: Vec<_> = candidates(&body).map(|c| (c.start, c.seq, c.id)).collect();
        assert!(found.contains(&(6, 1, 0)), "{found:?}");
    }

    #[test]
    fn escapes_are_read_from_the_start_of_the_frame() {
        // Sequence number 0x7D is escaped. The text before it ends with an unrelated escape.
        let sum = 0xFFu8.wrapping_sub(0x7D).wrapping_sub(58);
        let body = [b"x}".as_slice(), &[0x7D, 0x5D, 58, sum]].concat();
        let found: Vec<_> = candidates(&body).map(|c| (c.start, c.seq, c.id)).collect();
        assert!(found.contains(&(2, 0x7D, 58)), "{found:?}");
    }
}
