//! The way to a target that runs inside this program.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use crossbeam_channel::Sender;

/// Bytes for the target.
#[derive(Debug, Clone)]
pub(super) struct Inbox {
    bytes: Sender<Vec<u8>>,
    room: Option<Arc<AtomicUsize>>,
}

impl Inbox {
    /// For a target that takes so many more bytes; `None` = any number.
    pub(super) fn new(bytes: Sender<Vec<u8>>, room: Option<Arc<AtomicUsize>>) -> Inbox {
        Inbox { bytes, room }
    }

    /// Sends as many bytes as the target takes.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.room.as_ref().map_or(bytes.len(), |room| take(room, bytes.len()));
        let Some(sent) = bytes.get(..taken).filter(|sent| !sent.is_empty() || bytes.is_empty()) else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        // The other side is gone, as on a closed connection.
        Ok(self.bytes.send(sent.to_vec()).map_or(0, |()| taken))
    }
}

/// Uses room for up to `wanted` bytes; returns for how many there was.
fn take(room: &AtomicUsize, wanted: usize) -> usize {
    let before = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| Some(room - room.min(wanted)));
    before.unwrap_or_else(|room| room).min(wanted)
}
