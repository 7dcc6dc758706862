//! Rows other than records for decoders of HDLC-like streams, and reported configurations.

use std::sync::Arc;

use spytui_plugin_api::{AttachmentId, Output, Row, RowFlags, RowKind, info::prop};
use spytui_plugin_layer::ClockNews;

pub trait RowBuilder {
    /// Completes a row with what all rows of this stream share: configuration, core, and the time of the last time stamp.
    fn note(&self, note: Row) -> Row;

    #[inline]
    fn row(&self, pos: u64, len: usize) -> Row {
        self.note(Row { pos, len: len as u32, ..Row::default() })
    }

    /// Adds a note about the next record's time stamp; returns the flags that the record's row must not have.
    #[cold]
    fn clock_news(&self, news: ClockNews, pos: u64, out: &mut Output<'_>) -> RowFlags {
        if let Some(note) = news.note(pos, out) {
            out.row(self.note(note));
        }
        if news.hides_time() { RowFlags::TIME_OWN } else { RowFlags::empty() }
    }

    /// Adds a gap in 8-bit sequence numbers.
    fn gap(&self, expected: u8, seq: u8, pos: u64, out: &mut Output<'_>) {
        out.attachment(AttachmentId::LOST, seq.wrapping_sub(expected).into(), 0);
        out.attachment(AttachmentId::EXPECTED, expected.into(), seq.into());
        out.row(self.note(Row::gap(pos)));
    }

    fn say(&self, out: &mut Output<'_>, note: Row, text: &str) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        out.row(self.note(note));
    }

    /// Adds a note about a conflict between options and target.
    fn conflict(&self, pos: u64, text: &str, out: &mut Output<'_>) {
        self.say(out, Row { flags: RowFlags::NAMING, ..Row::note(RowKind::CONFLICT, pos, 0) }, text);
    }

    /// Adds a note about an option that the target contradicts.
    fn overruled(&self, pos: u64, key: &str, set: &str, came: &str, out: &mut Output<'_>) {
        let text = format!("option {key}={set}, but the target reports {came}, which is used: drop the option");
        self.conflict(pos, &text, out);
    }

    /// Adds a note about options reported by the target: key, value, displayed value. Earlier records can be decoded
    /// again with them. Adds nothing without options and `more`.
    fn learned(&self, pos: u64, options: &[(&str, String, String)], more: &str, out: &mut Output<'_>) {
        if options.is_empty() && more.is_empty() {
            return;
        }
        let text: String = options.iter().map(|(key, _, shown)| format!(" {key} {shown}")).collect();
        out.attachment_bytes(AttachmentId::TEXT, format!("learned from the target:{text}{more}").as_bytes());
        if !options.is_empty() {
            let lines: String = options.iter().map(|(key, value, _)| format!("{key}={value}\n")).collect();
            out.attachment_bytes(AttachmentId::OPTIONS, lines.as_bytes());
        }
        out.row(self.note(Row { flags: RowFlags::NAMING, ..Row::note(RowKind::CONFIG, pos, 0) }));
    }
}

/// Reports the sizes of object and function pointers, signals, events and time stamps.
pub fn size_properties(sizes: [u8; 5], out: &mut Output<'_>) {
    let keys = [prop::OBJ_PTR, prop::FUN_PTR, prop::SIGNAL, prop::EVENT_SIZE, prop::STAMP];
    keys.into_iter().zip(sizes).for_each(|(key, size)| out.prop(key, size.into(), b""));
}

const MOST: usize = 0xFFFF;

/// The configurations reported so far, as blobs of `N` bytes.
#[derive(Clone, Debug, Default)]
pub struct ConfigRegistry<const N: usize> {
    blobs: Arc<Vec<[u8; N]>>,
}

impl<const N: usize> ConfigRegistry<N> {
    /// The id of a configuration; reports a new one to the host. `None` if there are no ids left.
    pub fn id(&mut self, blob: [u8; N], out: &mut Output<'_>) -> Option<u16> {
        if let Some(known) = self.blobs.iter().position(|b| *b == blob) {
            return u16::try_from(known).ok();
        }
        let id = u16::try_from(self.blobs.len()).ok().filter(|id| usize::from(*id) < MOST)?;
        Arc::make_mut(&mut self.blobs).push(blob);
        out.cfg(id, &blob);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Batch;

    use super::*;

    #[test]
    fn a_configuration_is_reported_once() {
        let (mut batch, mut configs) = (Batch::default(), ConfigRegistry::<2>::default());
        let mut out = Output::new(&mut batch, false);
        let ids = [[1, 2], [3, 4], [1, 2]].map(|blob| configs.id(blob, &mut out));
        assert_eq!(ids, [Some(0), Some(1), Some(0)]);
        assert_eq!(batch.cfgs.len(), 2);
    }
}
