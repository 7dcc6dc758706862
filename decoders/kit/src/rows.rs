//! The rows that any decoder of an HDLC-like stream makes beside its records.

use spytui_plugin_api::{
    Output, Row, Severity,
    batch::AttachmentId,
    row::{RowFlags, RowKind},
};

use crate::Clock;

/// What every row of a stream has from the stream.
#[derive(Clone, Copy, Debug)]
pub struct RowContext<'a> {
    /// Gives the time of the last stamp.
    pub clock: &'a Clock,
    /// Configuration in force.
    pub cfg: u16,
    /// Core of the source.
    pub core: u16,
}

/// Whoever makes rows of a stream.
pub trait RowBuilder {
    /// What its rows have from the stream.
    fn context(&self) -> RowContext<'_>;

    /// A row of this stream with the time inherited from the last stamp.
    #[inline]
    fn row(&self, pos: u64, len: usize) -> Row {
        let RowContext { clock, cfg, core } = self.context();
        Row { pos, len: len as u32, time: clock.now(), cfg, core, ..Row::default() }
    }

    /// A row that is no record.
    fn note(&self, kind: RowKind, pos: u64, len: usize, level: Severity) -> Row {
        let mut row = self.row(pos, len);
        (row.kind, row.severity) = (kind, level);
        row
    }

    /// Adds a row of bytes that are given up.
    fn skip(&self, out: &mut Output<'_>, kind: RowKind, pos: u64, len: usize, level: Severity) {
        let mut row = self.note(kind, pos, len, level);
        row.flags |= RowFlags::SKIPPED;
        out.row(row);
    }

    /// Adds a row that says something in words.
    fn say(&self, out: &mut Output<'_>, kind: RowKind, pos: u64, level: Severity, text: &str) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        out.row(self.note(kind, pos, 0, level));
    }
}
