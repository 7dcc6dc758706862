//! Signals as ordinary events.

use std::io;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::event::TermEvent;
use super::terminal_guard::{give_back, is_left, is_writing};
use crate::sys::{ScreenSignal, ScreenSignals};

/// Time limit for an orderly shutdown.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time limit for a write to the terminal during a shutdown.
const WRITE_PATIENCE: Duration = Duration::from_millis(600);
const LOOK: Duration = Duration::from_millis(50);

/// Starts the thread that turns signals into events.
///
/// A second request to end, or no end after five seconds, restores the terminal and exits at once; a terminal that is
/// not read is waited for only a moment.
pub fn listen_to_signals(events: Sender<TermEvent>) -> io::Result<()> {
    let signals = ScreenSignals::take()?;
    let listen = move || {
        let mut ending = false;
        signals.listen(|signal| {
            let event = match signal {
                ScreenSignal::Suspend => TermEvent::Suspend,
                ScreenSignal::Continued => TermEvent::Continued,
                ScreenSignal::Resized => TermEvent::Resize,
                end if ending => exit(end),
                // Nobody could survive it on purpose.
                ScreenSignal::HungUp if is_left() => exit(signal),
                // A hang-up may be survived on purpose, a request to end may not.
                ScreenSignal::HungUp => TermEvent::Hangup,
                ScreenSignal::Terminate(number) => {
                    ending = true;
                    insist(signal);
                    TermEvent::Terminate(number)
                }
            };
            events.send(event).is_ok()
        });
    };
    thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

fn insist(signal: ScreenSignal) {
    let last_resort = thread::Builder::new().name("last resort".into());
    let _ = last_resort.spawn(move || {
        let start = Instant::now();
        let mut written = start;
        while start.elapsed() < PATIENCE && written.elapsed() < WRITE_PATIENCE {
            thread::sleep(LOOK);
            if !is_writing() {
                written = Instant::now();
            }
        }
        exit(signal)
    });
}

fn exit(signal: ScreenSignal) -> ! {
    give_back();
    process::exit(signal.exit_code())
}
