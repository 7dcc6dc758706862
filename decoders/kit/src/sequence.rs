//! 8-bit sequence numbers, and the target's drop totals.

use spytui_plugin_api::{AttachmentId, Growth, Output, Row, batch::lost};
use spytui_plugin_layer::{
    Clock,
    sequence::{self, Decision, Lost, Numbered, Step, Taken},
};

use crate::drops::DropTotals;

/// Sequence numbers of a stream, and damage since the last valid frame.
#[derive(Clone, Debug)]
pub struct Sequence {
    pub numbers: sequence::Sequence,
    drops: DropTotals,
    /// Position of the last gap for which a loss is undecided.
    open: Option<u64>,
}

impl Default for Sequence {
    fn default() -> Self {
        Sequence { numbers: sequence::Sequence::new(8), drops: DropTotals::default(), open: None }
    }
}

impl Sequence {
    #[inline]
    pub fn expected(&self) -> Option<u8> {
        self.numbers.expected().map(|number| number as u8)
    }

    /// Whether a frame is the next one, which `numbers` may take as a plain one.
    #[inline]
    pub fn is_plain(&self, seq: u8) -> bool {
        self.numbers.is_plain(seq.into())
    }

    /// Distance from the expected number; `None` before the first valid frame.
    pub fn distance(&self, seq: u8) -> Option<u8> {
        self.expected().map(|e| seq.wrapping_sub(e))
    }

    /// Takes a valid frame classified as `step` and adds rows for what it reveals; returns whether it is out of order.
    /// `note` fills in what all rows of the stream share.
    pub fn take(
        &mut self,
        step: Step,
        frame: &Numbered<'_>,
        of_stream: (&Clock, impl Fn(Row) -> Row),
        out: &mut Output<'_>,
    ) -> bool {
        let Taken { is_aside, gap, settled } = self.numbers.take(step, frame, of_stream, out);
        let is_in_doubt = step == Step::Decided(Decision::Return);
        settled.iter().for_each(|growth| self.drops.changed(growth, is_in_doubt));
        self.add_to_drops(gap);
        is_aside
    }

    fn add_to_drops(&mut self, gap: Option<Lost>) {
        if let Some(Lost { pos, lost, linked }) = gap {
            self.open = Some(pos).filter(|_| lost == 0);
            self.drops.gap(pos, u8::try_from(lost).unwrap_or(u8::MAX), linked);
        }
    }

    /// Starts the numbers at this one.
    pub fn begin(&mut self, seq: u8) {
        self.numbers.begin(seq.into());
    }

    /// Resets the drop total, because the target starts.
    pub fn start_drops(&mut self) {
        self.drops.start();
    }

    /// Whether a reported total proves that an out-of-order frame follows the loss of dropped records. Then it is in
    /// order.
    pub fn proves(&mut self, total: u32, out: &mut Output<'_>) -> bool {
        let lost = self.numbers.prove(self.drops.unexplained(total), out);
        self.add_to_drops(lost);
        lost.is_some()
    }

    /// Takes a reported drop total. Call it just before the row of the record is added. Returns whether it includes
    /// records that no gap had shown.
    pub fn drop_total(&mut self, total: u32, out: &mut Output<'_>) -> bool {
        let report = self.drops.total(total);
        if report.dropped.is_some_and(|dropped| dropped > 0) {
            self.numbers.proven();
        }
        for mut growth in report.settled {
            if growth.more > 0 && self.open == Some(growth.pos) {
                self.open = None;
                sequence::settle(Growth { how: lost::AT_LEAST, ..growth }, out);
                growth.more = 0;
            }
            sequence::settle(growth, out);
        }
        if let Some(dropped) = report.dropped {
            out.attachment(AttachmentId::DROPPED, dropped.into(), 0);
        }
        report.dropped.is_some()
    }
}
