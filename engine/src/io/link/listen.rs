//! TCP server: waits for the target to connect. One client at a time; a returning target continues the same log.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use super::{
    byte_sink::ByteSink,
    read_loop::{InputHandler, Leave, read_loop},
    reconnect::{Connector, Refusal},
    shared::Shared,
    spec::Address,
    state::{LinkError, LinkState},
    tcp::tune,
};
use crate::{
    io::log::{RawLog, format::grouped},
    io::sys::{AsHandle, Handle, Interest, wait_any},
};

/// A connection silent for this long is replaced by a new one from the same machine, because a board that was reset
/// does not close its old connection.
const SILENT: Duration = Duration::from_secs(2);

/// Accepts clients one after the other.
pub(super) struct Listen {
    listener: TcpListener,
    local: SocketAddr,
    /// A client that replaced the previous one.
    next: Option<(TcpStream, SocketAddr)>,
}

/// Binds the port.
pub(super) fn bind(address: &Address) -> Result<Listen, LinkError> {
    let bound = TcpListener::bind((address.host.as_str(), address.port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let local = listener.local_addr()?;
        Ok(Listen { listener, local, next: None })
    });
    bound.map_err(|error| bind_error("listen", address, &error))
}

/// Message for a port that can't be bound.
pub(super) fn bind_error(scheme: &str, address: &Address, error: &io::Error) -> LinkError {
    let port = address.port;
    LinkError(match error.kind() {
        io::ErrorKind::AddrInUse => format!("Port {port} is in use here; --{scheme} 0 picks one."),
        io::ErrorKind::PermissionDenied => {
            format!("Port {port} needs special rights here; --{scheme} 0 picks another.")
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("{scheme} {address}: this machine has no such address; --{scheme} 0.0.0.0:{port} takes all it has.")
        }
        _ => format!("{scheme} {address}: {error}."),
    })
}

/// Message for a link that waits for a client.
pub(super) fn waiting_text(scheme: &str, local: SocketAddr) -> String {
    let nobody = if scheme == "udp" { "nothing yet" } else { "nobody yet" };
    let port = local.port();
    // What a user of QNX has to type is known nowhere else.
    let qnx =
        if scheme == "listen" { format!(" QNX: tracelogger -c -f - | nc THISHOST {port}.") } else { String::new() };
    if local.ip().is_loopback() {
        return format!("{scheme} {local}: {nobody}; this machine only, for boards --{scheme} 0.0.0.0:{port}.{qnx}");
    }
    format!("{scheme} {local}: {nobody}.{qnx}")
}

impl Listen {
    /// The actual address.
    pub(super) fn local(&self) -> SocketAddr {
        self.local
    }

    fn accept(&self) -> io::Result<Option<(TcpStream, SocketAddr)>> {
        match self.listener.accept() {
            Ok((stream, peer)) => {
                stream.set_nonblocking(true)?;
                tune(&stream);
                Ok(Some((stream, peer)))
            }
            // A client that disconnected before it was accepted is no reason to stop listening.
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
            Err(e) if e.kind() == io::ErrorKind::ConnectionAborted => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Connector for Listen {
    type Connection = (Arc<TcpStream>, SocketAddr);

    fn connect(&mut self, shared: &Shared) -> Result<Self::Connection, Refusal> {
        if self.next.is_none() {
            shared.set_state(LinkState::Waiting(waiting_text("listen", self.local)));
        }
        loop {
            let client = match self.next.take() {
                Some(client) => Ok(Some(client)),
                None => self.accept(),
            };
            match client {
                Ok(Some((stream, peer))) => {
                    shared.facts(|facts| facts.peer = Some(peer.to_string()));
                    return Ok((Arc::new(stream), peer));
                }
                Ok(None) => {}
                Err(error) => return Err(Refusal::Retry(format!("listen {}: {error}.", self.local))),
            }
            let watched = [(shared.wake_fd(), Interest::Read), (self.listener.as_fd(), Interest::Read)];
            let ready = wait_any(&watched, None).map_err(|e| Refusal::Retry(format!("listen {}: {e}.", self.local)))?;
            if shared.stopping() {
                return Err(Refusal::Stopped);
            }
            if ready.first() == Some(&true) {
                shared.waker.taken();
                while shared.next_command().is_some() {} // rates and lines mean nothing here
            }
        }
    }

    fn name(&self) -> String {
        format!("listen {}", self.local)
    }

    fn up_text(&self, (_, peer): &Self::Connection) -> String {
        peer.to_string()
    }

    fn run(&mut self, shared: &Shared, log: &RawLog, (stream, peer): Self::Connection) -> Leave {
        shared.set_sink(0, Some(ByteSink::Tcp(stream.clone())));
        let mut inlet = Client { listen: self, peer: peer.ip(), refused: 0 };
        let leave = read_loop(shared, log, stream.as_fd(), true, &mut inlet);
        let refused = inlet.refused;
        if refused > 1 {
            let refused = grouped(refused);
            shared.note(format!("listen {}: {refused} clients were turned away meanwhile.", self.local));
        }
        leave
    }
}

/// Reads one client and accepts its successor.
struct Client<'a> {
    listen: &'a mut Listen,
    peer: IpAddr,
    /// Others that came meanwhile.
    refused: u64,
}

impl InputHandler for Client<'_> {
    fn other(&self) -> Option<Handle<'_>> {
        Some(self.listen.listener.as_fd())
    }

    fn other_ready(&mut self, shared: &Shared) -> Option<String> {
        let (stream, peer) = self.listen.accept().ok().flatten()?;
        let silent = matches!(shared.state(), LinkState::Quiet(time) if time >= SILENT);
        if silent && !peer.ip().is_loopback() && peer.ip() == self.peer {
            self.listen.next = Some((stream, peer));
            return Some(format!("{peer} connected again; its former connection was silent"));
        }
        drop(stream);
        shared.count_refused();
        self.refused += 1;
        // One that tries again and again would fill the log.
        if self.refused == 1 {
            let (local, present) = (self.listen.local, self.peer);
            shared.note(format!("listen {local}: {peer} was refused, {present} is connected; others are counted."));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_tells_how_to_let_boards_in() {
        let text = waiting_text("listen", "127.0.0.1:9000".parse().unwrap());
        assert_eq!(
            text,
            "listen 127.0.0.1:9000: nobody yet; this machine only, for boards --listen 0.0.0.0:9000. QNX: tracelogger -c -f - | nc \
             THISHOST 9000."
        );
        assert_eq!(waiting_text("udp", "0.0.0.0:7".parse().unwrap()), "udp 0.0.0.0:7: nothing yet.");
    }
}
