//! Sockets: TCP and Unix, connecting and listening, and UDP: one source per sender, with datagram boundaries and the
//! kernel's drop count. A sender gets its source with its first frame; when all places are taken, a silent sender makes
//! room.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};

use super::{
    reader::{Connection, Connector, InputHandler, Leave, OpenFailure, read_loop},
    shared::{ByteSink, LinkState, Shared},
    spec::{Address, FrameTest},
};
use crate::io::{
    log::{
        RawLog,
        format::{grouped, size_text},
        host_now, kind,
    },
    sys::{AsHandle, Errno, Handle, LocalStream, OwnedHandle, PollFlags, inode},
};

const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Tcp {
    pub(super) address: Address,
}

impl Connector for Tcp {
    fn connect(&mut self, shared: &Shared) -> Result<Connection, OpenFailure> {
        let name = self.name();
        let found = (self.address.host.as_str(), self.address.port).to_socket_addrs();
        let addresses: Vec<SocketAddr> = match found {
            Ok(addresses) => addresses.collect(),
            Err(error) => return Err(OpenFailure::Retry(format!("{name}: unknown host name ({error})."))),
        };
        let mut refusal = OpenFailure::Retry(format!("{name}: the name has no address."));
        for address in addresses {
            match connect(shared, address) {
                Ok(Some(stream)) => {
                    let stream = Arc::new(OwnedHandle::from(stream));
                    return Ok(Connection { stream, source: 0, up_text: self.address.to_string() });
                }
                Ok(None) => return Err(OpenFailure::Stopped),
                Err(error) => refusal = OpenFailure::Retry(format!("{name}: {}", refusal_text(&error))),
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
        Err(error) if Errno::from_io_error(&error) == Some(Errno::INPROGRESS) => {
            let ready = shared.wait(&[(socket.as_fd(), PollFlags::OUT)], Some(PATIENCE), |_| {})?;
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
    fn connect(&mut self, _: &Shared) -> Result<Connection, OpenFailure> {
        let name = self.name();
        let connected = LocalStream::connect(&self.path);
        let connected = connected.and_then(|stream| stream.set_nonblocking(true).map(|()| stream));
        match connected {
            Ok(stream) => {
                let stream = Arc::new(OwnedHandle::from(stream));
                Ok(Connection { stream, source: 0, up_text: self.path.display().to_string() })
            }
            Err(error) => Err(match error.kind() {
                io::ErrorKind::NotFound => {
                    OpenFailure::Missing(format!("{name}: no such socket; QEMU makes it: -serial unix:PATH,server=on."))
                }
                io::ErrorKind::ConnectionRefused => {
                    OpenFailure::Retry(format!("{name}: connection refused; is its program running?"))
                }
                io::ErrorKind::InvalidInput => OpenFailure::Never(format!("{name}: {error}.")),
                _ => OpenFailure::Retry(format!("{name}: {error}.")),
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
    refused: u64,
    /// The client that replaces the present one.
    next: Option<(TcpStream, SocketAddr)>,
}

fn bind_error(scheme: &str, address: &Address, error: &io::Error) -> String {
    let port = address.port;
    match error.kind() {
        io::ErrorKind::AddrInUse => format!("Port {port} is in use here; --{scheme} 0 picks one."),
        io::ErrorKind::PermissionDenied => {
            format!("Port {port} needs special rights here; --{scheme} 0 picks another.")
        }
        io::ErrorKind::AddrNotAvailable => {
            format!("{scheme} {address}: this machine has no such address; --{scheme} 0.0.0.0:{port} takes all it has.")
        }
        _ => format!("{scheme} {address}: {error}."),
    }
}

fn waiting_text(scheme: &str, local: SocketAddr) -> String {
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

/// Listens for clients, without blocking; `flag` is the option with the address. Errors: why that is impossible.
pub(super) fn listen_at(address: &Address, flag: &str) -> Result<(TcpListener, SocketAddr), String> {
    let bound = TcpListener::bind((address.host.as_str(), address.port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let local = listener.local_addr()?;
        Ok((listener, local))
    });
    bound.map_err(|error| bind_error(flag, address, &error))
}

impl Listen {
    pub(super) fn bind(address: &Address) -> Result<Listen, String> {
        let (listener, local) = listen_at(address, "listen")?;
        Ok(Listen { listener, local, present: local.ip(), refused: 0, next: None })
    }

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
    fn connect(&mut self, shared: &Shared) -> Result<Connection, OpenFailure> {
        if self.next.is_none() {
            shared.set_state(LinkState::Waiting(waiting_text("listen", self.local)));
        }
        loop {
            match self.next.take().map_or_else(|| self.accept(), |client| Ok(Some(client))) {
                Ok(Some((stream, peer))) => {
                    self.present = peer.ip();
                    let stream = Arc::new(OwnedHandle::from(stream));
                    return Ok(Connection { stream, source: 0, up_text: peer.to_string() });
                }
                Ok(None) => {}
                Err(error) => return Err(OpenFailure::Retry(format!("listen {}: {error}.", self.local))),
            }
            // Rates and modem lines don't apply here.
            let ready = shared.wait(&[(self.listener.as_fd(), PollFlags::IN)], None, |_| {});
            ready.map_err(|e| OpenFailure::Retry(format!("listen {}: {e}.", self.local)))?;
            if shared.stopping() {
                return Err(OpenFailure::Stopped);
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

/// Requested size of the kernel's receive buffer.
const BUFFER: usize = 4 << 20;
/// Poll interval of the kernel's drop counter while datagrams arrive.
const LOOK: Duration = Duration::from_millis(500);
/// Datagrams read before checking for requests from the handle.
const ROUND: usize = 256;

pub(super) struct Udp {
    socket: Arc<UdpSocket>,
    local: SocketAddr,
    peers: HashMap<SocketAddr, Peer>,
    /// The log created before the first datagram; the first sender gets it.
    first: Option<Arc<RawLog>>,
    refused_said: bool,
    strangers: Strangers,
    /// Arrival of the first datagram since the last poll of the drop counter.
    unchecked: Option<Instant>,
}

struct Peer {
    index: usize,
    log: Arc<RawLog>,
    heard: Instant,
    /// Datagrams have arrived since the last poll of the drop counter.
    active: bool,
}

pub(super) fn bind_udp(address: &Address) -> Result<(UdpSocket, SocketAddr), String> {
    let bound = UdpSocket::bind((address.host.as_str(), address.port)).and_then(|socket| {
        socket.set_nonblocking(true)?;
        let local = socket.local_addr()?;
        Ok((socket, local))
    });
    bound.map_err(|error| bind_error("udp", address, &error))
}

impl Udp {
    pub(super) fn new(shared: &Shared, socket: UdpSocket, local: SocketAddr, first: Arc<RawLog>) -> Udp {
        let options = SockRef::from(&socket);
        let _ = options.set_recv_buffer_size(BUFFER);
        let size = options.recv_buffer_size().unwrap_or(0);
        if size < BUFFER {
            let size = size_text(size as u64);
            shared.note(format!(
                "udp {local}: the kernel buffers {size}; for bursts: sudo sysctl net.core.rmem_max={BUFFER}."
            ));
        }
        let (socket, peers) = (Arc::new(socket), HashMap::new());
        let strangers = Strangers::new(shared.options.frames.clone());
        Udp { socket, local, peers, first: Some(first), refused_said: false, strangers, unchecked: None }
    }

    pub(super) fn run(mut self, shared: &Shared) {
        shared.set_state(LinkState::Waiting(waiting_text("udp", self.local)));
        self.look_at_drops(shared);
        let mut datagram = vec![0; 1 << 16];
        let end = loop {
            let ready = shared.wait(&[(self.socket.as_fd(), PollFlags::IN)], self.unchecked.map(|_| LOOK), |_| {});
            if shared.stopping() {
                break LinkState::Ended;
            }
            if let Err(error) = ready.and_then(|_| self.take_all(shared, &mut datagram)) {
                break LinkState::Failed(format!("udp {}: {error}.", self.local));
            }
            if self.unchecked.is_some_and(|since| since.elapsed() >= LOOK) {
                self.look_at_drops(shared);
            }
        };
        self.look_at_drops(shared);
        let logs = self.peers.values().map(|peer| &peer.log).chain(&self.first);
        logs.for_each(|log| log.end(host_now()));
        shared.set_state(end);
    }

    fn take_all(&mut self, shared: &Shared, datagram: &mut [u8]) -> io::Result<()> {
        for _ in 0..ROUND {
            match self.socket.recv_from(datagram) {
                Ok((len, from)) => self.take(shared, from, datagram.get(..len).unwrap_or_default()),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                // Reply to an earlier datagram: nobody listens there. Irrelevant for receiving.
                Err(e) if matches!(e.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::Interrupted) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn take(&mut self, shared: &Shared, from: SocketAddr, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let now = Instant::now();
        self.unchecked.get_or_insert(now);
        if let Some(peer) = self.peers.get_mut(&from) {
            peer.active = true;
            peer.heard = now;
            return shared.datagram(&peer.log, bytes);
        }
        match self.strangers.first_with_frame(from, bytes) {
            Some(datagrams) => self.begin(shared, from, &datagrams),
            None => self.count_frameless(shared, from),
        }
    }

    /// Begins the stream of a sender with these datagrams, if there is room.
    fn begin(&mut self, shared: &Shared, from: SocketAddr, datagrams: &[Vec<u8>]) {
        // All but the last one were counted as frameless.
        shared.count(|counters| counters.frameless -= datagrams.len() as u64 - 1);
        if !self.makes_room(shared, from) {
            return self.refuse(shared, from);
        }
        let peer = self.add_peer(shared, from);
        datagrams.iter().for_each(|datagram| shared.datagram(&peer.log, datagram));
        self.peers.insert(from, peer);
    }

    fn add_peer(&mut self, shared: &Shared, from: SocketAddr) -> Peer {
        let name = format!("udp {from}");
        let (index, log) = match self.first.take() {
            Some(log) => {
                shared.rename_source(0, name);
                (0, log)
            }
            None => {
                let log = shared.new_log();
                (shared.add_source(name, log.clone()), log)
            }
        };
        shared.set_sink(index, Some(ByteSink::Udp(self.socket.clone(), from)));
        shared.up(&log, &from.to_string());
        Peer { index, log, heard: Instant::now(), active: true }
    }

    /// Whether there is room for another sender. If necessary, the stream of one silent for long ends; its bytes stay.
    fn makes_room(&mut self, shared: &Shared, newcomer: SocketAddr) -> bool {
        if self.peers.len() < shared.options.peers.max(1) {
            return true;
        }
        let longest = self.peers.iter().min_by_key(|(_, peer)| peer.heard).map(|(from, peer)| (*from, peer.heard));
        let Some((from, silent)) = longest.map(|(from, heard)| (from, heard.elapsed())) else { return true };
        if silent < shared.options.makes_room_after {
            return false;
        }
        if let Some(peer) = self.peers.remove(&from) {
            let text = format!("{from} was silent for {} s: its place goes to {newcomer}", silent.as_secs());
            shared.down(&peer.log, &text);
            peer.log.end(host_now());
            shared.set_sink(peer.index, None);
            shared.note(format!("udp {}: {text}.", self.local));
        }
        true
    }

    /// Reports it once: as the state while there is no stream, otherwise as a note.
    fn count_frameless(&mut self, shared: &Shared, from: SocketAddr) {
        shared.count(|counters| counters.frameless += 1);
        if shared.counters().frameless > 1 {
            return;
        }
        let text = format!("udp {}: packets of {from} contain no frame; counted, not shown.", self.local);
        if self.peers.is_empty() { shared.set_state(LinkState::Waiting(text)) } else { shared.note(text) }
    }

    fn refuse(&mut self, shared: &Shared, from: SocketAddr) {
        shared.count(|counters| counters.refused += 1);
        if !self.refused_said {
            self.refused_said = true;
            let most = self.peers.len();
            shared.note(format!("udp {}: {from} is one sender too many, {most} have a stream; counted.", self.local));
        }
    }

    /// Reads the kernel's count of dropped datagrams, and adds a stream event if it rose.
    fn look_at_drops(&mut self, shared: &Shared) {
        self.unchecked = None;
        let Some(total) = kernel_drops(&self.socket) else { return };
        let fresh = shared.count(|counters| total.saturating_sub(counters.kernel_drops.replace(total).unwrap_or(0)));
        let whole = self.peers.len() == 1;
        for peer in self.peers.values_mut() {
            let active = std::mem::take(&mut peer.active);
            if fresh > 0 && active {
                let whose = if whole { "" } else { ", of one or more senders" };
                let fresh = grouped(fresh);
                let text = format!("{fresh} datagrams dropped: the kernel's receive buffer was full{whose}");
                peer.log.add_event(kind::HOST_LOSS, 0, text.as_bytes(), host_now());
            }
        }
    }
}

/// Datagrams dropped at this socket, from the kernel's socket table.
fn kernel_drops(socket: &UdpSocket) -> Option<u64> {
    let inode = inode(socket)?;
    let v6 = socket.local_addr().ok()?.is_ipv6();
    let table = std::fs::read_to_string(if v6 { "/proc/self/net/udp6" } else { "/proc/self/net/udp" }).ok()?;
    drops_in(&table, inode)
}

fn drops_in(table: &str, inode: u64) -> Option<u64> {
    table.lines().skip(1).find_map(|line| {
        let mut columns = line.split_whitespace().skip(9);
        (columns.next()?.parse() == Ok(inode)).then(|| columns.nth(2)?.parse().ok())?
    })
}

/// Bytes kept per sender: enough for a frame spread over several datagrams.
const KEPT: usize = 16 << 10;
const MOST: usize = 64;

/// Senders without a frame so far, with their latest datagrams.
#[derive(Debug)]
struct Strangers {
    /// `None`: every datagram counts as a frame.
    test: Option<FrameTest>,
    kept: HashMap<SocketAddr, Vec<Vec<u8>>>,
}

impl Strangers {
    fn new(test: Option<FrameTest>) -> Strangers {
        Strangers { test, kept: HashMap::new() }
    }

    /// The datagrams that begin the stream of this sender: this one if it contains a frame, preceded by earlier ones if
    /// they form a frame together. `None` without a frame.
    fn first_with_frame(&mut self, from: SocketAddr, datagram: &[u8]) -> Option<Vec<Vec<u8>>> {
        let Some(test) = self.test.as_ref().filter(|test| !test.0(datagram)) else {
            self.kept.remove(&from);
            return Some(vec![datagram.to_vec()]);
        };
        if self.kept.len() >= MOST && !self.kept.contains_key(&from) {
            self.kept.clear();
        }
        let kept = self.kept.entry(from).or_default();
        if kept.iter().map(Vec::len).sum::<usize>() + datagram.len() > KEPT {
            kept.clear();
        }
        kept.push(datagram.to_vec());
        // Rarely for a sender of much noise.
        let due = kept.len() > 1 && (kept.len() <= 8 || kept.len().is_power_of_two());
        if due && test.0(&kept.concat()) { self.kept.remove(&from) } else { None }
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

    #[test]
    fn the_kernels_table_has_the_drops_of_a_socket() {
        let table = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n\
             13: 0100007F:1F90 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000000000000000 5\n\
             14: 0100007F:1F91 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4712 2 0000000000000000 17\n";
        assert_eq!((drops_in(table, 4712), drops_in(table, 4711), drops_in(table, 1)), (Some(17), Some(5), None));
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(kernel_drops(&socket), Some(0));
    }

    fn strangers() -> Strangers {
        Strangers::new(Some(FrameTest(Arc::new(|bytes: &[u8]| bytes.windows(3).any(|w| w == b"<f>")))))
    }

    fn from(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[test]
    fn a_stream_begins_with_the_datagram_in_which_a_frame_is_seen() {
        let mut all = strangers();
        assert_eq!(all.first_with_frame(from(1), b"noise"), None);
        assert_eq!(all.first_with_frame(from(1), b"x<f>y"), Some(vec![b"x<f>y".to_vec()]));
        assert_eq!(Strangers::new(None).first_with_frame(from(1), b"any"), Some(vec![b"any".to_vec()]));
    }

    #[test]
    fn a_frame_may_be_spread_over_datagrams_of_one_sender() {
        let mut all = strangers();
        assert_eq!(all.first_with_frame(from(1), b"<"), None);
        assert_eq!(all.first_with_frame(from(2), b"f>"), None);
        assert_eq!(all.first_with_frame(from(1), b"f>"), Some(vec![b"<".to_vec(), b"f>".to_vec()]));
    }

    #[test]
    fn noise_takes_little_memory() {
        let mut all = strangers();
        for n in 0..10_000 {
            assert_eq!(all.first_with_frame(from(n % 1000), &[0; 1000]), None);
        }
        assert!(all.kept.len() <= MOST && all.kept.values().all(|kept| kept.concat().len() <= KEPT));
    }
}
