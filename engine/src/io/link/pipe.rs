//! Standard input, fifos and other devices that deliver a stream with an end.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{
    options::Restorer,
    reconnect::{InputHandler, Leave, read_loop},
    shared::Shared,
    state::LinkState,
};
use crate::{
    io::log::{RawLog, host_now, kind},
    io::packed::Unpacked,
    io::sys::{AsHandle, Handle, open_fifo},
    io::text::{TextDecoder, TextSink},
};

/// Reads a device, a pipe or standard input to its end.
pub(super) fn read_once(shared: &Shared, log: &RawLog, input: Handle<'_>, name: &str) {
    shared.flows();
    let mut converter = Converter::new(shared);
    let leave = match read_loop(shared, log, input, true, &mut converter) {
        Leave::Closed => converter.finish(shared, log),
        leave => leave,
    };
    finish(shared, log, name, leave);
}

pub(super) fn read_packed(shared: &Shared, log: &RawLog, mut unpacked: Unpacked, path: &Path) {
    shared.flows();
    let mut converter = Converter::new(shared);
    let mut piece = vec![0; READY];
    let leave = loop {
        shared.throttle(log);
        if shared.stopping() {
            break Leave::Stopped;
        }
        match unpacked.read(&mut piece) {
            Ok(0) => break converter.finish(shared, log),
            Ok(count) => converter.bytes(shared, log, piece.get(..count).unwrap_or_default()),
            Err(error) => break Leave::Failed(error),
        }
        if let Some(error) = converter.broken() {
            break Leave::Dropped(error);
        }
    };
    finish(shared, log, &path.display().to_string(), leave);
}

fn finish(shared: &Shared, log: &RawLog, name: &str, leave: Leave) {
    log.end(host_now());
    shared.set_state(match leave {
        Leave::Failed(error) => LinkState::Failed(format!("{name}: {error}.")),
        Leave::Dropped(why) => LinkState::Failed(format!("{name}: {why}")),
        _ => LinkState::Ended,
    });
}

/// Logs the bytes that the input represents.
struct Converter {
    conversion: Conversion,
    error: Option<String>,
}

enum Conversion {
    None,
    Undo(Restorer),
    Text(TextDecoder),
}

impl Converter {
    fn new(shared: &Shared) -> Converter {
        let conversion = match (shared.options.undo, shared.options.input) {
            (Some(undo), _) => Conversion::Undo(Restorer::new(undo)),
            (None, Some(form)) => Conversion::Text(TextDecoder::new(form)),
            (None, None) => Conversion::None,
        };
        Converter { conversion, error: None }
    }

    /// Converts a piece of input, or the rest at its end.
    fn convert(&mut self, shared: &Shared, log: &RawLog, piece: Option<&[u8]>) {
        let mut out = ToLog { shared, log, ready: Vec::new() };
        let result = match (&mut self.conversion, piece) {
            (Conversion::None, piece) => return shared.received(log, piece.unwrap_or_default()),
            (Conversion::Undo(restorer), Some(piece)) => restorer.feed(piece, &mut out.ready),
            (Conversion::Undo(restorer), None) => {
                restorer.finish(&mut out.ready);
                Ok(())
            }
            (Conversion::Text(decoder), Some(piece)) => decoder.feed(piece, &mut out).map_err(|e| e.to_string()),
            (Conversion::Text(decoder), None) => decoder.finish(&mut out).map_err(|e| e.to_string()),
        };
        out.flush();
        self.error = result.err();
    }

    fn finish(&mut self, shared: &Shared, log: &RawLog) -> Leave {
        self.convert(shared, log, None);
        self.error.take().map_or(Leave::Closed, Leave::Dropped)
    }
}

impl InputHandler for Converter {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        self.convert(shared, log, Some(bytes));
    }

    fn broken(&self) -> Option<String> {
        self.error.clone()
    }
}

/// Appends decoded bytes to the log in large pieces.
struct ToLog<'a> {
    shared: &'a Shared,
    log: &'a RawLog,
    ready: Vec<u8>,
}

/// Bytes appended to the log at once.
const READY: usize = 64 << 10;

impl ToLog<'_> {
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
