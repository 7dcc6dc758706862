//! Readers that connect to a TCP port or a Unix socket, each served on a thread of its own: with a recording that is played,
//! or with the bytes of a link as they come.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use socket2::Socket;

use super::{
    socket::listen_at,
    spec::{LinkKind, LinkSpec},
};
use crate::{
    io::sys::{FileTypeExt, LocalListener, LocalStream, OwnedHandle},
    unwritable,
};

/// Readers served at once; others wait until one has left.
const MOST: usize = 64;

/// Where readers connect.
#[derive(Debug)]
pub struct Readers {
    listener: Socket,
    /// `tcp 127.0.0.1:9000`.
    pub name: String,
    /// The socket's file.
    file: Option<PathBuf>,
    /// Shared with each reader's thread.
    places: Arc<()>,
}

impl Readers {
    /// Listens at a port or a Unix socket; `flag` is the option that names it. Errors: why that is impossible.
    pub fn listen(at: &LinkSpec, flag: &str) -> Result<Readers, String> {
        let (listener, name, file) = match &at.kind {
            LinkKind::Listen(address) => {
                let (listener, local) = listen_at(address, flag)?;
                (listener.into(), format!("tcp {local}"), None)
            }
            LinkKind::Unix(path) => {
                (OwnedHandle::from(listen_on(path)?).into(), format!("unix {}", path.display()), Some(path.clone()))
            }
            _ => return Err(format!("{at}: readers can't connect there")),
        };
        Ok(Readers { listener, name, file, places: Arc::default() })
    }

    /// Serves the next reader, if one waits and there is room; `false` if not. A write to it takes `patience` at most.
    pub fn accept(
        &self,
        patience: Option<Duration>,
        serve: impl FnOnce(&mut dyn Write, &str) + Send + 'static,
    ) -> io::Result<bool> {
        use io::ErrorKind as K;
        if self.present() >= MOST {
            return Ok(false);
        }
        let (mut stream, peer) = match self.listener.accept() {
            Err(e) if matches!(e.kind(), K::WouldBlock | K::Interrupted | K::ConnectionAborted) => return Ok(false),
            accepted => accepted?,
        };
        // Some systems pass on that the listener does not block.
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(patience)?;
        // A Unix socket has no such delay.
        let _ = stream.set_tcp_nodelay(true);
        let peer = peer.as_socket().map_or_else(|| format!("a reader at {}", self.name), |peer| peer.to_string());
        let place = self.places.clone();
        let serve = move || {
            serve(&mut stream, &peer);
            drop(place);
        };
        thread::Builder::new().name("reader".into()).spawn(serve).map(|_| true)
    }

    /// Number of readers that are served.
    pub fn present(&self) -> usize {
        Arc::strong_count(&self.places) - 1
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        let _ = self.file.as_ref().map(fs::remove_file);
    }
}

fn listen_on(path: &Path) -> Result<LocalListener, String> {
    let is_socket = path.symlink_metadata().is_ok_and(|meta| meta.file_type().is_socket());
    // A program that was killed leaves its socket, which refuses.
    if is_socket && LocalStream::connect(path).is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused) {
        let _ = fs::remove_file(path);
    }
    let bound = LocalListener::bind(path).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    bound.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!("unix {}: in use; choose another path", path.display()),
        _ => unwritable(path, &error),
    })
}
