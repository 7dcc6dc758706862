//! The input thread: keyboard to events.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{SendError, Sender};
use crossterm::event::{self, Event};

use super::escape_joiner::EscapeJoiner;
use super::event::TermEvent;
use super::probe::Probe;
use crate::sys::{self, Descriptor, Readable};

/// Time limit for the terminal's answers. Nothing waits for them, but they must not be mistaken for keys.
const ANSWERS_WITHIN: Duration = Duration::from_millis(500);

/// Time for the library: when it is over before the library looks, which happens on a busy machine, keys that it has read
/// already stay with it until the next one. Less than the usual time for the rest of a sequence after an Esc, which runs
/// meanwhile.
const LIBRARY_TIME: Duration = Duration::from_millis(20);

/// Starts the thread. `asked`: the terminal was queried for its modes; `esc_wait`: time for the rest of a sequence
/// after an Esc.
pub fn listen_to_keys(events: Sender<TermEvent>, asked: bool, esc_wait: Duration) -> io::Result<()> {
    let keys = Keys { keyboard: sys::keyboard()?, joiner: EscapeJoiner::new(esc_wait), events };
    let listen = move || keys.run(asked);
    thread::Builder::new().name("input".into()).spawn(listen).map(drop)
}

/// An error if the receiver of the events is gone.
type Heard = Result<(), SendError<TermEvent>>;

struct Keys {
    keyboard: Descriptor,
    joiner: EscapeJoiner,
    events: Sender<TermEvent>,
}

impl Keys {
    fn run(mut self, asked: bool) {
        let heard = if asked { self.answers() } else { Ok(()) };
        if heard.is_ok() && self.keys().is_ok() {
            let _ = self.events.send(TermEvent::Gone);
        }
    }

    /// Reads bytes itself until the terminal has answered; the library would swallow the answers.
    fn answers(&mut self) -> Heard {
        let (mut probe, start) = (Probe::default(), Instant::now());
        let mut buffer = [0; 256];
        while !probe.done {
            let left = ANSWERS_WITHIN.saturating_sub(start.elapsed());
            let patience = self.joiner.patience(Instant::now()).unwrap_or(left).min(left);
            match sys::readable(&self.keyboard, Some(patience)) {
                Readable::Gone => break,
                Readable::Nothing if left.is_zero() => break,
                Readable::Nothing => self.expire()?,
                Readable::Bytes => {
                    let Ok(count) = sys::read(&self.keyboard, &mut buffer) else { break };
                    let keys = probe.feed(buffer.get(..count).unwrap_or_default());
                    self.push_all(keys)?;
                }
            }
        }
        if probe.synchronises {
            self.events.send(TermEvent::Synchronises)?;
        }
        if probe.is_open() {
            let rest = probe.finish();
            self.push_all(rest)?;
        }
        Ok(())
    }

    /// Returns when the keyboard is gone.
    fn keys(&mut self) -> Heard {
        loop {
            // The library spins on a terminal that is gone, so it is asked only when there are bytes.
            match sys::readable(&self.keyboard, self.joiner.patience(Instant::now())) {
                Readable::Gone => return Ok(()),
                Readable::Nothing => self.expire()?,
                Readable::Bytes => {
                    while matches!(event::poll(LIBRARY_TIME), Ok(true)) {
                        let Ok(event) = event::read() else { return Ok(()) };
                        self.push_all(vec![event])?;
                    }
                }
            }
        }
    }

    fn expire(&mut self) -> Heard {
        let events = self.joiner.expire(Instant::now());
        self.send(events)
    }

    fn push_all(&mut self, events: Vec<Event>) -> Heard {
        for event in events {
            let done = self.joiner.push(event, Instant::now());
            self.send(done)?;
        }
        Ok(())
    }

    fn send(&self, events: Vec<Event>) -> Heard {
        for event in events {
            let event = if let Event::Resize(..) = event { TermEvent::Resize } else { TermEvent::Input(event) };
            self.events.send(event)?;
        }
        Ok(())
    }
}
