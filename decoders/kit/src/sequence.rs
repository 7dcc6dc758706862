//! Sequence numbers: detects gaps, and how many records are missing at least.

use spytui_plugin_api::{Activity, AttachmentId, Clock, LossCause, Output, Row, StreamEventKind, Verb, batch::lost};

use crate::drop_totals::DropTotals;

/// Maximum delay of a late frame, in frames, to be recognised as one reported lost.
const LATEST: u8 = 16;

/// Sequence numbers of a stream, and the damage since the last valid frame.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// Number of the next frame; `None` before the first.
    expected: Option<u8>,
    /// First number and size of the last gap.
    hole: (u8, u8),
    /// Last bytes and length of the last frame, to detect a repetition.
    last: (u64, usize),
    /// Number of damaged frames since the last valid one.
    damaged: u64,
    /// Cause of a loss, if known; see `AttachmentId::CAUSE`.
    cause: LossCause,
    drops: DropTotals,
}

/// A jump of the sequence number.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    /// Number of lost records, modulo 256.
    pub lost: u8,
    /// The sequence number received.
    pub seq: u8,
    /// Extended time stamp of the record with this number.
    pub time: Option<u64>,
}

/// The result of checking a sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// As expected.
    Next,
    /// Number of lost records, modulo 256.
    Gap(u8),
    /// The previous frame again.
    Again,
    /// A late frame of the last gap.
    Late,
}

/// Last bytes and length of a frame: with checksum and time stamp, they identify it.
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

    /// Sets the next sequence number.
    pub fn expect(&mut self, seq: u8) {
        self.expected = Some(seq);
    }

    /// Distance from the expected number; `None` before the first valid frame.
    pub fn distance(&self, seq: u8) -> Option<u8> {
        self.expected.map(|e| seq.wrapping_sub(e))
    }

    /// Checks the number of a frame. `earlier` = its time stamp is not later than the last.
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

    /// Takes a valid frame.
    #[inline]
    pub fn take(&mut self, seq: u8, frame: &[u8]) {
        self.expected = Some(seq.wrapping_add(1));
        self.last = mark_of(frame);
        (self.damaged, self.cause) = (0, LossCause::NONE);
    }

    /// Takes skipped bytes; `frame` = they are one damaged frame.
    pub fn skipped(&mut self, frame: bool) {
        self.damaged += u64::from(frame);
    }

    /// Takes a stream event, which may explain the next loss.
    pub fn event(&mut self, kind: StreamEventKind) {
        match kind {
            StreamEventKind::LINE_ERROR => self.cause = LossCause::LINE,
            StreamEventKind::HOST_LOSS => self.cause = LossCause::HOST,
            _ => {}
        }
    }

    /// Begins a new epoch with the next record: the target starts.
    pub fn epoch(&mut self) {
        self.hole = (0, 0);
        self.drops.start();
    }

    /// Takes what the target reports: how many records it has dropped since it started. Call it just before its row is
    /// added. Returns whether it has dropped records that no gap had shown.
    pub fn drop_total(&mut self, total: u32, out: &mut Output<'_>) -> bool {
        let report = self.drops.total(total);
        for (a, b) in report.settled.iter().map(|growth| growth.numbers()) {
            out.attachment(AttachmentId::SETTLED, a, b);
        }
        if let Some(dropped) = report.dropped {
            out.attachment(AttachmentId::DROPPED, dropped.into(), 0);
        }
        report.dropped.is_some()
    }

    /// Adds the row of a gap, with the number of lost records, which is never exact: 256 more leave the same number.
    /// `row` = the note as the decoder makes it.
    pub fn gap(&mut self, clock: &Clock, jump: Jump, row: Row, out: &mut Output<'_>) {
        let Jump { lost, seq, time } = jump;
        let expected = self.expected.unwrap_or(seq.wrapping_sub(lost));
        // A known cause is none in the target.
        self.drops.gap(row.pos, lost, if self.cause != LossCause::NONE { lost.into() } else { self.damaged });
        if out.wants_activities() {
            out.activity(Activity::new(Verb::LOST).val(lost.into()));
        }
        out.attachment(AttachmentId::LOST, lost.into(), lost::AT_LEAST);
        out.attachment(AttachmentId::EXPECTED, expected.into(), seq.into());
        if self.cause != LossCause::NONE {
            out.attachment(AttachmentId::CAUSE, self.cause.0, 0);
        }
        if self.damaged > 0 {
            out.attachment(AttachmentId::DAMAGED, self.damaged, 0);
        }
        if let Some(time) = time.filter(|_| clock.is_known()) {
            out.attachment(AttachmentId::SPAN, clock.now(), time);
        }
        out.row(row);
        self.hole = (expected, lost);
    }
}
