//! The output of a link.

use std::{
    io::{self, Write},
    net::{SocketAddr, TcpStream, UdpSocket},
    sync::Arc,
};

use crate::sys::{self, AsHandle, Handle, LocalStream, OwnedHandle};

/// Outputs; none of them blocks.
#[derive(Debug, Clone)]
pub(super) enum ByteSink {
    Tty(Arc<OwnedHandle>),
    Tcp(Arc<TcpStream>),
    Unix(Arc<LocalStream>),
    Udp(Arc<UdpSocket>, SocketAddr),
}

impl ByteSink {
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            ByteSink::Tty(fd) => sys::write(fd, bytes),
            ByteSink::Tcp(stream) => stream.as_ref().write(bytes),
            ByteSink::Unix(stream) => stream.as_ref().write(bytes),
            ByteSink::Udp(socket, peer) => socket.send_to(bytes, peer),
        }
    }

    pub(super) fn handle(&self) -> Handle<'_> {
        match self {
            ByteSink::Tty(fd) => fd.as_fd(),
            ByteSink::Tcp(stream) => stream.as_fd(),
            ByteSink::Unix(stream) => stream.as_fd(),
            ByteSink::Udp(socket, _) => socket.as_fd(),
        }
    }
}
