//! `record --tee`: the bytes of a link as they come, for any number of readers. Each reads the raw log by itself, from when
//! it connected, so none delays the link or another; one that is far behind is cut off.

use std::{
    io::{ErrorKind, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use spytui_engine::io::{
    link::{LinkSpec, Readers},
    log::{RawLog, format::size_text},
};

use super::failure::{self, Failure};

/// How far a reader may be behind, in bytes.
const MOST_BEHIND: u64 = 16 << 20;
/// Bytes sent at once.
const PIECE: u64 = 64 << 10;
/// How often a thread looks for the end.
const LOOK: Duration = Duration::from_millis(100);
/// How long readers get what is left at the end.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Tee {
    readers: Readers,
    feed: Arc<Feed>,
    /// Readers so far.
    count: u64,
}

struct Feed {
    log: Arc<RawLog>,
    /// Log position at which it ends.
    end: AtomicU64,
    /// Readers that were cut off.
    slow: AtomicU64,
}

impl Tee {
    /// At a port or a Unix socket. Errors: it is taken (3).
    pub(super) fn open(at: &LinkSpec, log: &Arc<RawLog>) -> Result<Tee, Failure> {
        let readers = Readers::listen(at, "tee").map_err(Failure::input)?;
        failure::say(&format!("readers at {} get the bytes as they come", readers.name));
        let feed = Feed { log: log.clone(), end: AtomicU64::new(u64::MAX), slow: AtomicU64::new(0) };
        Ok(Tee { readers, feed: Arc::new(feed), count: 0 })
    }

    /// Serves readers that have connected.
    pub(super) fn look(&mut self) {
        loop {
            let (feed, pos) = (self.feed.clone(), self.feed.log.len());
            let accepted = self.readers.accept(Some(LOOK), move |reader, name| feed.send(pos, reader, name));
            // For lack of a file handle or a thread, a reader waits.
            if !accepted.unwrap_or(false) {
                return;
            }
            self.count += 1;
        }
    }

    /// Sends what is left, and says what became of the readers.
    pub(super) fn finish(self) {
        self.feed.end.store(self.feed.log.len(), Relaxed);
        self.feed.log.wake();
        let until = Instant::now() + PATIENCE;
        while self.readers.present() > 0 && Instant::now() < until {
            thread::sleep(LOOK / 10);
        }
        let slow = self.feed.slow.load(Relaxed) + self.readers.present() as u64;
        failure::say(&format!("{}: readers {}, too slow and cut off {slow}", self.readers.name, self.count));
    }
}

impl Feed {
    /// Sends the log from a position on, until it or the run ends, or the reader has left or is cut off.
    fn send(&self, mut pos: u64, reader: &mut dyn Write, name: &str) {
        let (woken, mut bytes) = (self.log.subscribe(), Vec::new());
        while pos < self.end.load(Relaxed) {
            let ready = self.log.len() - pos;
            if ready == 0 && self.log.ended() {
                return;
            }
            if ready == 0 {
                let _ = woken.recv_timeout(LOOK);
                continue;
            }
            if ready > MOST_BEHIND || self.log.read_into(pos, ready.min(PIECE) as usize, &mut bytes).is_err() {
                self.slow.fetch_add(1, Relaxed);
                return failure::say(&format!("{name} is cut off, {} behind", size_text(ready)));
            }
            match reader.write(&bytes) {
                Ok(len) => pos += len as u64,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // It has left.
                Err(_) => return,
            }
        }
    }
}
