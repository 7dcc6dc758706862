//! Sequence numbers: what a jump means, how much may be missing, and what speaks for it.

use spytui_plugin_api::{Activity, AttachmentId, Output, Row, StreamEventKind, Verb};

use crate::{Clock, Tally};

/// Extras of a gap's row beside those of the contract; decoders declare them.
pub mod gap_attachment {
    use spytui_plugin_api::AttachmentId;

    /// Damaged frames within a gap.
    pub const DAMAGED: AttachmentId = AttachmentId(64);
    /// Ticks between the records around a gap.
    pub const SPAN: AttachmentId = AttachmentId(65);
}

/// How far behind its place a frame may come and still be the one reported lost.
const LATEST: u8 = 16;

/// Sequence numbers of one stream, and what happened since the last good frame.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// Number of the next frame; `None` before the first.
    expected: Option<u8>,
    /// First number and size of the last gap.
    hole: (u8, u8),
    /// Last bytes and length of the last frame, to know it again.
    last: (u64, usize),
    /// Damaged frames since the last good one.
    damaged: u64,
    /// Bytes given up since the last good frame.
    skipped: u64,
    /// Ticks and number of records when the epoch began.
    epoch: (u64, u64),
    /// Cause of a loss, where it is known: see `attachment::CAUSE`.
    cause: u64,
}

/// A jump of the sequence number.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    /// Lost records, as far as 8 bits tell.
    pub lost: u8,
    /// The number that came.
    pub seq: u8,
    /// Extended stamp of the record that revealed it.
    pub time: Option<u64>,
}

/// What a sequence number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The expected one.
    Next,
    /// Lost records, as far as 8 bits tell.
    Gap(u8),
    /// The frame before, once more.
    Again,
    /// A frame of the last gap.
    Late,
}

/// Last bytes and length: its check sum, and with a stamp of its own never the same as another's.
#[inline]
fn mark_of(frame: &[u8]) -> (u64, usize) {
    let short = || frame.iter().fold(0, |n, &b| n << 8 | u64::from(b));
    (frame.last_chunk().map_or_else(short, |b| u64::from_le_bytes(*b)), frame.len())
}

impl Sequence {
    /// Number of the next frame.
    #[inline]
    pub fn expected(&self) -> Option<u8> {
        self.expected
    }

    /// The numbering goes on at this number, whatever came before.
    pub fn expect(&mut self, seq: u8) {
        self.expected = Some(seq);
    }

    /// Steps from the expected number to this one; `None` before the first good frame.
    pub fn distance(&self, seq: u8) -> Option<u8> {
        self.expected.map(|e| seq.wrapping_sub(e))
    }

    /// What `frame` with this number is. `earlier` = its stamp is not later than the last.
    pub fn step(&self, seq: u8, frame: &[u8], earlier: bool) -> Step {
        let Some(expected) = self.expected else { return Step::Next };
        let (first, lost) = self.hole;
        match seq.wrapping_sub(expected) {
            0 => Step::Next,
            255 if mark_of(frame) == self.last => Step::Again,
            d if earlier && seq.wrapping_sub(first) < lost && d > u8::MAX - LATEST => Step::Late,
            d => Step::Gap(d),
        }
    }

    /// Takes a good frame.
    #[inline]
    pub fn take(&mut self, seq: u8, frame: &[u8]) {
        self.expected = Some(seq.wrapping_add(1));
        self.last = mark_of(frame);
        (self.damaged, self.skipped, self.cause) = (0, 0, 0);
    }

    /// Bytes were given up, as one damaged frame or not.
    pub fn skipped(&mut self, bytes: usize, frame: bool) {
        self.skipped += bytes as u64;
        self.damaged += u64::from(frame);
    }

    /// A stream event of this kind came: it may explain the next loss.
    pub fn event(&mut self, kind: StreamEventKind) {
        match kind {
            StreamEventKind::LINE_ERROR => self.cause = 2,
            StreamEventKind::HOST_LOSS => self.cause = 3,
            _ => {}
        }
    }

    /// A new epoch, whose first record comes next.
    pub fn epoch(&mut self) {
        self.hole = (0, 0);
        self.epoch = (0, 0);
    }

    /// Adds the row of a gap, `row` as the decoder makes it; the lost records and whether that is all.
    pub fn gap(&mut self, tally: &Tally, clock: &Clock, jump: Jump, row: Row, out: &mut Output<'_>) {
        let Jump { lost, seq, time } = jump;
        let expected = self.expected.unwrap_or(seq.wrapping_sub(lost));
        let span = time.filter(|_| clock.is_known()).map(|t| t.saturating_sub(clock.now()));
        let exact = !self.may_be_more(tally, clock, u64::from(lost), span);
        if out.wants_activities() {
            out.activity(Activity::new(Verb::LOST).val(lost.into()));
        }
        out.attachment(AttachmentId::LOST, lost.into(), exact.into());
        out.attachment(AttachmentId::EXPECTED, expected.into(), seq.into());
        if self.cause != 0 {
            out.attachment(AttachmentId::CAUSE, self.cause, 0);
        }
        if self.damaged > 0 {
            out.attachment(gap_attachment::DAMAGED, self.damaged, 0);
        }
        span.into_iter().for_each(|span| out.attachment(gap_attachment::SPAN, span, 0));
        out.row(row);
        self.hole = (expected, lost);
    }

    /// Whether 256 records more may be missing: more bytes were given up, or more time went by, than the usual
    /// record takes.
    fn may_be_more(&self, tally: &Tally, clock: &Clock, lost: u64, span: Option<u64>) -> bool {
        let Tally { records, bytes } = *tally;
        if records == 0 {
            return false;
        }
        if self.skipped > (lost + 2) * 4 * (bytes / records + 1) + 64 {
            return true;
        }
        let (start, before) = self.epoch;
        let ticks = clock.now().saturating_sub(start);
        let since = records.saturating_sub(before);
        span.is_some_and(|span| since > 32 && ticks > 0 && span / 256 > ticks / since)
    }

    /// Remembers when the epoch's first stamped record came.
    #[inline]
    pub fn first_stamp(&mut self, time: u64, tally: &Tally) {
        if self.epoch == (0, 0) {
            self.epoch = (time, tally.records);
        }
    }
}
