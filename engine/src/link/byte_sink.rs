//! Where a link sends bytes.

use std::{
    io::{self, Write},
    net::{SocketAddr, TcpStream, UdpSocket},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
};

/// Where bytes go out. All of them never block.
#[derive(Debug, Clone)]
pub(super) enum ByteSink {
    Tty(Arc<OwnedFd>),
    Tcp(Arc<TcpStream>),
    Udp(Arc<UdpSocket>, SocketAddr),
}

impl ByteSink {
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            ByteSink::Tty(fd) => rustix::io::write(fd, bytes).map_err(io::Error::from),
            ByteSink::Tcp(stream) => stream.as_ref().write(bytes),
            ByteSink::Udp(socket, peer) => socket.send_to(bytes, peer),
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        match self {
            ByteSink::Tty(fd) => fd.as_fd(),
            ByteSink::Tcp(stream) => stream.as_fd(),
            ByteSink::Udp(socket, _) => socket.as_fd(),
        }
    }
}
