//! Where decoder functions put rows and names.

use crate::{
    Activity, Attachment, AttachmentId, Batch, ByteRange, CfgEvent, ClockEvent, Count, CounterId, DictEvent, NONE, Row,
    RowKind, batch::DictOp, console,
};

/// Rows allowed per feed regardless of its size: for pending bytes and effects of events.
const ROWS_OF_EARLIER: usize = 1 << 18;
/// Entries allowed per feed in each other list; more than any file of names needs.
const ENTRIES: usize = 1 << 20;
/// Bytes of text allowed per feed.
const BYTES: usize = 1 << 28;

/// What bytes outside of records turned out to be, see [`Output::skipped`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// Lines of text.
    Text,
    /// Damage, and perhaps lines of text before it.
    Damage,
    /// Damage, then lines of text.
    DamageThenText,
}

/// Collects the output for a chunk. Push attachments and activities before their row.
#[derive(Debug)]
pub struct Output<'a> {
    batch: &'a mut Batch,
    wants_activities: bool,
    /// Limits of a feed, to stop a runaway decoder before memory runs out.
    most_rows: usize,
    most_entries: usize,
    most_bytes: usize,
}

impl<'a> Output<'a> {
    /// Creates an output that appends to a batch.
    pub fn new(batch: &'a mut Batch, wants_activities: bool) -> Output<'a> {
        Output::for_feed(batch, wants_activities, 0)
    }

    /// Creates the output for a feed of `fed` bytes and events.
    pub(crate) fn for_feed(batch: &'a mut Batch, wants_activities: bool, fed: usize) -> Output<'a> {
        let [rows, lists @ .., bytes] = batch.lengths();
        let longest = lists.into_iter().max().unwrap_or_default();
        let most_rows = rows + ROWS_OF_EARLIER + fed.saturating_mul(64);
        let most_entries = longest + ENTRIES + fed.saturating_mul(64);
        Output { batch, wants_activities, most_rows, most_entries, most_bytes: bytes + BYTES }
    }

    /// Whether activities are wanted.
    #[inline]
    pub fn wants_activities(&self) -> bool {
        self.wants_activities
    }

    /// Index of the next row.
    #[inline]
    pub fn at(&self) -> u32 {
        self.batch.rows.len() as u32
    }

    /// Adds a row.
    #[inline(always)]
    pub fn row(&mut self, row: Row) {
        if self.batch.rows.len() >= self.most_rows {
            too_many("rows");
        }
        self.batch.rows.push(row);
    }

    /// Adds rows for bytes outside of records, such as a damaged frame: lines of text become console rows, the rest
    /// becomes rows like `row`. `body` = the bytes of `row` after the first `before`, without the end of the frame.
    ///
    /// ```
    /// # use spytui_plugin_api::{Batch, Output, Row, RowKind};
    /// # let mut batch = Batch::default();
    /// # let mut out = Output::new(&mut batch, false);
    /// let bytes = b"\x07\x02assertion failed\r\n\x7E";
    /// out.skipped(Row::skipped(RowKind::BAD_CHECK, 40, bytes.len()), 0, &bytes[..20]);
    /// let rows: Vec<_> = batch.rows.iter().map(|row| (row.kind, row.pos, row.len)).collect();
    /// assert_eq!(rows, [(RowKind::BAD_CHECK, 40, 2), (RowKind::CONSOLE, 42, 19)]);
    /// ```
    pub fn skipped(&mut self, row: Row, before: usize, body: &[u8]) -> Skipped {
        let parts = console::parts(body);
        if parts.is_empty() {
            self.row(row);
            return Skipped::Damage;
        }
        let (start, end) = (row.pos, row.pos + u64::from(row.len));
        let (mut pos, mut kind) = (start, row.kind);
        let next_kind = if kind.is_loss() { RowKind::RESYNC } else { kind };
        for (i, part) in parts.iter().enumerate() {
            let is_last = i + 1 == parts.len();
            let next = if is_last { end } else { start + (before + part.end) as u64 };
            let len = u32::try_from(next - pos).unwrap_or(u32::MAX);
            if part.is_text {
                let Row { time, cfg, core, .. } = row;
                self.row(Row { len, time, cfg, core, ..Row::note(RowKind::CONSOLE, pos, 0) });
            } else {
                // It counts as one damaged frame, however many parts it has.
                self.row(Row { pos, len, kind: std::mem::replace(&mut kind, next_kind), ..row });
            }
            pos = next;
        }
        match parts.last() {
            Some(last) if !last.is_text => Skipped::Damage,
            _ if parts.iter().any(|part| !part.is_text) => Skipped::DamageThenText,
            _ => Skipped::Text,
        }
    }

    /// Adds an attachment to the next row.
    pub fn attachment(&mut self, id: AttachmentId, a: u64, b: u64) {
        let at = self.at_with_room(self.batch.attachments.len());
        self.batch.attachments.push(Attachment { at, id, is_bytes: false, a, b });
    }

    /// Adds an attachment with bytes to the next row.
    pub fn attachment_bytes(&mut self, id: AttachmentId, bytes: &[u8]) {
        let at = self.at_with_room(self.batch.attachments.len());
        let cut = self.cut(bytes);
        let (a, b) = (u64::from(cut.off), u64::from(cut.len));
        self.batch.attachments.push(Attachment { at, id, is_bytes: true, a, b });
    }

    /// Names a key from the next row on.
    pub fn name(&mut self, space: u16, key: u64, scope: u64, name: &[u8]) {
        self.dict(DictEvent { op: DictOp::SET, space, key, scope, val_space: NONE, ..DictEvent::default() }, name);
    }

    /// Names a key from the next row on, from the decoder's own tables.
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

    /// Adds any dictionary event; fills in `at` and `text`.
    pub fn dict(&mut self, event: DictEvent, text: &[u8]) {
        let (at, text) = (self.at_with_room(self.batch.dict.len()), self.cut(text));
        self.batch.dict.push(DictEvent { at, text, ..event });
    }

    /// Adds a configuration blob, valid from the next row on.
    pub fn cfg(&mut self, id: u16, blob: &[u8]) {
        let (at, blob) = (self.at_with_room(self.batch.cfgs.len()), self.cut(blob));
        self.batch.cfgs.push(CfgEvent { at, id, blob });
    }

    /// Adds a clock.
    pub fn clock(&mut self, clock: ClockEvent) {
        let at = self.at_with_room(self.batch.clocks.len());
        self.batch.clocks.push(ClockEvent { at, ..clock });
    }

    /// Adds an activity to the next row.
    #[inline]
    pub fn activity(&mut self, activity: Activity) {
        let at = self.at_with_room(self.batch.activities.len());
        self.batch.activities.push(Activity { at, ..activity });
    }

    /// Sets one of the decoder's own counters, counted since open.
    pub fn count(&mut self, id: CounterId, val: u64) {
        self.at_with_room(self.batch.counts.len());
        self.batch.counts.push(Count { id, val });
    }

    /// Index of the next row; panics if a list of this length is too long.
    #[inline]
    fn at_with_room(&self, len: usize) -> u32 {
        if len >= self.most_entries {
            too_many("entries");
        }
        self.at()
    }

    fn cut(&mut self, bytes: &[u8]) -> ByteRange {
        if self.batch.bytes.len() >= self.most_bytes {
            too_many("bytes of text");
        }
        let off = self.batch.bytes.len() as u32;
        self.batch.bytes.extend_from_copy_slice(bytes);
        ByteRange { off, len: bytes.len() as u32 }
    }
}

/// The guard around the entry turns this panic into a fault.
#[cold]
#[inline(never)]
fn too_many(what: &str) -> ! {
    panic!("it made far more {what} than the bytes fed to it allow")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore)] // millions of rows
    fn a_feed_is_stopped_before_memory_ends() {
        crate::guard::install_hook();
        let feed = |make: &dyn Fn(&mut Output<'_>)| {
            let mut batch = Batch::default();
            let answer = crate::guard::guard(|| -> Result<(), crate::Fault> {
                let mut out = Output::for_feed(&mut batch, true, 10);
                loop {
                    make(&mut out);
                }
            });
            (answer.into_result().expect_err("a fault").text, batch.rows.len())
        };
        let (text, rows) = feed(&|out| out.row(Row::default()));
        assert!(text.contains("it made far more rows than") && rows == ROWS_OF_EARLIER + 640, "{text}");
        assert!(feed(&|out| out.count(CounterId(7), 1)).0.contains("far more entries"));
        assert!(feed(&|out| out.attachment_bytes(AttachmentId::TEXT, &[0; 1 << 20])).0.contains("bytes of text"));
    }

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
