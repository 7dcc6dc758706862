//! Unix socket: connects to a program on this machine, such as QEMU with `-serial unix:PATH,server=on`, and retries until
//! it answers.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{
    byte_sink::ByteSink,
    read_loop::{Leave, Plain, read_loop},
    reconnect::{Connector, Refusal},
    shared::Shared,
};
use crate::{
    io::log::RawLog,
    io::sys::{AsHandle, LocalStream},
};

/// Connector of a Unix socket.
pub(super) struct Unix {
    pub(super) path: PathBuf,
}

impl Connector for Unix {
    type Connection = Arc<LocalStream>;

    fn connect(&mut self, shared: &Shared) -> Result<Arc<LocalStream>, Refusal> {
        let name = self.name();
        let connected = LocalStream::connect(&self.path);
        let connected = connected.and_then(|stream| stream.set_nonblocking(true).map(|()| stream));
        match connected {
            Ok(stream) => {
                shared.facts(|facts| facts.peer = Some(self.path.display().to_string()));
                Ok(Arc::new(stream))
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

    fn up_text(&self, _: &Arc<LocalStream>) -> String {
        self.path.display().to_string()
    }

    fn run(&mut self, shared: &Shared, log: &RawLog, stream: Arc<LocalStream>) -> Leave {
        shared.set_sink(0, Some(ByteSink::Unix(stream.clone())));
        read_loop(shared, log, stream.as_fd(), true, &mut Plain)
    }
}
