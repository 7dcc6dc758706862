//! Holds segments until what follows shows what they are: text between frames, whose flag may be one of its characters,
//! as in a prompt, or end a damaged frame; and a target's start that arrives after frames that follow it, or again:
//! either datagrams were reordered or repeated, or the target restarted.

use spytui_decoder_kit::{DropRecord, StreamSequence};
use spytui_plugin_api::{Output, Row, RowKind, Skipped, console};
use spytui_plugin_layer::{
    Order,
    sequence::{DATAGRAM, Numbered, Step},
};

use crate::{splitter::Segment, stuffing::FLAG};

/// Flags without frames.
pub const IDLE: RowKind = RowKind(0xFF40);

/// What a receiver of numbered frames keeps of its line.
#[derive(Clone, Debug, Default)]
pub struct LineState {
    pub sequence: StreamSequence,
    pub drops: DropRecord,
    /// No valid frame since the stream or the link began.
    pub fresh: bool,
    /// The current segment is longer than any frame; the rest is still to come.
    pub overlong: bool,
    /// Text, and possible damaged frames.
    pub held_text: HeldText,
    /// Frames of a start that may be late or repeated.
    pub held_start: HeldStart,
    /// Bytes of the current segment known to be text without a line end.
    pub scanned: usize,
    /// A buffer for unstuffing.
    pub scratch: Vec<u8>,
}

impl LineState {
    pub fn new(drops: DropRecord) -> LineState {
        LineState { drops, fresh: true, ..LineState::default() }
    }
}

const MOST_TEXT: usize = 4096;

#[derive(Clone, Debug)]
struct Held {
    /// Kind of damage unless it is text; `None` = a frame unless it is text.
    kind: Option<RowKind>,
    /// It is text in any case.
    is_evident: bool,
    pos: u64,
    raw: Vec<u8>,
    leading_flags: usize,
}

impl Held {
    fn segment(&self) -> Segment<'_> {
        Segment::new(self.pos, &self.raw, self.leading_flags, true)
    }
}

/// Consecutive segments that are text, or else damage or frames.
#[derive(Clone, Debug, Default)]
pub struct HeldText {
    segments: Vec<Held>,
    len: usize,
    /// The last row was text.
    pub in_text: bool,
    /// The current frame is known not to be text.
    pub is_settled: bool,
}

impl HeldText {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether it may contain a frame, whatever text follows.
    pub fn has_frame(&self) -> bool {
        self.segments.iter().any(|held| held.kind.is_none())
    }

    /// Minimum number of further characters that count as text without other evidence.
    pub fn fewest(&self) -> usize {
        let is_evident = self.in_text || self.segments.iter().any(|held| held.is_evident);
        if is_evident { 1 } else { console::FEWEST.saturating_sub(self.len).max(1) }
    }

    pub fn is_text(&self, body: &[u8]) -> bool {
        console::is_text(body) && body.len() >= self.fewest()
    }

    /// Like [`HeldText::is_text`], at the end of the stream.
    pub fn is_last_text(&self, body: &[u8]) -> bool {
        console::is_text(body) && (body.len() >= self.fewest() || !self.is_empty())
    }

    /// Whether the segments are text. `missing` = number of frames missing before the next frame, if known.
    fn was_text(&self, missing: Option<usize>) -> bool {
        let is_evident = || self.segments.iter().any(|held| held.is_evident);
        match missing {
            // More segments are held than frames are missing.
            Some(missing) if self.segments.len() > missing => true,
            _ if self.has_frame() => false,
            Some(_) => is_evident(),
            None => is_evident() || self.len >= console::FEWEST,
        }
    }

    fn take(&mut self) -> Vec<Held> {
        self.len = 0;
        std::mem::take(&mut self.segments)
    }

    /// Takes all segments and joins them with the text that follows; returns the position, the number of leading flags,
    /// and the bytes.
    fn joined(&mut self, pos: u64, leading_flags: usize, text: &[u8]) -> (u64, usize, Vec<u8>) {
        let segments = self.take();
        let Some(first) = segments.first() else { return (pos, leading_flags, text.to_vec()) };
        let mut all = first.raw.get(first.leading_flags..).unwrap_or(&[]).to_vec();
        segments.iter().skip(1).for_each(|held| all.extend_from_slice(&held.raw));
        all.resize(all.len() + leading_flags, FLAG);
        all.extend_from_slice(text);
        (first.pos, first.leading_flags, all)
    }
}

/// Maximum number of held frames, and of their bytes.
const MOST_FRAMES: usize = 256;
const MOST_BYTES: usize = 16 * 1024;
/// Number of frames that may be missing after a start.
const NEAR: u8 = 16;

#[derive(Clone, Debug, Default)]
pub struct HeldStart {
    /// Position, raw bytes, and number of leading flags of each.
    frames: Vec<(u64, Vec<u8>, usize)>,
    bytes: usize,
    next: u8,
    /// Position of the stream's first frame, or of the last start.
    since: Option<u64>,
    /// While released frames are taken: whether the target restarted with them, and their number.
    verdict: Option<(bool, usize)>,
}

impl HeldStart {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The target or the stream starts with the frame at this position.
    pub fn begins(&mut self, pos: u64) {
        self.since = Some(pos);
    }

    /// Number of frames released together with the current one if they were late or repeated, although they look like a
    /// start.
    pub fn came_late(&self) -> Option<usize> {
        self.verdict.and_then(|(started, len)| (!started).then_some(len))
    }
}

/// Adds rows for text between frames, and decides whether the target restarted.
pub trait LineHandler {
    fn line(&mut self) -> &mut LineState;

    /// Completes a note with what all rows of the stream share.
    fn note(&self, note: Row) -> Row;

    fn damage(&self, kind: RowKind, pos: u64, len: usize) -> Row {
        self.note(Row::skipped(kind, pos, len))
    }

    /// Notes bytes outside of records; `is_damage` = not all of them are text.
    fn skipped(&mut self, is_damage: bool);

    /// Whether this is a valid frame; `sum` = sum of its bytes.
    fn is_valid(&self, frame: &[u8], sum: u8) -> bool;

    fn take_frame(&mut self, segment: Segment<'_>, out: &mut Output<'_>);

    /// Adds rows for bytes without a final flag.
    fn left_over(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        self.damaged(kind, held, out);
    }

    /// Ends everything held, and an incomplete segment.
    fn end_line(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        self.release_start(out);
        let body = held.body();
        if self.line().held_text.is_last_text(body) {
            self.text(held.pos, held.leading_flags, body, 0, out);
        } else if body.is_empty() {
            self.idle(held.pos, held.raw.len(), out);
        } else {
            self.settle_text(None, out);
            self.left_over(kind, held, out);
        }
        (self.line().scanned, self.line().overlong) = (0, false);
    }

    /// Adds a row for flags without frames, after those of held segments.
    fn idle(&mut self, pos: u64, len: usize, out: &mut Output<'_>) {
        self.settle_text(None, out);
        if len > 0 {
            out.row(self.note(Row::note(IDLE, pos, len)));
        }
    }

    /// Takes a segment as a frame, not as text.
    fn settled_frame(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        self.line().held_text.is_settled = true;
        self.take_frame(segment, out);
        self.line().held_text.is_settled = false;
    }

    /// Adds rows for bytes outside of records, after those of held segments.
    fn damaged(&mut self, kind: RowKind, segment: Segment<'_>, out: &mut Output<'_>) {
        self.settle_text(None, out);
        let row = self.damage(kind, segment.pos, segment.raw.len());
        let found = out.skipped(row, segment.leading_flags, segment.body());
        if found != Skipped::Text {
            let is_frame = !matches!(kind, RowKind::PARTIAL | RowKind::RESYNC | RowKind::CUT_OFF | RowKind::TAIL);
            self.line().sequence.numbers.skipped(is_frame);
        }
        self.skipped(found != Skipped::Text);
        self.line().held_text.in_text = found != Skipped::Damage;
    }

    /// Adds rows for text, including held segments. `flags` = number of trailing flags that belong to it.
    fn text(&mut self, pos: u64, leading_flags: usize, body: &[u8], flags: usize, out: &mut Output<'_>) {
        if self.line().held_text.has_frame() {
            self.settle_text(None, out);
        }
        let (pos, leading_flags, text) = self.line().held_text.joined(pos, leading_flags, body);
        for (start, len) in console::rows(&text, leading_flags, flags) {
            out.row(self.note(Row::note(RowKind::CONSOLE, pos + start as u64, len)));
        }
        self.line().held_text.in_text = true;
    }

    /// Holds a segment if it may be text; returns whether it does. `kind` = what it is otherwise, `None` = a frame;
    /// `is_evident` = it is text in any case.
    fn holds_text(
        &mut self,
        segment: Segment<'_>,
        kind: Option<RowKind>,
        is_evident: bool,
        out: &mut Output<'_>,
    ) -> bool {
        let Segment { pos, raw, leading_flags, .. } = segment;
        let is_blank = || segment.body().iter().all(u8::is_ascii_whitespace);
        if raw.len() > MOST_TEXT || !segment.ended || !(console::is_text(segment.body()) || is_blank()) {
            return false;
        }
        if self.line().held_text.len + raw.len() > MOST_TEXT {
            self.settle_text(None, out);
        }
        let held = &mut self.line().held_text;
        held.segments.push(Held { kind, is_evident, pos, raw: raw.to_vec(), leading_flags });
        held.len += raw.len();
        true
    }

    /// Adds rows for held segments. `missing` = number of frames missing before the next frame, if known.
    #[inline]
    fn settle_text(&mut self, missing: Option<usize>, out: &mut Output<'_>) {
        if !self.line().held_text.is_empty() {
            self.settle(missing, out);
        }
    }

    /// Like [`LineHandler::settle_text`] when segments are held.
    #[cold]
    fn settle(&mut self, missing: Option<usize>, out: &mut Output<'_>) {
        if !self.line().held_text.was_text(missing) {
            return self.line().held_text.take().iter().for_each(|held| match held.kind {
                Some(_) if held.is_evident => self.text(held.pos, held.leading_flags, held.segment().body(), 1, out),
                Some(kind) => self.damaged(kind, held.segment(), out),
                None => self.settled_frame(held.segment(), out),
            });
        }
        // Everything is text, so there are no frames.
        self.line().held_text.segments.iter_mut().for_each(|held| held.kind = held.kind.or(Some(RowKind::BAD_FRAME)));
        if let Some(last) = self.line().held_text.segments.pop() {
            self.text(last.pos, last.leading_flags, last.segment().body(), 1, out);
        }
    }

    /// Handles a segment while frames are held and returns the number of bytes consumed; `None` = the frames were
    /// released.
    fn beside_start(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> Option<usize> {
        if !segment.ended && segment.body().len() < MOST_BYTES {
            return Some(0);
        }
        let mut room = Vec::new();
        let frame = segment.frame(&mut room).filter(|_| segment.ended);
        if frame.is_some_and(|(frame, sum)| self.is_valid(frame, sum)) {
            self.take_frame(segment, out);
            return Some(segment.raw.len());
        }
        self.release_start(out);
        None
    }

    /// Holds a valid frame if the target may have restarted with it; otherwise releases the held ones. `number` is the
    /// frame's, `starts` = a target starts with this frame.
    fn holds(
        &mut self,
        starts: bool,
        (number, step, order): (u8, Step, Order),
        segment: &Segment<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let held = &mut self.line().held_start;
        let is_near = || held.since.is_some_and(|since| segment.pos.saturating_sub(since) <= DATAGRAM);
        let may_begin = starts && is_near();
        if held.verdict.is_some() || (held.is_empty() && !may_begin) {
            return false;
        }
        let came_late = matches!(step, Step::Again | Step::Late);
        let is_full = held.frames.len() >= MOST_FRAMES || held.bytes >= MOST_BYTES;
        if came_late && !is_full {
            self.settle_text(None, out);
            let LineState { sequence, held_start: held, .. } = self.line();
            held.frames.push((segment.pos, segment.raw.to_vec(), segment.leading_flags));
            held.bytes += segment.raw.len();
            held.next = number.wrapping_add(1);
            sequence.numbers.watch();
            return true;
        }
        let follows = number.wrapping_sub(held.next) <= NEAR;
        let is_later = match step {
            Step::First | Step::Next => true,
            Step::Gap(_) => order != Order::Earlier,
            _ => false,
        };
        self.release(follows && !came_late && !is_later, out);
        false
    }

    /// Releases the held frames without a later frame to decide. If the frame after them has already arrived, they were
    /// late or repeated. One or two frames at the end may be a start.
    fn release_start(&mut self, out: &mut Output<'_>) {
        let LineState { sequence, held_start, .. } = self.line();
        let (next, len) = (held_start.next, held_start.frames.len());
        let started = match sequence.numbers.step(&Numbered { number: next.into(), ..Numbered::default() }) {
            Step::Late => true,
            Step::Next => len <= 2,
            _ => false,
        };
        self.release(started, out);
    }

    /// Takes the held frames, as part of a start if `started`.
    fn release(&mut self, started: bool, out: &mut Output<'_>) {
        let held = &mut self.line().held_start;
        let HeldStart { frames, .. } = std::mem::replace(held, HeldStart { since: held.since, ..HeldStart::default() });
        for (pos, raw, leading_flags) in &frames {
            self.line().held_start.verdict = Some((started, frames.len()));
            self.take_frame(Segment::new(*pos, raw, *leading_flags, true), out);
        }
        self.line().held_start.verdict = None;
    }
}
