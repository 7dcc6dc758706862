//! UDP: one source per sender, with datagram boundaries and the kernel's drop count. A sender gets its source with its
//! first frame; when all places are taken, a silent sender makes room.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::{
    options::Strangers,
    shared::{ByteSink, Shared},
    spec::Address,
    state::{LinkError, LinkState},
    stream_socket::{bind_error, waiting_text},
};
use crate::{
    io::log::{RawLog, format::grouped, host_now, kind},
    io::sys::{AsHandle, Interest, inode},
};

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

pub(super) fn bind(address: &Address) -> Result<(UdpSocket, SocketAddr), LinkError> {
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
            let size = crate::io::log::format::size_text(size as u64);
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
            let ready = shared.wait(&[(self.socket.as_fd(), Interest::Read)], self.unchecked.map(|_| LOOK), |_| {});
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

    /// Whether there is room for another sender. If necessary, the stream of the most silent sender ends if it is
    /// silent long enough; its bytes stay.
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
            peer.log.add_event(kind::LINK_DOWN, 0, text.as_bytes(), host_now());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table_has_the_drops_of_a_socket() {
        let table = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n\
             13: 0100007F:1F90 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000000000000000 5\n\
             14: 0100007F:1F91 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4712 2 0000000000000000 17\n";
        assert_eq!((drops_in(table, 4712), drops_in(table, 4711), drops_in(table, 1)), (Some(17), Some(5), None));
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(kernel_drops(&socket), Some(0));
    }
}
