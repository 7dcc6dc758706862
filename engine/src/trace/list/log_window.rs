//! A range of a log that is kept because the rows around one are likely to follow.

use std::sync::Arc;

use crate::io::log::RawLog;

/// Bytes read around a row, because its neighbours are likely to follow.
const AROUND: usize = 64 * 1024;
/// Maximum length of a row whose bytes are read.
const LONGEST: u64 = 16 << 20;

/// A cached range of a log.
#[derive(Debug, Default)]
pub(super) struct LogWindow {
    log: Option<Arc<RawLog>>,
    pos: u64,
    bytes: Vec<u8>,
}

impl LogWindow {
    /// Bytes of the log; empty if no longer kept.
    pub(super) fn get(&mut self, log: &Arc<RawLog>, pos: u64, len: u64) -> &[u8] {
        let len = len.min(LONGEST) as usize;
        if !self.log.as_ref().is_some_and(|of| Arc::ptr_eq(of, log)) {
            *self = LogWindow { log: Some(log.clone()), ..LogWindow::default() };
        }
        let inside = |w: &LogWindow| pos >= w.pos && pos + len as u64 <= w.pos + w.bytes.len() as u64;
        if !inside(self) {
            self.bytes.clear();
            self.pos = pos;
            if log.read_into(pos, len.max(AROUND), &mut self.bytes).is_err() {
                self.bytes.clear();
            }
        }
        let start = usize::try_from(pos - self.pos).unwrap_or(usize::MAX).min(self.bytes.len());
        &self.bytes[start..(start + len).min(self.bytes.len())]
    }
}
