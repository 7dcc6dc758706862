//! When the start of a target's streams is looked at for sizes that nobody set. A file or a pipe is looked at when all
//! of the sample is there, so that the same bytes always give the same guess. A live stream is looked at earlier, too.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    io::log::{RawLog, kind},
    open::guess::SAMPLE,
};

/// A live stream is first looked at this long after its first byte.
pub const FIRST_LOOK: Duration = Duration::from_secs(1);

/// When the start of a target's streams is looked at.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    /// When the first byte was seen.
    begun: Option<Instant>,
    /// Length of all logs at which the next early look is due.
    next: u64,
    complete: bool,
}

impl Looks {
    /// Whether to look now; `live` = also before all of the sample is there.
    pub fn due(&mut self, logs: &[Arc<RawLog>], live: bool, now: Instant) -> bool {
        if self.complete {
            return false;
        }
        self.complete = logs.iter().all(|log| is_complete(log, live));
        if self.complete {
            return true;
        }
        let len: u64 = logs.iter().map(|log| log.len()).sum();
        if len > 0 {
            self.begun.get_or_insert(now);
        }
        let due = live && self.waited(now) && len >= self.next;
        if due {
            self.next = len.saturating_mul(2);
        }
        due
    }

    /// Whether the first byte was seen [`FIRST_LOOK`] ago or earlier.
    pub fn waited(&self, now: Instant) -> bool {
        self.begun.is_some_and(|begun| now.saturating_duration_since(begun) >= FIRST_LOOK)
    }

    /// Whether all of the sample was looked at.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

/// Whether all of the sample is there. A named pipe goes on after its writer has closed it, but that is the end of a
/// stream.
fn is_complete(log: &RawLog, live: bool) -> bool {
    let is_down = || !log.is_empty() && log.events(0, log.len()).iter().any(|event| event.kind == kind::LINK_DOWN);
    log.ended() || log.len() >= SAMPLE as u64 || (!live && is_down())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::log::LogOptions;

    fn log() -> Arc<RawLog> {
        RawLog::new(&LogOptions { spool: None, ..LogOptions::default() })
    }

    #[test]
    fn a_pipe_is_looked_at_when_all_of_the_sample_is_there() {
        let (now, logs) = (Instant::now(), [log(), log()]);
        let later = now + Duration::from_secs(60);
        let mut looks = Looks::default();
        logs[0].append(&[0; 100], 1);
        assert!(!looks.due(&logs, false, now) && !looks.due(&logs, false, later));
        assert!(looks.waited(later) && !looks.is_complete());
        logs[0].append(&vec![0; SAMPLE], 1);
        assert!(!looks.due(&logs, false, later));
        logs[1].end(2);
        assert!(looks.due(&logs, false, later) && looks.is_complete());
        assert!(!looks.due(&logs, false, later));
    }

    #[test]
    fn the_end_of_a_writer_is_the_end_of_a_named_pipe() {
        let (now, logs) = (Instant::now(), [log()]);
        let mut looks = Looks::default();
        logs[0].append(&[0; 100], 1);
        logs[0].add_event(kind::LINK_DOWN, 0, b"", 2);
        assert!(!looks.clone().due(&logs, true, now) && looks.due(&logs, false, now));
    }

    #[test]
    fn a_live_stream_is_looked_at_a_second_after_its_first_byte_and_as_it_doubles() {
        let (now, logs) = (Instant::now(), [log()]);
        let at = |millis| now + Duration::from_millis(millis);
        let mut looks = Looks::default();
        assert!(!looks.due(&logs, true, at(0)) && !looks.due(&logs, true, at(5_000)));
        logs[0].append(&[0; 100], 1);
        assert!(!looks.due(&logs, true, at(6_000)) && !looks.due(&logs, true, at(6_999)));
        assert!(looks.due(&logs, true, at(7_000)) && !looks.due(&logs, true, at(9_000)));
        logs[0].append(&[0; 100], 1);
        assert!(looks.due(&logs, true, at(9_001)) && !looks.is_complete());
        logs[0].append(&vec![0; SAMPLE], 1);
        assert!(looks.due(&logs, true, at(9_002)) && looks.is_complete());
    }
}
