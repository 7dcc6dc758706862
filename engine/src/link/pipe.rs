//! Standard input, fifos and other devices that deliver a stream and an end.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::pump::{Inlet, Leave, Plain, pump};
use super::shared::Shared;
use super::state::LinkState;
use crate::log::{RawLog, host_now};

/// Reads standard input to its end.
pub(super) fn read_stdin(shared: &Shared, log: &RawLog) {
    shared.flows();
    let leave = pump(shared, log, rustix::stdio::stdin(), true, &mut Plain);
    finish(shared, log, "stdin", leave);
}

/// Reads a device or an anonymous pipe to its end.
pub(super) fn read_once(shared: &Shared, log: &RawLog, file: &File, path: &Path) {
    shared.flows();
    let leave = pump(shared, log, file.as_fd(), true, &mut Plain);
    finish(shared, log, &path.display().to_string(), leave);
}

fn finish(shared: &Shared, log: &RawLog, name: &str, leave: Leave) {
    log.end(host_now());
    shared.set_state(match leave {
        Leave::Failed(error) => LinkState::Failed(format!("{name}: {error}.")),
        _ => LinkState::Ended,
    });
}

/// Opens a fifo without waiting for its writer.
pub(super) fn open_fifo(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    File::options().read(true).custom_flags(flags).open(path)
}

/// Reads a fifo; when its writer leaves, waits for the next one (with `once`: ends).
pub(super) fn read_fifo(shared: &Shared, log: &RawLog, mut file: File, path: &Path) {
    let name = path.display();
    let end = loop {
        shared.set_state(LinkState::Waiting(format!("{name}: nobody writes to this fifo yet.")));
        let mut inlet = Fifo { up: false, name: name.to_string() };
        match pump(shared, log, file.as_fd(), true, &mut inlet) {
            Leave::Stopped => break LinkState::Ended,
            Leave::Failed(error) => break LinkState::Failed(format!("{name}: {error}.")),
            _ if shared.options.once => break LinkState::Ended,
            _ => {}
        }
        if inlet.up {
            shared.down(log, &format!("{name}: its writer closed it."));
        }
        // A fresh descriptor waits for the next writer; the old one would report the end for ever.
        file = match open_fifo(path) {
            Ok(file) => file,
            Err(error) => break LinkState::Failed(format!("{name}: {error}.")),
        };
    };
    log.end(host_now());
    shared.set_state(end);
}

/// Says that the link is up with the first byte of each writer.
struct Fifo {
    up: bool,
    name: String,
}

impl Inlet for Fifo {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        if !self.up {
            self.up = true;
            shared.up(log, &format!("{} has a writer", self.name));
        }
        shared.received(log, bytes);
    }
}
