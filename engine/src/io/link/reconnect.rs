//! Reconnects by itself, and reads until the connection is lost.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    shared::{BackOff, ByteSink, LineCommand, Shared, pause_text},
    state::LinkState,
};
use crate::io::{
    log::{RawLog, host_now},
    sys::{self, AsHandle, Handle, Interest, OwnedHandle},
};

/// After a connection of this duration, the next attempt is immediate.
const STOOD: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) enum Refusal {
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
    pub(super) peer: String,
    /// Text of the link up row, without the name of the link.
    pub(super) up_text: String,
}

/// An endpoint that a link connects to.
pub(super) trait Connector {
    fn connect(&mut self, shared: &Shared) -> Result<Connection, Refusal>;

    fn name(&self) -> String;

    fn run(&mut self, shared: &Shared, log: &RawLog, stream: &OwnedHandle) -> Leave {
        read_loop(shared, log, stream.as_fd(), true, &mut Plain)
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
    let mut back_off = BackOff::new();
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
                    back_off.reset(); // a connection that sent something was no failure
                }
                if !stood && !shared.sleep(back_off.next(false).1) {
                    break LinkState::Ended; // a server that accepts and closes at once must not cause a busy loop
                }
                continue;
            }
            Err(refusal) => refusal,
        };
        let (text, missing) = match refusal {
            Refusal::Stopped => break LinkState::Ended,
            Refusal::Never(text) => break LinkState::Failed(text),
            Refusal::Missing(text) | Refusal::Retry(text) if shared.options.once => break LinkState::Failed(text),
            Refusal::Missing(text) => (text, true),
            Refusal::Retry(text) => (text, false),
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
    let Connection { stream, source, peer, up_text } = connection;
    let log = shared.sources().into_iter().nth(source)?.log;
    shared.facts(|facts| facts.peer = Some(peer));
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
    let next = if missing { "Waiting for it.".into() } else { format!("Trying again in {}.", pause_text(pause)) };
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
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        shared.received(log, bytes);
    }

    /// Reason to stop reading.
    fn broken(&self) -> Option<String> {
        None
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

pub(super) struct Plain;

impl InputHandler for Plain {}

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
        let watched: Vec<_> = [fd].into_iter().chain(handler.other()).map(|handle| (handle, Interest::Read)).collect();
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
        Ok(n) => {
            handler.bytes(shared, log, piece.get(..n).unwrap_or_default());
            handler.broken().map(Leave::Dropped)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => None,
        Err(error) => Some(Leave::Failed(error)),
    }
}
