//! Tracks the sequence numbers of a stream and adds the rows that follow from them.

use spytui_plugin_api::{
    activity::{Activity, Verb},
    batch::{AttachmentId, LossCause, lost},
    chunk::StreamEventKind,
    growth::Growth,
    output::Output,
    row::{Row, RowKind, Severity},
};

use super::numbers::{News, Note, Numbered, Numbers, Step};
use crate::clock::Clock;

/// Reported once when two numberings alternate.
const ALTERNATE: &str = "two numberings alternate on this line, as of two senders: their gaps are not counted; \
                         give each a line of its own, or let one send";

/// Adds an attachment that updates an earlier gap.
pub fn settle(growth: Growth, out: &mut Output<'_>) {
    let (a, b) = growth.numbers();
    out.attachment(AttachmentId::SETTLED, a, b);
}

/// Sequence numbers of a stream, and damage since the last valid frame.
#[derive(Clone, Debug)]
pub struct Sequence {
    numbers: Numbers,
    /// Number of damaged frames since the last valid one.
    damaged: u64,
    /// Cause of a loss, if known; see [`AttachmentId::CAUSE`].
    cause: LossCause,
    /// Time of the last frame, if frames of other sequences may precede the next one.
    pub(crate) reached: Option<u64>,
}

/// A gap.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// Position of its row.
    pub pos: u64,
    /// Lost records according to the numbers; 0 = not yet known whether any are lost.
    pub lost: u64,
    /// How many of them were certainly not lost in the target.
    pub linked: u64,
}

/// Result of taking a frame.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// The frame is out of order: its row has [`spytui_plugin_api::RowFlags::OUT_OF_ORDER`], and the clock stays where it is.
    pub is_aside: bool,
    /// A gap that it reveals.
    pub gap: Option<Lost>,
    /// Updates of earlier gaps.
    pub settled: Vec<Growth>,
}

impl Sequence {
    /// Creates a sequence with numbers of `bits` bits.
    pub fn new(bits: u32) -> Sequence {
        Sequence { numbers: Numbers::new(bits), damaged: 0, cause: LossCause::NONE, reached: None }
    }

    /// Number of the next frame; `None` before the first.
    #[inline]
    pub fn expected(&self) -> Option<u64> {
        self.numbers.expected()
    }

    /// Whether a frame is simply the next one, for [`Sequence::take_plain`].
    #[inline]
    pub fn is_plain(&self, number: u64) -> bool {
        self.numbers.is_plain(number)
    }

    /// Takes the next frame.
    #[inline]
    pub fn take_plain(&mut self, frame: &[u8]) {
        self.numbers.take_plain(frame);
        (self.damaged, self.cause) = (0, LossCause::NONE);
    }

    /// Starts a numbering at this number, because the target starts.
    pub fn begin(&mut self, number: u64) {
        self.numbers.begin(number);
    }

    /// Makes [`Sequence::is_plain`] false for the next frame, whatever its number.
    pub fn watch(&mut self) {
        self.numbers.watch();
    }

    /// Ends [`Sequence::watch`].
    pub fn unwatch(&mut self) {
        self.numbers.unwatch();
    }

    /// Classifies a frame by its number.
    pub fn step(&self, frame: &Numbered<'_>) -> Step {
        self.numbers.step(frame)
    }

    /// Takes a valid frame classified as `step`, and adds rows for what it reveals, but not its own row. `note` fills
    /// in what all rows of the stream share.
    pub fn take(
        &mut self,
        step: Step,
        frame: &Numbered<'_>,
        (clock, note): (&Clock, impl Fn(Row) -> Row),
        out: &mut Output<'_>,
    ) -> Taken {
        let expected = self.expected().unwrap_or(frame.number);
        if step == Step::Again {
            self.numbers.repeat(frame.number);
            return Taken { is_aside: true, ..Taken::default() };
        }
        let News { note: said, settled, burst, is_aside } = self.numbers.take(step, frame);
        settled.iter().chain(&burst).for_each(|growth| settle(*growth, out));
        let mut gap = burst.map(|growth| self.lost(growth.pos, growth.more));
        match said {
            Note::Nothing => {}
            Note::Late(filled) => {
                out.attachment(AttachmentId::EXPECTED, expected, frame.number);
                if let Some((pos, left)) = filled {
                    out.attachment(AttachmentId::FILLS, pos, left);
                }
                out.row(note(Row::note(RowKind::LATE, frame.pos, 0)));
            }
            Note::Gap { lost, expected } => {
                gap = Some(self.lost(frame.pos, lost));
                self.gap(lost, expected, frame, (clock, note), out);
            }
            Note::Alternates => {
                out.attachment_bytes(AttachmentId::TEXT, ALTERNATE.as_bytes());
                out.attachment(AttachmentId::LOST, 0, lost::AT_LEAST);
                out.row(note(Row { severity: Severity::WARNING, ..Row::gap(frame.pos) }));
            }
        }
        if !is_aside {
            (self.damaged, self.cause) = (0, LossCause::NONE);
        }
        Taken { is_aside, gap, settled }
    }

    fn lost(&self, pos: u64, lost: u64) -> Lost {
        Lost { pos, lost, linked: if self.cause == LossCause::NONE { self.damaged } else { lost } }
    }

    /// Call it before adding the row of an out-of-order record that reports `dropped` records not covered by a gap. If
    /// they were lost right before it, the record is in order and the gap is returned.
    pub fn prove(&mut self, dropped: u64, out: &mut Output<'_>) -> Option<Lost> {
        let growth = self.numbers.prove(dropped, self.damaged)?;
        settle(growth, out);
        let lost = self.lost(growth.pos, growth.more);
        (self.damaged, self.cause) = (0, LossCause::NONE);
        Some(lost)
    }

    /// Confirms that the target dropped everything missing so far.
    pub fn proven(&mut self) {
        self.numbers.proven();
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

    /// Adds a gap row. The number of lost records is never exact: multiples of the whole range can't be seen.
    fn gap(
        &self,
        lost: u64,
        expected: u64,
        frame: &Numbered<'_>,
        (clock, note): (&Clock, impl Fn(Row) -> Row),
        out: &mut Output<'_>,
    ) {
        let row = note(Row::gap(frame.pos));
        if out.wants_activities() {
            out.activity(Activity { core: row.core, ..Activity::new(Verb::LOST).val(lost) });
        }
        out.attachment(AttachmentId::LOST, lost, lost::AT_LEAST);
        out.attachment(AttachmentId::EXPECTED, expected, frame.number);
        if self.cause != LossCause::NONE {
            out.attachment(AttachmentId::CAUSE, self.cause.0, 0);
        }
        if self.damaged > 0 {
            out.attachment(AttachmentId::DAMAGED, self.damaged, 0);
        }
        if let Some(time) = frame.time.filter(|_| clock.is_known()) {
            out.attachment(AttachmentId::SPAN, self.reached.unwrap_or_else(|| clock.now()), time);
        }
        out.row(row);
    }
}
