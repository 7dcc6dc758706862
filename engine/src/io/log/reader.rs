//! Reads a log in chunks, with each stream event once and in order.

use std::sync::Arc;

use spytui_plugin_api::chunk::MAX_CHUNK;

use super::{LogError, LogEvent, RawLog, kind};

/// A position between two feeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Position in the log, bytes.
    pub pos: u64,
    /// Index of the next stream event.
    pub event: u64,
}

/// Reads a log forward.
#[derive(Debug)]
pub struct LogReader {
    log: Arc<RawLog>,
    at: Cursor,
    /// Bytes of the last chunk.
    pub bytes: Vec<u8>,
    /// Stream events of the last chunk.
    pub events: Vec<LogEvent>,
    /// Position of the last chunk.
    pub pos: u64,
}

impl LogReader {
    /// Starts reading at a position.
    pub fn new(log: Arc<RawLog>, at: Cursor) -> LogReader {
        LogReader { log, at, bytes: Vec::new(), events: Vec::new(), pos: at.pos }
    }

    /// Start of the next chunk.
    pub fn at(&self) -> Cursor {
        self.at
    }

    pub fn log(&self) -> &Arc<RawLog> {
        &self.log
    }

    /// Reads the next chunk, at most up to position `limit`; `false` if there is nothing new.
    ///
    /// # Errors
    /// If the log can't be read.
    pub fn next(&mut self, limit: u64) -> Result<bool, LogError> {
        self.events.clear();
        let gone = self.skip_what_is_gone();
        self.pos = self.at.pos;
        let end = self.log.len().min(limit).max(self.at.pos);
        let len = usize::try_from(end - self.at.pos).unwrap_or(MAX_CHUNK).min(MAX_CHUNK);
        match self.log.read_into(self.at.pos, len, &mut self.bytes) {
            // The link that follows the file will see it too, and say where the log goes on.
            Err(LogError::Shrunk { .. } | LogError::Gone { .. }) if !self.log.ended() => self.bytes.clear(),
            result => result?,
        }
        let upto = self.at.pos + self.bytes.len() as u64;
        self.at.event = self.log.events_from(self.at.event, upto, &mut self.events);
        self.place_events_of_gone_bytes(gone);
        self.end_at_missing_events(upto);
        self.at.pos += self.bytes.len() as u64;
        Ok(!self.bytes.is_empty() || !self.events.is_empty())
    }

    /// Stream events are read in portions: if more are left in this chunk, it ends at the last one read.
    fn end_at_missing_events(&mut self, upto: u64) {
        let mut more = Vec::new();
        self.log.events_from(self.at.event, upto, &mut more);
        if let (false, Some(last)) = (more.is_empty(), self.events.last()) {
            self.bytes.truncate(usize::try_from(last.pos.saturating_sub(self.at.pos)).unwrap_or(0));
        }
    }

    /// Skips bytes no longer kept; returns the event that reports them as lost by the host.
    fn skip_what_is_gone(&mut self) -> Option<LogEvent> {
        let first = self.log.first();
        let gone = first.checked_sub(self.at.pos).filter(|gone| *gone > 0)?;
        self.at.pos = first;
        let arg = u32::try_from(gone).unwrap_or(u32::MAX);
        Some(LogEvent { pos: first, host_ns: 0, kind: kind::HOST_LOSS, arg, text: Vec::new() })
    }

    /// Events of bytes that are gone stand at the first byte that is left, before the report of the loss.
    fn place_events_of_gone_bytes(&mut self, gone: Option<LogEvent>) {
        let early = self.events.iter().take_while(|event| event.pos < self.pos).count();
        self.events.iter_mut().take(early).for_each(|event| event.pos = self.pos);
        if let Some(loss) = gone {
            self.events.insert(early, loss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::log::LogOptions;

    #[test]
    fn every_byte_and_mark_comes_once() {
        let log = RawLog::new(&LogOptions::default());
        for i in 0..20_000_u64 {
            log.append(&i.to_le_bytes(), 1 + i * 2_000_000);
            if i % 3 == 0 {
                log.add_event(kind::LINK_UP, i as u32, b"x", 1 + i * 2_000_000);
            }
        }
        log.end(1);
        let mut reader = LogReader::new(log.clone(), Cursor::default());
        let (mut bytes, mut ups) = (Vec::new(), Vec::new());
        while reader.next(u64::MAX).expect("readable") {
            assert_eq!(reader.pos, bytes.len() as u64);
            bytes.extend_from_slice(&reader.bytes);
            let end = bytes.len() as u64;
            assert!(reader.events.iter().all(|m| m.pos >= reader.pos && m.pos <= end));
            ups.extend(reader.events.iter().filter(|m| m.kind == kind::LINK_UP).map(|m| m.arg));
        }
        assert_eq!(bytes.len(), 160_000);
        assert_eq!(ups, (0..20_000).filter(|i| i % 3 == 0).collect::<Vec<u32>>());
    }
    #[test]
    fn who_begins_behind_what_is_gone_gets_what_still_holds_and_then_the_loss() {
        let log = RawLog::new(&LogOptions { memory: 1 << 20, spool: None });
        log.add_event(kind::OPTIONS, 0, b"signal=2", 1);
        for second in 1..=3_000 {
            log.append(&[7; 1 << 10], second * 1_000_000_000);
        }
        for _ in 0..2_000 {
            if log.first() > 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let mut reader = LogReader::new(log.clone(), Cursor::default());
        assert!(reader.next(u64::MAX).expect("readable"));
        let first = reader.pos;
        assert!(first > 0 && reader.events.iter().all(|event| event.pos >= first));
        let kinds: Vec<u16> = reader.events.iter().map(|event| event.kind).filter(|k| *k != kind::TIME).collect();
        assert_eq!(kinds, [kind::START, kind::OPTIONS, kind::HOST_LOSS]);
        let loss = reader.events.iter().find(|event| event.kind == kind::HOST_LOSS).expect("a loss");
        assert_eq!((loss.pos, u64::from(loss.arg)), (first, first));
    }
}
