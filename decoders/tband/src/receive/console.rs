//! Text printed on the trace line: boot banners, `printf`. It runs into the next frame, as frames begin without a mark.

use spytui_plugin_api::{Output, Row, console, row::RowKind};

use super::{native::NativeReceiver, stream::FrameHandler};
use crate::record;

/// Maximum time from the last event to one after text that is no line, in ticks.
const SOON: u64 = 1 << 32;

impl NativeReceiver {
    /// Takes a frame without a record that is text, or text and a frame; `false` if it is neither. `raw` ends with the
    /// end of the frame.
    #[cold]
    pub(super) fn printed(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        let body = raw.get(..raw.len().saturating_sub(1)).unwrap_or(raw);
        let text = body.get(..console::text_len(body)).unwrap_or(&[]);
        if let Some(start) = self.frame_after(text, body) {
            let (text, frame) = raw.split_at(start);
            self.text(pos, text, 0, out);
            return self.frame(pos + start as u64, frame, out);
        }
        // Frames hold texts, too, so what is left of a damaged one may be text; lines are not.
        let is_text = text.len() == body.len() && console::is_text(text) && text.ends_with(b"\n");
        if is_text {
            self.text(pos, body, 1, out);
        }
        is_text
    }

    fn text(&mut self, pos: u64, text: &[u8], after: usize, out: &mut Output<'_>) {
        self.settle(out);
        for (start, len) in console::rows(text, 0, after) {
            out.row(self.context().note(Row::note(RowKind::CONSOLE, pos + start as u64, len)));
        }
    }

    /// Start of the frame after the text at the start of a body: after the end of a line, else where an event follows
    /// soon after the last one.
    fn frame_after(&self, text: &[u8], body: &[u8]) -> Option<usize> {
        let mut starts = 1..=text.len();
        let is_line = |start: &usize| text.get(..*start).is_some_and(|text| text.ends_with(b"\n"));
        let after_line = starts.clone().filter(is_line).find(|start| self.reads(body, *start, false));
        after_line.or_else(|| starts.find(|start| self.reads(body, *start, true)))
    }

    /// Whether the bytes from a position on are a frame; if `soon`, one that follows soon after the last event.
    fn reads(&self, body: &[u8], start: usize, soon: bool) -> bool {
        let mut room = Vec::new();
        let Ok(record) = record::read(body.get(start..).unwrap_or(&[]), self.config.rtos, &mut room) else {
            return false;
        };
        let clock = &self.cores.now.clock;
        let ahead = clock.extend(record.stamp, 8).checked_sub(clock.now());
        let follows = record.layout.timed && ahead.is_some_and(|ticks| ticks < SOON);
        !record.is_broken() && (!soon || follows)
    }
}
