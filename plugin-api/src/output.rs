//! Arguments of a decoder's functions: the output for rows, and names.

use crate::{
    activity::Activity,
    batch::{Attachment, AttachmentId, Batch, ByteRange, CfgEvent, ClockEvent, Count, CounterId, DictEvent, DictOp},
    row::{NONE, Row},
};

/// The output for a chunk. Attachments and activities are pushed before their row.
#[derive(Debug)]
pub struct Output<'a> {
    batch: &'a mut Batch,
    wants_activities: bool,
}

impl<'a> Output<'a> {
    /// An output that appends to a batch.
    pub fn new(batch: &'a mut Batch, wants_activities: bool) -> Output<'a> {
        Output { batch, wants_activities }
    }

    /// Whether activities are wanted.
    #[inline]
    #[must_use]
    pub fn wants_activities(&self) -> bool {
        self.wants_activities
    }

    /// Index of the next row.
    #[inline]
    #[must_use]
    pub fn at(&self) -> u32 {
        self.batch.rows.len() as u32
    }

    /// Adds a row.
    #[inline(always)]
    pub fn row(&mut self, row: Row) {
        self.batch.rows.push(row);
    }

    /// Adds an attachment to the next row.
    pub fn attachment(&mut self, id: AttachmentId, a: u64, b: u64) {
        let at = self.at();
        self.batch.attachments.push(Attachment { at, id, is_bytes: false, a, b });
    }

    /// Adds an attachment with bytes to the next row.
    pub fn attachment_bytes(&mut self, id: AttachmentId, bytes: &[u8]) {
        let at = self.at();
        let cut = self.cut(bytes);
        let (a, b) = (u64::from(cut.off), u64::from(cut.len));
        self.batch.attachments.push(Attachment { at, id, is_bytes: true, a, b });
    }

    /// Names a key from the next row on.
    pub fn name(&mut self, space: u16, key: u64, scope: u64, name: &[u8]) {
        self.dict(DictEvent { op: DictOp::SET, space, key, scope, val_space: NONE, ..DictEvent::default() }, name);
    }

    /// Names a key from the next row on, by a table of the decoder.
    pub fn built_in_name(&mut self, space: u16, key: u64, scope: u64, name: &[u8]) {
        let event = DictEvent { op: DictOp::SET, space, key, scope, val_space: NONE, ..DictEvent::default() };
        self.dict(DictEvent { is_built_in: true, ..event }, name);
    }

    /// Removes an entry from the next row on.
    pub fn remove(&mut self, space: u16, key: u64, scope: u64) {
        self.dict(DictEvent { op: DictOp::REMOVE, space, key, scope, ..DictEvent::default() }, b"");
    }

    /// Clears a space from the next row on.
    pub fn clear(&mut self, space: u16) {
        self.dict(DictEvent { op: DictOp::CLEAR, space, ..DictEvent::default() }, b"");
    }

    /// Sets a number in space [`crate::info::space::PROPS`].
    pub fn prop(&mut self, key: u64, val: u64, text: &[u8]) {
        let event = DictEvent { op: DictOp::SET, attr: crate::batch::AttrId::VALUE, key, val, ..DictEvent::default() };
        self.dict(event, text);
    }

    /// Adds any dictionary event; `at` and `text` are set here.
    pub fn dict(&mut self, event: DictEvent, text: &[u8]) {
        let (at, text) = (self.at(), self.cut(text));
        self.batch.dict.push(DictEvent { at, text, ..event });
    }

    /// Adds a configuration blob, valid from the next row on.
    pub fn cfg(&mut self, id: u16, blob: &[u8]) {
        let (at, blob) = (self.at(), self.cut(blob));
        self.batch.cfgs.push(CfgEvent { at, id, blob });
    }

    /// Adds a clock.
    pub fn clock(&mut self, clock: ClockEvent) {
        let at = self.at();
        self.batch.clocks.push(ClockEvent { at, ..clock });
    }

    /// Adds an activity to the next row.
    #[inline]
    pub fn activity(&mut self, activity: Activity) {
        let at = self.at();
        self.batch.activities.push(Activity { at, ..activity });
    }

    /// Sets a counter of the decoder's own, absolute since open.
    pub fn count(&mut self, id: CounterId, val: u64) {
        self.batch.counts.push(Count { id, val });
    }

    fn cut(&mut self, bytes: &[u8]) -> ByteRange {
        let off = self.batch.bytes.len() as u32;
        self.batch.bytes.extend_from_copy_slice(bytes);
        ByteRange { off, len: bytes.len() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attachments_come_before_their_row() {
        let mut batch = Batch::default();
        let mut out = Output::new(&mut batch, false);
        out.row(Row::default());
        out.attachment_bytes(AttachmentId::TEXT, b"hi");
        out.row(Row::default());
        assert_eq!(batch.attachments[0].at, 1);
        assert_eq!(batch.attachments[0].bytes(&batch.bytes), b"hi");
    }
}
