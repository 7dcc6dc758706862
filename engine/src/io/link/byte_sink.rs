//! The output of a link.

use std::{
    io,
    net::{SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use super::inbox::Inbox;
use crate::io::sys::{self, AsHandle, Interest, OwnedHandle, wait_any};

/// Outputs; none of them blocks.
#[derive(Debug, Clone)]
pub(super) enum ByteSink {
    /// A serial line or a connection.
    Stream(Arc<OwnedHandle>),
    Udp(Arc<UdpSocket>, SocketAddr),
    InProcess(Inbox),
}

impl ByteSink {
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            ByteSink::Stream(stream) => sys::write(stream, bytes),
            ByteSink::Udp(socket, peer) => socket.send_to(bytes, peer),
            ByteSink::InProcess(inbox) => inbox.write(bytes),
        }
    }

    /// Waits until it takes bytes again, for some time.
    pub(super) fn wait(&self, time: Duration) {
        let handle = match self {
            ByteSink::Stream(stream) => stream.as_fd(),
            ByteSink::Udp(socket, _) => socket.as_fd(),
            ByteSink::InProcess(_) => return std::thread::sleep(time),
        };
        // If waiting fails, the next write fails with the reason.
        let _ = wait_any(&[(handle, Interest::Write)], Some(time));
    }
}
