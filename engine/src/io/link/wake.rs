//! Wakes a waiting reader from another thread; pauses between attempts.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::io::sys::{AsHandle, Handle};

/// A pipe that wakes a waiting reader from another thread.
#[derive(Debug)]
pub(super) struct Waker {
    reader: PipeReader,
    writer: PipeWriter,
    /// The pipe holds a byte; never more than one, so that writing never blocks.
    pending: AtomicBool,
}

impl Waker {
    pub(super) fn new() -> io::Result<Waker> {
        let (reader, writer) = io::pipe()?;
        Ok(Waker { reader, writer, pending: AtomicBool::new(false) })
    }

    pub(super) fn wake(&self) {
        if !self.pending.swap(true, Ordering::AcqRel) {
            let _ = (&self.writer).write(&[1]);
        }
    }

    /// Consumes the wake-up; only call it when the pipe is readable.
    pub(super) fn taken(&self) {
        let _ = (&self.reader).read(&mut [0]);
        self.pending.store(false, Ordering::Release);
    }
}

impl AsHandle for Waker {
    fn as_fd(&self) -> Handle<'_> {
        self.reader.as_fd()
    }
}

/// Growing pauses: 0.1 s, then doubled up to a limit.
#[derive(Debug)]
pub(super) struct BackOff {
    retry: u32,
}

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(5);
/// The longest pause while a device does not exist: checking for its name is cheap.
const LONGEST_MISSING: Duration = Duration::from_millis(500);

impl BackOff {
    pub(super) fn new() -> BackOff {
        BackOff { retry: 0 }
    }

    pub(super) fn reset(&mut self) {
        self.retry = 0;
    }

    /// Number of the next attempt and the pause before it.
    pub(super) fn next(&mut self, missing: bool) -> (u32, Duration) {
        let pause = Duration::from_millis(100) * 2u32.pow(self.retry.min(6));
        self.retry = self.retry.saturating_add(1);
        (self.retry, pause.min(if missing { LONGEST_MISSING } else { LONGEST }))
    }
}

/// A pause as text: `0.4 s`, `5 s`.
pub(super) fn pause_text(pause: Duration) -> String {
    let tenths = pause.as_millis() / 100;
    if tenths.is_multiple_of(10) { format!("{} s", tenths / 10) } else { format!("{}.{} s", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::sys::{Interest, wait_any};

    #[test]
    fn pauses_grow_from_a_tenth_to_five_seconds() {
        let mut back_off = BackOff::new();
        let pauses: Vec<u128> = (0..9).map(|_| back_off.next(false).1.as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
        back_off.reset();
        let pauses: Vec<(u32, u128)> = (0..5).map(|_| back_off.next(true)).map(|(n, p)| (n, p.as_millis())).collect();
        assert_eq!(pauses, [(1, 100), (2, 200), (3, 400), (4, 500), (5, 500)]);
        assert_eq!((pause_text(Duration::from_millis(400)), pause_text(LONGEST)), ("0.4 s".into(), "5 s".into()));
    }

    #[test]
    fn waking_twice_leaves_one_byte() {
        let waker = Waker::new().unwrap();
        let ready = |waker: &Waker| wait_any(&[(waker.as_fd(), Interest::Read)], Some(Duration::ZERO)).unwrap()[0];
        waker.wake();
        waker.wake();
        assert!(ready(&waker));
        waker.taken();
        assert!(!ready(&waker));
        waker.wake();
        assert!(ready(&waker));
    }
}
