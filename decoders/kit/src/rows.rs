//! Rows other than records, as any decoder of an HDLC-like stream makes them.

use spytui_plugin_api::{AttachmentId, Clock, ClockNews, Output, Row, RowFlags};

/// Stream state that goes into every row.
#[derive(Clone, Copy, Debug)]
pub struct RowContext<'a> {
    /// Gives the time of the last time stamp.
    pub clock: &'a Clock,
    /// Id of the current configuration.
    pub cfg: u16,
    /// Core of the source.
    pub core: u16,
}

/// Makes the rows of a stream.
pub trait RowBuilder {
    /// The stream state for its rows.
    fn context(&self) -> RowContext<'_>;

    /// A row with the time of the last time stamp.
    #[inline]
    fn row(&self, pos: u64, len: usize) -> Row {
        let RowContext { clock, cfg, core } = self.context();
        Row { pos, len: len as u32, time: clock.now(), cfg, core, ..Row::default() }
    }

    /// A note with what all rows of this stream have.
    fn note(&self, note: Row) -> Row {
        let RowContext { clock, cfg, core } = self.context();
        Row { time: clock.now(), cfg, core, ..note }
    }

    /// Adds the note of what the time stamp of the next record has shown; returns the flags that its row does not have then.
    #[cold]
    fn clock_news(&self, news: ClockNews, pos: u64, out: &mut Output<'_>) -> RowFlags {
        if let Some(note) = news.note(pos, out) {
            out.row(self.note(note));
        }
        if news.hides_time() { RowFlags::TIME_OWN } else { RowFlags::empty() }
    }

    fn say(&self, out: &mut Output<'_>, note: Row, text: &str) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        out.row(self.note(note));
    }
}
