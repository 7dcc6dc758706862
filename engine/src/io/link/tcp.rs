//! TCP client: connects to a server and retries until it answers.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};

use super::{
    reconnect::{Connection, Connector, Refusal},
    shared::Shared,
    spec::Address,
};
use crate::io::sys::{AsHandle, Interest, OwnedHandle, Problem, problem};

/// Connect time-out.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connector of a TCP server.
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
pub(super) fn tune(stream: &TcpStream) {
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
