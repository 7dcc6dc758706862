//! Unix socket: connects to a program on this machine, such as QEMU with `-serial unix:PATH,server=on`, and retries until
//! it answers.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{
    reconnect::{Connection, Connector, Refusal},
    shared::Shared,
};
use crate::io::sys::{LocalStream, OwnedHandle};

/// Connector of a Unix socket.
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
