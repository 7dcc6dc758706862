//! The start of a stream that is read once, from which sizes are guessed.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use spytui_engine::{
    decode::looks::FIRST_LOOK,
    log::{LogOptions, RawLog},
    plugin::{
        Decoder, Options,
        guess::{self, SAMPLE},
    },
    stream::start::{self, waiting},
};

use super::failure;

/// An input of which the beginning was read ahead: all that decoder and sizes are guessed from, or up to its end.
pub struct ReadAhead {
    /// What was read.
    pub head: Vec<u8>,
    rest: Box<dyn Read>,
    given: usize,
    /// What ended the beginning, if it was an error.
    error: Option<io::Error>,
}

impl ReadAhead {
    /// Reads a sample, or all if that is less, or as much as `is_enough`. Says so if it takes long.
    ///
    /// Time does not matter: the same bytes are always read in the same way.
    pub fn of(mut input: Box<dyn Read>, is_enough: impl Fn(&[u8]) -> bool) -> ReadAhead {
        let read = Arc::new(AtomicU64::new(0));
        let waiting = Waiting::start(read.clone());
        let (mut head, mut buffer, mut error) = (Vec::new(), vec![0; 1 << 16], None);
        // Looked at at once, then ever more rarely.
        let mut look = 1;
        while head.len() < SAMPLE {
            if head.len() >= look {
                if is_enough(&head) {
                    break;
                }
                look = head.len() * 2;
            }
            let room = buffer.len().min(SAMPLE - head.len());
            match input.read(&mut buffer[..room]) {
                Ok(0) => break,
                Ok(n) => head.extend_from_slice(&buffer[..n]),
                Err(interrupted) if interrupted.kind() == io::ErrorKind::Interrupted => {}
                Err(other) => {
                    error = Some(other);
                    break;
                }
            }
            read.store(head.len() as u64, Ordering::Relaxed);
        }
        drop(waiting);
        ReadAhead { head, rest: input, given: 0, error }
    }

    /// Reads nothing ahead.
    pub fn nothing(input: Box<dyn Read>) -> ReadAhead {
        ReadAhead { head: Vec::new(), rest: input, given: 0, error: None }
    }

    /// What was read, as a log.
    pub fn log(&self) -> Arc<RawLog> {
        log_of(&self.head)
    }
}

/// Whether a stream of a decoder begins with all that may be guessed.
pub fn is_told(decoder: &Arc<Decoder>, options: &Options, head: &[u8]) -> bool {
    !guess::is_useful(decoder, options) || start::is_told(decoder, options, &[log_of(head)])
}

fn log_of(head: &[u8]) -> Arc<RawLog> {
    let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
    log.append(head, 0);
    log
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut ahead = &self.head[self.given..];
        if ahead.is_empty() {
            return match self.error.take() {
                Some(error) => Err(error),
                None => self.rest.read(buffer),
            };
        }
        let count = ahead.read(buffer)?;
        self.given += count;
        Ok(count)
    }
}

/// Says once that sizes are waited for, a second after the first byte; no longer when it is dropped.
struct Waiting {
    _over: Sender<()>,
}

impl Waiting {
    fn start(read: Arc<AtomicU64>) -> Waiting {
        let (over, ends) = bounded::<()>(0);
        // Without a thread, nothing is said.
        let _ = std::thread::Builder::new().name("waiting".to_owned()).spawn(move || {
            loop {
                let had = read.load(Ordering::Relaxed);
                if ends.recv_timeout(FIRST_LOOK) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if had > 0 {
                    return failure::say(&waiting(read.load(Ordering::Relaxed)));
                }
            }
        });
        Waiting { _over: over }
    }
}
