//! Signals as ordinary events.

use std::io;
use std::process;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use super::claim::give_back;
use super::event::TermEvent;

/// How long an orderly end may take before the program ends without one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts the thread that turns signals into events.
///
/// A second request to end, or no end after five seconds, gives the terminal back and ends the program on the spot: the
/// main thread may stand in a write to a terminal that takes no bytes.
///
/// # Errors
/// When the handlers or the thread cannot be set up.
pub fn listen_to_signals(events: Sender<TermEvent>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH])?;
    let listen = move || {
        let mut ending = false;
        for signal in signals.forever() {
            let event = match signal {
                SIGTSTP => TermEvent::Suspend,
                SIGCONT => TermEvent::Continued,
                SIGWINCH => TermEvent::Resize,
                end if ending => exit(end),
                end => {
                    ending = end != SIGHUP;
                    insist(end);
                    if end == SIGHUP { TermEvent::Hangup } else { TermEvent::Terminate(end) }
                }
            };
            if events.send(event).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

/// A hang-up may be survived on purpose, a request to end not.
fn insist(signal: i32) {
    if signal == SIGHUP {
        return;
    }
    let last_resort = thread::Builder::new().name("last resort".into());
    let _ = last_resort.spawn(move || {
        thread::sleep(PATIENCE);
        exit(signal)
    });
}

fn exit(signal: i32) -> ! {
    give_back();
    process::exit(128 + signal)
}
