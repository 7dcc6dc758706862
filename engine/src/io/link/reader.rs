//! What the threads of links do: read until the input ends or the connection is lost, and connect again; standard input,
//! fifos and other devices that deliver a stream with an end.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    shared::{BackOff, ByteSink, LineCommand, LinkState, Shared},
    spec::Undo,
};
use crate::io::{
    log::{RawLog, format::seconds_text, host_now, kind},
    packed::Unpacked,
    sys::{self, AsHandle, Handle, OwnedHandle, PollFlags, open_fifo},
    text::{TextDecoder, TextSink},
};

/// After a connection of this duration, the next attempt is immediate.
const STOOD: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) enum OpenFailure {
    /// It does not exist; checking is cheap. The text contains no next step.
    Missing(String),
    /// It exists but can't be opened yet.
    Retry(String),
    /// No attempt can succeed.
    Never(String),
    Stopped,
}

pub(super) struct Connection {
    pub(super) stream: Arc<OwnedHandle>,
    pub(super) source: usize,
    /// Text of the link up row, without the name of the link.
    pub(super) up_text: String,
}

pub(super) trait Connector {
    fn connect(&mut self, shared: &Shared) -> Result<Connection, OpenFailure>;

    fn name(&self) -> String;

    fn run(&mut self, shared: &Shared, log: &RawLog, stream: &OwnedHandle) -> Leave {
        read_loop(shared, log, stream.as_fd(), true, &mut Converter::None)
    }

    /// Why the connection ended, for the link down row and, following the name of the link, for a message.
    fn down_text(&self, leave: &Leave) -> String {
        match leave {
            Leave::Failed(error) => format!("connection lost: {error}"),
            Leave::Dropped(why) => why.clone(),
            _ => "the other side closed the connection".to_owned(),
        }
    }
}

/// Runs a connector until it is stopped or, with `once`, until its first connection ends.
pub(super) fn keep_connected(shared: &Shared, mut connector: impl Connector) {
    let mut back_off = BackOff::default();
    let mut said = String::new();
    let end = loop {
        let refusal = match connector.connect(shared) {
            Ok(connection) => {
                let since = Instant::now();
                let received = shared.counters().bytes;
                said.clear();
                if let Some(end) = one_connection(shared, &mut connector, connection) {
                    break end;
                }
                let stood = since.elapsed() >= STOOD;
                if stood || shared.counters().bytes > received {
                    back_off.retry = 0; // a connection that sent something was no failure
                }
                if !stood && !shared.sleep(back_off.next(false).1) {
                    break LinkState::Ended; // a server that accepts and closes at once must not cause a busy loop
                }
                continue;
            }
            Err(refusal) => refusal,
        };
        let (text, missing) = match refusal {
            OpenFailure::Stopped => break LinkState::Ended,
            OpenFailure::Never(text) => break LinkState::Failed(text),
            OpenFailure::Missing(text) | OpenFailure::Retry(text) if shared.options.once => {
                break LinkState::Failed(text);
            }
            OpenFailure::Missing(text) => (text, true),
            OpenFailure::Retry(text) => (text, false),
        };
        if !wait(shared, &mut back_off, &mut said, text, missing) {
            break LinkState::Ended;
        }
    };
    shared.sources().iter().for_each(|source| source.log.end(host_now()));
    // The state first, so that whoever reads the note sees the last state.
    shared.set_state(end.clone());
    if let LinkState::Failed(text) = end {
        shared.note(text);
    }
}

/// Handles one connection; `None` = try again.
fn one_connection(shared: &Shared, connector: &mut impl Connector, connection: Connection) -> Option<LinkState> {
    let Connection { stream, source, up_text } = connection;
    let log = shared.sources().into_iter().nth(source)?.log;
    shared.up(&log, &up_text);
    shared.set_sink(source, Some(ByteSink::Stream(stream.clone())));
    let leave = connector.run(shared, &log, &stream);
    shared.set_sink(source, None);
    if matches!(leave, Leave::Stopped) {
        return Some(LinkState::Ended);
    }
    let why = connector.down_text(&leave);
    shared.down(&log, &why);
    let why = format!("{}: {why}.", connector.name());
    shared.note(why.clone());
    if shared.options.once {
        return Some(LinkState::Ended);
    }
    shared.set_state(LinkState::NoLink { retry: 1, text: why });
    None
}

/// Reports a problem (each text once) and pauses; returns `false` if stopped.
fn wait(shared: &Shared, back_off: &mut BackOff, said: &mut String, text: String, missing: bool) -> bool {
    let (retry, pause) = back_off.next(missing);
    let next = if missing { "Waiting for it.".into() } else { format!("Trying again in {}.", seconds_text(pause)) };
    shared.set_state(LinkState::NoLink { retry, text: format!("{text} {next}") });
    if *said != text {
        shared.note(format!("{text} {}", if missing { "Waiting for it." } else { "Trying again." }));
        *said = text;
    }
    shared.sleep(pause)
}

const FRAGMENT: usize = 64 << 10;

#[derive(Debug)]
pub(super) enum Leave {
    Stopped,
    Closed,
    Failed(io::Error),
    /// The handler gave up the connection, with the reason.
    Dropped(String),
}

/// The part of the loop that differs between kinds of links.
pub(super) trait InputHandler {
    /// An error gives up the connection.
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) -> Result<(), String> {
        shared.received(log, bytes);
        Ok(())
    }

    fn command(&mut self, _shared: &Shared, _command: LineCommand) {}

    /// A second handle to wait for.
    fn other(&self) -> Option<Handle<'_>> {
        None
    }

    /// The second handle is ready; a returned text gives up the connection.
    fn other_ready(&mut self, _shared: &Shared) -> Option<String> {
        None
    }
}

/// Reads until the end, an error, or a stop. `throttled` = the sender can wait for the decoder.
pub(super) fn read_loop(
    shared: &Shared,
    log: &RawLog,
    fd: Handle<'_>,
    throttled: bool,
    handler: &mut dyn InputHandler,
) -> Leave {
    let mut piece = vec![0; FRAGMENT];
    loop {
        if throttled {
            shared.throttle(log);
        }
        if shared.stopping() {
            return Leave::Stopped;
        }
        let mut commands = Vec::new();
        let watched: Vec<_> = [fd].into_iter().chain(handler.other()).map(|handle| (handle, PollFlags::IN)).collect();
        let ready = match shared.wait(&watched, None, |command| commands.push(command)) {
            Ok(ready) => ready,
            Err(error) => return Leave::Failed(error),
        };
        commands.into_iter().for_each(|command| handler.command(shared, command));
        if ready.first() == Some(&true)
            && let Some(leave) = take(shared, log, fd, &mut piece, handler)
        {
            return leave;
        }
        if ready.get(1) == Some(&true)
            && let Some(why) = handler.other_ready(shared)
        {
            return Leave::Dropped(why);
        }
    }
}

fn take(
    shared: &Shared,
    log: &RawLog,
    fd: Handle<'_>,
    piece: &mut [u8],
    handler: &mut dyn InputHandler,
) -> Option<Leave> {
    match sys::read(fd, piece) {
        Ok(0) => Some(Leave::Closed),
        Ok(n) => handler.bytes(shared, log, piece.get(..n).unwrap_or_default()).err().map(Leave::Dropped),
        Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => None,
        Err(error) => Some(Leave::Failed(error)),
    }
}

/// Reads a device, a pipe or standard input to its end.
pub(super) fn read_once(shared: &Shared, log: &RawLog, input: Handle<'_>, name: &str) {
    shared.set_live(host_now());
    let mut converter = Converter::new(shared);
    let leave = match read_loop(shared, log, input, true, &mut converter) {
        Leave::Closed => converter.finish(shared, log),
        leave => leave,
    };
    finish(shared, log, name, leave);
}

pub(super) fn read_packed(shared: &Shared, log: &RawLog, mut unpacked: Unpacked, path: &Path) {
    shared.set_live(host_now());
    let mut converter = Converter::new(shared);
    let mut piece = vec![0; READY];
    let leave = loop {
        shared.throttle(log);
        if shared.stopping() {
            break Leave::Stopped;
        }
        let converted = match unpacked.read(&mut piece) {
            Ok(0) => break converter.finish(shared, log),
            Ok(count) => converter.bytes(shared, log, piece.get(..count).unwrap_or_default()),
            Err(error) => break Leave::Failed(error),
        };
        if let Err(error) = converted {
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

enum Converter {
    None,
    Undo(Restorer),
    Text(TextDecoder),
}

impl Converter {
    fn new(shared: &Shared) -> Converter {
        match (shared.options.undo, shared.options.input) {
            (Some(undo), _) => Converter::Undo(Restorer::new(undo)),
            (None, Some(form)) => Converter::Text(TextDecoder::new(form)),
            (None, None) => Converter::None,
        }
    }

    /// Converts a piece of input, or the rest at its end.
    fn convert(&mut self, shared: &Shared, log: &RawLog, piece: Option<&[u8]>) -> Result<(), String> {
        let mut out = ToLog { shared, log, ready: Vec::new() };
        let result = match (self, piece) {
            (Converter::None, piece) => {
                shared.received(log, piece.unwrap_or_default());
                return Ok(());
            }
            (Converter::Undo(restorer), Some(piece)) => restorer.feed(piece, &mut out.ready),
            (Converter::Undo(restorer), None) => {
                restorer.finish(&mut out.ready);
                Ok(())
            }
            (Converter::Text(decoder), Some(piece)) => decoder.feed(piece, &mut out).map_err(|e| e.to_string()),
            (Converter::Text(decoder), None) => decoder.finish(&mut out).map_err(|e| e.to_string()),
        };
        out.flush();
        result
    }

    fn finish(&mut self, shared: &Shared, log: &RawLog) -> Leave {
        self.convert(shared, log, None).err().map_or(Leave::Closed, Leave::Dropped)
    }
}

impl InputHandler for Converter {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) -> Result<(), String> {
        self.convert(shared, log, Some(bytes))
    }
}

/// Appends decoded bytes to the log in large pieces.
struct ToLog<'a> {
    shared: &'a Shared,
    log: &'a RawLog,
    ready: Vec<u8>,
}

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
    let name = path.display().to_string();
    let leave = loop {
        shared.set_state(LinkState::Waiting(format!("{name}: nobody writes to this fifo yet.")));
        let mut inlet = Fifo { up: false, name: name.clone() };
        let leave = read_loop(shared, log, file.as_fd(), true, &mut inlet);
        if shared.options.once || matches!(leave, Leave::Stopped | Leave::Failed(_)) {
            break leave;
        }
        if inlet.up {
            shared.down(log, "its writer closed it");
        }
        // Only a new descriptor waits for the next writer; the old one would keep reporting the end.
        file = match open_fifo(path) {
            Ok(file) => file,
            Err(error) => break Leave::Failed(error),
        };
    };
    finish(shared, log, &name, leave);
}

/// Reports link up with the first byte of each writer.
struct Fifo {
    up: bool,
    name: String,
}

impl InputHandler for Fifo {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) -> Result<(), String> {
        if !self.up {
            self.up = true;
            shared.up(log, &self.name);
        }
        shared.received(log, bytes);
        Ok(())
    }
}

#[derive(Debug)]
pub struct Restorer {
    undo: Undo,
    /// A byte whose meaning depends on the next one.
    held: Option<u8>,
    taken: u64,
}

impl Restorer {
    pub fn new(undo: Undo) -> Restorer {
        Restorer { undo, held: None, taken: 0 }
    }

    /// Restores the start of a stream; `None` if it was not changed that way.
    pub fn restored(undo: Undo, sample: &[u8]) -> Option<Vec<u8>> {
        let mut restored = Vec::new();
        Restorer::new(undo).feed(sample, &mut restored).ok()?;
        Some(restored)
    }

    /// Restores `bytes` and appends them to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        for &byte in bytes {
            match (self.undo, self.held.take()) {
                (Undo::CrLf, None) if byte == b'\r' => self.held = Some(byte),
                (Undo::CrLf, Some(before)) if byte != b'\n' => {
                    out.push(before);
                    match byte {
                        b'\r' => self.held = Some(byte),
                        _ => out.push(byte),
                    }
                }
                (Undo::CrLf, _) => out.push(byte),
                (Undo::Utf8, None) if matches!(byte, 0xC2 | 0xC3) => self.held = Some(byte),
                (Undo::Utf8, None) if byte < 0x80 => out.push(byte),
                (Undo::Utf8, Some(first)) if matches!(byte, 0x80..=0xBF) => out.push(first << 6 | byte & 0x3F),
                (Undo::Utf8, _) => {
                    let at = self.taken;
                    return Err(format!(
                        "byte 0x{byte:02X} at @{at:#x} is not part of a byte encoded as UTF-8; try without --undo utf8"
                    ));
                }
            }
            self.taken += 1;
        }
        Ok(())
    }

    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend(self.held.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(undo: Undo, bytes: &[u8], size: usize) -> Result<Vec<u8>, String> {
        let (mut restorer, mut out) = (Restorer::new(undo), Vec::new());
        bytes.chunks(size).try_for_each(|piece| restorer.feed(piece, &mut out))?;
        restorer.finish(&mut out);
        Ok(out)
    }

    #[test]
    fn every_sequence_of_bytes_comes_back() {
        let all: Vec<u8> = (0..=255).flat_map(|byte| [byte, b'\r', b'\n', 255 - byte, b'\r', b'\r']).collect();
        let with_cr: Vec<u8> =
            all.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
        let utf8: Vec<u8> = all.iter().map(|&b| char::from(b)).collect::<String>().into_bytes();
        for size in [1, 3, usize::MAX] {
            assert_eq!(restored(Undo::CrLf, &with_cr, size).as_deref(), Ok(&all[..]));
            assert_eq!(restored(Undo::Utf8, &utf8, size).as_deref(), Ok(&all[..]));
        }
    }

    #[test]
    fn bytes_that_are_not_of_utf8_are_an_error_with_their_place() {
        let error = restored(Undo::Utf8, b"ab\xC3\xA9\xE9", 2).unwrap_err();
        assert_eq!(error, "byte 0xE9 at @0x4 is not part of a byte encoded as UTF-8; try without --undo utf8");
    }
}
