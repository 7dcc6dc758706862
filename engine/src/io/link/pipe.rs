//! Standard input, fifos and other devices that deliver a stream with an end.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{
    options::{Restorer, Undo},
    reconnect::{InputHandler, Leave, Plain, read_loop},
    shared::Shared,
    state::LinkState,
};
use crate::{
    io::log::{RawLog, host_now, kind},
    io::packed::Unpacked,
    io::sys::{self, AsHandle, Handle, open_fifo},
    io::text::{TextDecoder, TextSink},
};

/// Reads standard input to its end.
pub(super) fn read_stdin(shared: &Shared, log: &RawLog) {
    shared.flows();
    let leave = read_to_end(shared, log, sys::stdin());
    finish(shared, log, "stdin", leave);
}

/// Reads a device or an anonymous pipe to its end.
pub(super) fn read_once(shared: &Shared, log: &RawLog, file: &File, path: &Path) {
    shared.flows();
    let leave = read_to_end(shared, log, file.as_fd());
    finish(shared, log, &path.display().to_string(), leave);
}

/// Reads a compressed file to its end.
pub(super) fn read_packed(shared: &Shared, log: &RawLog, mut unpacked: Unpacked, path: &Path) {
    shared.flows();
    let mut text = shared.options.input.map(|form| Text { decoder: TextDecoder::new(form), error: None });
    let mut piece = vec![0; READY];
    let leave = loop {
        shared.throttle(log);
        if shared.stopping() {
            break Leave::Stopped;
        }
        let bytes = match unpacked.read(&mut piece) {
            Ok(0) => break text.and_then(|mut text| text.finish(shared, log)).map_or(Leave::Closed, Leave::Dropped),
            Ok(count) => piece.get(..count).unwrap_or_default(),
            Err(error) => break Leave::Failed(error),
        };
        match &mut text {
            Some(text) => text.bytes(shared, log, bytes),
            None => shared.received(log, bytes),
        }
        if let Some(error) = text.as_ref().and_then(Text::broken) {
            break Leave::Dropped(error);
        }
    };
    finish(shared, log, &path.display().to_string(), leave);
}

/// Reads raw bytes or their text encoding.
fn read_to_end(shared: &Shared, log: &RawLog, fd: Handle<'_>) -> Leave {
    if let Some(undo) = shared.options.undo {
        return read_changed(shared, log, fd, undo);
    }
    let Some(form) = shared.options.input else { return read_loop(shared, log, fd, true, &mut Plain) };
    let mut text = Text { decoder: TextDecoder::new(form), error: None };
    match read_loop(shared, log, fd, true, &mut text) {
        Leave::Closed => text.finish(shared, log).map_or(Leave::Closed, Leave::Dropped),
        leave => leave,
    }
}

/// Reads altered bytes and logs the original ones.
fn read_changed(shared: &Shared, log: &RawLog, fd: Handle<'_>, undo: Undo) -> Leave {
    let mut changed = Changed { restorer: Restorer::new(undo), error: None };
    let leave = read_loop(shared, log, fd, true, &mut changed);
    if matches!(leave, Leave::Closed) {
        let mut last = Vec::new();
        changed.restorer.finish(&mut last);
        shared.received(log, &last);
    }
    leave
}

/// Restores altered bytes.
struct Changed {
    restorer: Restorer,
    error: Option<String>,
}

impl InputHandler for Changed {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        let mut restored = Vec::new();
        self.error = self.restorer.feed(bytes, &mut restored).err();
        shared.received(log, &restored);
    }

    fn broken(&self) -> Option<String> {
        self.error.clone()
    }
}

/// Decodes bytes given as text.
struct Text {
    decoder: TextDecoder,
    error: Option<String>,
}

/// Appends decoded bytes to the log in large pieces.
struct ToLog<'a> {
    shared: &'a Shared,
    log: &'a RawLog,
    ready: Vec<u8>,
}

/// Bytes appended to the log at once.
const READY: usize = 64 << 10;

impl<'a> ToLog<'a> {
    fn new(shared: &'a Shared, log: &'a RawLog) -> ToLog<'a> {
        ToLog { shared, log, ready: Vec::new() }
    }

    fn flush(&mut self) {
        self.shared.received(self.log, &self.ready);
        self.ready.clear();
    }
}

impl TextSink for ToLog<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.ready.extend_from_slice(bytes);
        if self.ready.len() >= READY {
            self.flush();
        }
    }

    fn missing(&mut self, count: u64, place: &str) {
        self.flush();
        let text = format!("({place})");
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.log.add_event(kind::HOST_LOSS, count, text.as_bytes(), host_now());
    }

    fn remark(&mut self, text: String) {
        self.shared.note(format!("{}: {text}", self.shared.spec.short()));
    }
}

impl Text {
    fn finish(&mut self, shared: &Shared, log: &RawLog) -> Option<String> {
        let mut out = ToLog::new(shared, log);
        let result = self.decoder.finish(&mut out);
        out.flush();
        result.err().map(|error| error.to_string())
    }
}

impl InputHandler for Text {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        let mut out = ToLog::new(shared, log);
        self.error = self.decoder.feed(bytes, &mut out).err().map(|error| error.to_string());
        out.flush();
    }

    fn broken(&self) -> Option<String> {
        self.error.clone()
    }
}

fn finish(shared: &Shared, log: &RawLog, name: &str, leave: Leave) {
    log.end(host_now());
    shared.set_state(match leave {
        Leave::Failed(error) => LinkState::Failed(format!("{name}: {error}.")),
        Leave::Dropped(why) => LinkState::Failed(format!("{name}: {why}")),
        _ => LinkState::Ended,
    });
}

/// Reads a fifo; when its writer closes, waits for the next one (with `once`: ends).
pub(super) fn read_fifo(shared: &Shared, log: &RawLog, mut file: File, path: &Path) {
    let name = path.display();
    let end = loop {
        shared.set_state(LinkState::Waiting(format!("{name}: nobody writes to this fifo yet.")));
        let mut inlet = Fifo { up: false, name: name.to_string() };
        match read_loop(shared, log, file.as_fd(), true, &mut inlet) {
            Leave::Stopped => break LinkState::Ended,
            Leave::Failed(error) => break LinkState::Failed(format!("{name}: {error}.")),
            _ if shared.options.once => break LinkState::Ended,
            _ => {}
        }
        if inlet.up {
            shared.down(log, "its writer closed it");
        }
        // Only a new descriptor waits for the next writer; the old one would keep reporting the end.
        file = match open_fifo(path) {
            Ok(file) => file,
            Err(error) => break LinkState::Failed(format!("{name}: {error}.")),
        };
    };
    log.end(host_now());
    shared.set_state(end);
}

/// Reports link up with the first byte of each writer.
struct Fifo {
    up: bool,
    name: String,
}

impl InputHandler for Fifo {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        if !self.up {
            self.up = true;
            shared.up(log, &self.name);
        }
        shared.received(log, bytes);
    }
}
