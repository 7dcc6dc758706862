//! The input thread: what is typed to events.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::event::TermEvent;
use super::keyboard::Keyboard;
use crate::sys::{self, Descriptor, Readable};

/// Starts the thread. `esc_wait`: time for the rest of a sequence after an Esc.
pub fn listen_to_keys(events: Sender<TermEvent>, esc_wait: Duration) -> io::Result<()> {
    let descriptor = sys::keyboard()?;
    let listen = move || {
        // An error means that the receiver of the events is gone.
        let _ = listen(&descriptor, Keyboard::new(esc_wait), &events);
    };
    thread::Builder::new().name("input".into()).spawn(listen).map(drop)
}

/// Returns when the keyboard is gone, or nobody listens.
fn listen(descriptor: &Descriptor, mut keyboard: Keyboard, events: &Sender<TermEvent>) -> Result<(), ()> {
    let mut buffer = [0; 4096];
    loop {
        let heard = match sys::readable(descriptor, keyboard.patience(Instant::now())) {
            Readable::Nothing => keyboard.expire(Instant::now()),
            Readable::Bytes => match sys::read(descriptor, &mut buffer) {
                Ok(count) => keyboard.feed(buffer.get(..count).unwrap_or_default(), Instant::now()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => Vec::new(),
                Err(_) => vec![TermEvent::Gone],
            },
            Readable::Gone => vec![TermEvent::Gone],
        };
        for event in heard {
            let is_gone = event == TermEvent::Gone;
            events.send(event).map_err(drop)?;
            if is_gone {
                return Ok(());
            }
        }
    }
}
