//! The thread of a recording.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select};
use parking_lot::Mutex;

use super::{
    RecordPhase, RecordState,
    failure::{RecordFailure, Trouble},
    files::Files,
    header::Header,
    rotation::Rotation,
};
use crate::io::log::{
    clock::host_now,
    error::LogError,
    event::{LogEvent, kind},
    meta::{MetaHead, mark_line},
    raw::RawLog,
};

/// Pause between two writes at low rates.
pub(super) const PACE: Duration = Duration::from_millis(50);
/// How often it is looked whether the files are still there.
const LOOK: Duration = Duration::from_millis(300);
/// With this much waiting there is no pause.
const MUCH: u64 = 64 << 10;
/// Bytes written at once.
const FRAGMENT: usize = 256 << 10;

pub(super) struct RecordThread {
    pub(super) shared: Arc<Mutex<RecordState>>,
    log: Arc<RawLog>,
    files: Files,
    pub(super) header: Arc<Mutex<Header>>,
    rotation: Option<Rotation>,
    /// Number of the file.
    number: u64,
    /// When the file was begun.
    since: Instant,
    /// When the files were last looked at.
    looked: Instant,
    /// Position in the log up to which everything is written.
    pos: u64,
    /// Bytes written to the file.
    pub(super) bytes: u64,
    /// Bytes written to the files before it.
    before: u64,
    /// Index of the next stream event.
    event: u64,
    /// Position in the log of byte 0 of the file, if nothing had been missed.
    base: u64,
    /// Events that a decoder needs from wherever it begins.
    lasting: Vec<LogEvent>,
}

impl RecordThread {
    pub(super) fn new(
        log: Arc<RawLog>,
        files: Files,
        shared: Arc<Mutex<RecordState>>,
        head: MetaHead,
        rotation: Option<Rotation>,
    ) -> RecordThread {
        RecordThread {
            shared,
            log,
            files,
            rotation,
            number: 1,
            since: Instant::now(),
            looked: Instant::now(),
            pos: head.first,
            bytes: 0,
            before: 0,
            event: 0,
            base: head.first,
            lasting: Vec::new(),
            header: Arc::new(Mutex::new(Header::new(head))),
        }
    }

    pub(super) fn run(&mut self, stopped: &Receiver<()>) {
        let result = self.begin().and_then(|()| self.note_gone()).and_then(|()| self.follow(stopped));
        let phase = match result {
            Ok(()) => RecordPhase::Stopped,
            Err(trouble) => {
                RecordPhase::Failed(RecordFailure::new(&trouble, self.before + self.bytes, self.log.memory()))
            }
        };
        self.publish();
        self.shared.lock().phase = phase;
    }

    /// Writes the header.
    pub(super) fn begin(&mut self) -> Result<(), Trouble> {
        self.header.lock().begin(&self.files.meta).map_err(Trouble::Disk)
    }

    /// Says how many bytes were gone before the recording began.
    fn note_gone(&mut self) -> Result<(), Trouble> {
        let gone = self.header.lock().head.first;
        if gone == 0 {
            return Ok(());
        }
        let arg = u32::try_from(gone).unwrap_or(u32::MAX);
        let event = LogEvent { pos: gone, host_ns: 0, kind: kind::HOST_LOSS, arg, text: Vec::new() };
        self.files.meta.write_all(&mark_line(&event, 0)).map_err(Trouble::Disk)
    }

    fn follow(&mut self, stopped: &Receiver<()>) -> Result<(), Trouble> {
        let wake = self.log.subscribe();
        loop {
            let last = self.log.ended();
            self.catch_up()?;
            self.publish();
            if last {
                return self.check();
            }
            select! {
                recv(stopped) -> _ => return self.finish(),
                recv(wake) -> _ => {}
                default(LOOK) => {}
            }
            if self.log.len() - self.pos < MUCH && stopped.recv_timeout(PACE).is_ok() {
                return self.finish();
            }
        }
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        self.catch_up()?;
        self.check()
    }

    /// Looks now and then, so that it is known within a second.
    fn check_if_due(&mut self) -> Result<(), Trouble> {
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        self.check()
    }

    /// Fails when the files are not where they were made.
    fn check(&self) -> Result<(), Trouble> {
        self.files.damage(self.bytes).map_or(Ok(()), |what| Err(Trouble::Damaged(what)))
    }

    /// Writes bytes and stream events up to the current end of the log.
    pub(super) fn catch_up(&mut self) -> Result<(), Trouble> {
        let mut piece = Vec::new();
        let end = self.log.len();
        while self.pos < end {
            self.check_if_due()?;
            self.rotate_if_due()?;
            let room = self.rotation.map_or(u64::MAX, |rotation| rotation.room(self.bytes));
            let want = FRAGMENT.min(usize::try_from((end - self.pos).min(room)).unwrap_or(FRAGMENT));
            match self.log.read_into(self.pos, want, &mut piece) {
                Ok(()) => self.write_bytes(&piece)?,
                Err(LogError::Gone { first, .. }) => self.skip_to(first)?,
                // The link that follows the file will say where the log goes on.
                Err(LogError::Shrunk { .. }) if !self.log.ended() => break,
                Err(error) => return Err(Trouble::Log(error)),
            }
            self.write_events(self.pos)?;
        }
        self.check_if_due()?;
        self.write_events(self.pos)
    }

    /// Goes on in a new file if this one is full or old enough.
    fn rotate_if_due(&mut self) -> Result<(), Trouble> {
        if !self.rotation.is_some_and(|rotation| rotation.is_due(self.bytes, self.since)) {
            return Ok(());
        }
        self.check()?;
        let first = self.shared.lock().path.clone();
        let (files, number) = Files::create_next(&first, self.number + 1).map_err(Trouble::Next)?;
        self.files = files;
        self.number = number;
        self.since = Instant::now();
        self.before += self.bytes;
        self.bytes = 0;
        self.base = self.pos;
        {
            let head = &mut self.header.lock().head;
            head.first = self.pos;
            head.start_ns = self.log.host_time_at(self.pos).unwrap_or_else(host_now);
        }
        self.shared.lock().files += 1;
        self.begin()?;
        let lines: Vec<u8> = self.lasting.iter().flat_map(|event| mark_line(event, 0)).collect();
        self.files.meta.write_all(&lines).map_err(Trouble::Disk)
    }

    /// Writes all bytes, and counts those written even if the disk becomes full on the way.
    fn write_bytes(&mut self, mut piece: &[u8]) -> Result<(), Trouble> {
        while !piece.is_empty() {
            match self.files.bin.write(piece) {
                Ok(0) => return Err(Trouble::Disk(io::ErrorKind::WriteZero.into())),
                Ok(n) => {
                    self.pos += n as u64;
                    self.bytes += n as u64;
                    piece = piece.get(n..).unwrap_or_default();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Trouble::Disk(error)),
            }
        }
        self.publish();
        Ok(())
    }

    fn skip_to(&mut self, first: u64) -> Result<(), Trouble> {
        self.write_events(first)?;
        let gone = first.saturating_sub(self.pos);
        self.pos = first;
        self.base += gone;
        let arg = u32::try_from(gone).unwrap_or(u32::MAX);
        let event = LogEvent { pos: first, host_ns: host_now(), kind: kind::HOST_LOSS, arg, text: Vec::new() };
        self.files.meta.write_all(&mark_line(&event, self.bytes)).map_err(Trouble::Disk)
    }

    /// Writes the stream events up to position `upto` of the log, with positions in the file.
    fn write_events(&mut self, upto: u64) -> Result<(), Trouble> {
        let mut lines = Vec::new();
        let mut events = Vec::new();
        loop {
            events.clear();
            let next = self.log.all_events_from(self.event, upto, &mut events);
            for event in &events {
                lines.extend(mark_line(event, event.pos.saturating_sub(self.base).min(self.bytes)));
            }
            if self.rotation.is_some() {
                let lasting = |event: &LogEvent| matches!(event.kind, kind::START | kind::OPTIONS);
                self.lasting.extend(events.iter().filter(|event| lasting(event)).cloned());
            }
            if next == self.event || events.is_empty() {
                break;
            }
            self.event = next;
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.files.meta.write_all(&lines).map_err(Trouble::Disk)
    }

    fn publish(&self) {
        let mut state = self.shared.lock();
        state.bytes = self.before + self.bytes;
    }
}
