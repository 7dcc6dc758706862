//! TCP and Unix sockets: connecting and listening.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};

use super::{
    reconnect::{Connection, Connector, InputHandler, Leave, Refusal, read_loop},
    shared::Shared,
    spec::Address,
    state::{LinkError, LinkState},
};
use crate::io::{
    log::{RawLog, format::grouped},
    sys::{AsHandle, Handle, Interest, LocalStream, OwnedHandle, Problem, problem},
};

const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Tcp {
    pub(super) address: Address,
}

impl Connector for Tcp {
    fn connect(&mut self, shared: &Shared) -> Result<Connection, Refusal> {
        let name = self.name();
        let found = (self.address.host.as_str(), self.address.port).to_socket_addrs();
        let addresses: Vec<SocketAddr> = match found {
            Ok(addresses) => addresses.collect(),
            Err(error) => return Err(Refusal::Retry(format!("{name}: unknown host name ({error})."))),
        };
        let mut refusal = Refusal::Retry(format!("{name}: the name has no address."));
        for address in addresses {
            match connect(shared, address) {
                Ok(Some(stream)) => {
                    let stream = Arc::new(OwnedHandle::from(stream));
                    let (peer, up_text) = (address.to_string(), self.address.to_string());
                    return Ok(Connection { stream, source: 0, peer, up_text });
                }
                Ok(None) => return Err(Refusal::Stopped),
                Err(error) => refusal = Refusal::Retry(format!("{name}: {}", refusal_text(&error))),
            }
        }
        Err(refusal)
    }

    fn name(&self) -> String {
        format!("tcp {}", self.address)
    }
}

/// Connects without delaying a stop; `None` = stopped.
fn connect(shared: &Shared, address: SocketAddr) -> io::Result<Option<TcpStream>> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    match socket.connect(&address.into()) {
        Ok(()) => {}
        Err(error) if problem(&error) == Some(Problem::Connecting) => {
            let ready = shared.wait(&[(socket.as_fd(), Interest::Write)], Some(PATIENCE), |_| {})?;
            if shared.stopping() {
                return Ok(None);
            }
            if ready.first() != Some(&true) {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Err(error) => return Err(error),
    }
    if let Some(error) = socket.take_error()? {
        return Err(error);
    }
    let stream = TcpStream::from(socket);
    tune(&stream);
    Ok(Some(stream))
}

/// Sends without delay, and detects a vanished peer within 30 s.
fn tune(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let probes = TcpKeepalive::new().with_time(Duration::from_secs(5)).with_interval(Duration::from_secs(2));
    let _ = SockRef::from(stream).set_tcp_keepalive(&probes);
}

fn refusal_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused; is the target listening?".into(),
        io::ErrorKind::TimedOut => "no answer; is it switched on and reachable?".into(),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "not reachable from here; cable, address, network?".into()
        }
        _ => format!("{error}."),
    }
}

pub(super) struct Unix {
    pub(super) path: PathBuf,
}

impl Connector for Unix {
    fn connect(&mut self, _: &Shared) -> Result<Connection, Refusal> {
        let name = self.name();
        let connected = LocalStream::connect(&self.path);
        let connected = connected.and_then(|stream| stream.set_nonblocking(true).map(|()| stream));
        match connected {
            Ok(stream) => {
                let (stream, peer) = (Arc::new(OwnedHandle::from(stream)), self.path.display().to_string());
                Ok(Connection { stream, source: 0, up_text: peer.clone(), peer })
            }
            Err(error) => Err(match error.kind() {
                io::ErrorKind::NotFound => {
                    Refusal::Missing(format!("{name}: no such socket; QEMU makes it: -serial unix:PATH,server=on."))
                }
                io::ErrorKind::ConnectionRefused => {
                    Refusal::Retry(format!("{name}: connection refused; is its program running?"))
                }
                io::ErrorKind::InvalidInput => Refusal::Never(format!("{name}: {error}.")),
                _ => Refusal::Retry(format!("{name}: {error}.")),
            }),
        }
    }

    fn name(&self) -> String {
        format!("unix {}", self.path.display())
    }
}

/// A connection silent for this long is replaced by a new one from the same machine, because a board that resets does
/// not close its old connection.
const SILENT: Duration = Duration::from_secs(2);

/// Accepts clients one after the other.
pub(super) struct Listen {
    listener: TcpListener,
    pub(super) local: SocketAddr,
    present: IpAddr,
    /// Clients refused meanwhile.
    refused: u64,
    /// The client that replaces the present one.
    next: Option<(TcpStream, SocketAddr)>,
}

pub(super) fn bind(address: &Address) -> Result<Listen, LinkError> {
    let bound = TcpListener::bind((address.host.as_str(), address.port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let local = listener.local_addr()?;
        Ok(Listen { listener, local, present: local.ip(), refused: 0, next: None })
    });
    bound.map_err(|error| bind_error("listen", address, &error))
}

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

pub(super) fn waiting_text(scheme: &str, local: SocketAddr) -> String {
    let nobody = if scheme == "udp" { "nothing yet" } else { "nobody yet" };
    let port = local.port();
    // This is the only place where QNX users find the command.
    let qnx =
        if scheme == "listen" { format!(" QNX: tracelogger -c -f - | nc THISHOST {port}.") } else { String::new() };
    if local.ip().is_loopback() {
        return format!("{scheme} {local}: {nobody}; this machine only, for boards --{scheme} 0.0.0.0:{port}.{qnx}");
    }
    format!("{scheme} {local}: {nobody}.{qnx}")
}

impl Listen {
    fn accept(&self) -> io::Result<Option<(TcpStream, SocketAddr)>> {
        match self.listener.accept() {
            Ok((stream, peer)) => {
                stream.set_nonblocking(true)?;
                tune(&stream);
                Ok(Some((stream, peer)))
            }
            // A client that disconnected before being accepted is no reason to stop listening.
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
            Err(e) if e.kind() == io::ErrorKind::ConnectionAborted => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Connector for Listen {
    fn connect(&mut self, shared: &Shared) -> Result<Connection, Refusal> {
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
                    self.present = peer.ip();
                    let (stream, peer) = (Arc::new(OwnedHandle::from(stream)), peer.to_string());
                    return Ok(Connection { stream, source: 0, up_text: peer.clone(), peer });
                }
                Ok(None) => {}
                Err(error) => return Err(Refusal::Retry(format!("listen {}: {error}.", self.local))),
            }
            // Rates and modem lines don't apply here.
            let ready = shared.wait(&[(self.listener.as_fd(), Interest::Read)], None, |_| {});
            ready.map_err(|e| Refusal::Retry(format!("listen {}: {e}.", self.local)))?;
            if shared.stopping() {
                return Err(Refusal::Stopped);
            }
        }
    }

    fn name(&self) -> String {
        format!("listen {}", self.local)
    }

    fn run(&mut self, shared: &Shared, log: &RawLog, stream: &OwnedHandle) -> Leave {
        self.refused = 0;
        let leave = read_loop(shared, log, stream.as_fd(), true, self);
        if self.refused > 1 {
            let refused = grouped(self.refused);
            shared.note(format!("listen {}: {refused} clients were turned away meanwhile.", self.local));
        }
        leave
    }
}

/// While one client is read, its successor is accepted.
impl InputHandler for Listen {
    fn other(&self) -> Option<Handle<'_>> {
        Some(self.listener.as_fd())
    }

    fn other_ready(&mut self, shared: &Shared) -> Option<String> {
        let (stream, peer) = self.accept().ok().flatten()?;
        let silent = matches!(shared.state(), LinkState::Quiet(time) if time >= SILENT);
        if silent && !peer.ip().is_loopback() && peer.ip() == self.present {
            self.next = Some((stream, peer));
            return Some(format!("{peer} connected again; its former connection was silent"));
        }
        drop(stream);
        shared.count(|counters| counters.refused += 1);
        self.refused += 1;
        // A client that keeps trying would fill the log.
        if self.refused == 1 {
            let (local, present) = (self.local, self.present);
            shared.note(format!("listen {local}: {peer} was refused, {present} is connected; others are counted."));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_says_how_to_let_boards_in() {
        let text = waiting_text("listen", "127.0.0.1:9000".parse().unwrap());
        assert_eq!(
            text,
            "listen 127.0.0.1:9000: nobody yet; this machine only, for boards --listen 0.0.0.0:9000. QNX: tracelogger -c -f - | nc \
             THISHOST 9000."
        );
        assert_eq!(waiting_text("udp", "0.0.0.0:7".parse().unwrap()), "udp 0.0.0.0:7: nothing yet.");
    }
}
