//! The rows that any decoder of an HDLC-like stream makes beside its records.

use spytui_plugin_api::{
    Out, Row,
    batch::{count, extra},
    row::{flag, note},
};

use crate::{Clock, Counts};

/// What every row of a stream has from the stream.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Gives the time of the last stamp.
    pub clock: &'a Clock,
    /// Configuration in force.
    pub cfg: u16,
    /// Lane of the source.
    pub lane: u16,
}

/// Whoever makes rows of a stream.
pub trait OwnRows {
    /// What its rows have from the stream.
    fn head(&self) -> Head<'_>;

    /// Its counters.
    fn counts_mut(&mut self) -> &mut Counts;

    /// A row of this stream with the time inherited from the last stamp.
    #[inline]
    fn row(&self, pos: u64, len: usize) -> Row {
        let Head { clock, cfg, lane } = self.head();
        Row { pos, len: len as u32, time: clock.now(), flags: clock.flags(), cfg, lane, ..Row::default() }
    }

    /// A row that is no record.
    fn note(&self, kind: u16, pos: u64, len: usize, level: u8) -> Row {
        let mut row = self.row(pos, len);
        row.flags |= flag::NOTE;
        (row.kind, row.severity) = (kind, level);
        row
    }

    /// Adds a row of bytes that are given up.
    fn skip(&mut self, out: &mut Out<'_>, kind: u16, pos: u64, len: usize, level: u8) {
        let mut row = self.note(kind, pos, len, level);
        row.flags |= flag::SKIPPED;
        let counter = match kind {
            note::BAD_CHECK => Some(count::BAD_CHECK),
            note::TOO_SHORT => Some(count::SHORT),
            note::TOO_LONG => Some(count::LONG),
            note::BAD_FRAME => Some(count::BAD_FRAME),
            note::RESYNC => Some(count::RESYNCS),
            _ => None,
        };
        let counts = self.counts_mut();
        counter.into_iter().for_each(|id| counts.add(id, 1));
        counts.add(count::SKIPPED_BYTES, len as u64);
        out.row(row);
    }

    /// Adds a row that says something in words.
    fn say(&self, out: &mut Out<'_>, kind: u16, pos: u64, level: u8, text: &str) {
        out.extra_bytes(extra::TEXT, text.as_bytes());
        out.row(self.note(kind, pos, 0, level));
    }
}
