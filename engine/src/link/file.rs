//! Regular files, read in place; with `follow`, also as they grow.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{shared::Shared, state::LinkState};
use crate::{
    log::{RawLog, host_now},
    sys::{FileWatch, Interest, wait_any},
};

/// Poll interval of a growing file without change notification (network file systems).
const LOOK: Duration = Duration::from_millis(500);

/// Follows a file until the link is stopped or the file shrinks.
pub(super) fn follow(shared: &Shared, log: &Arc<RawLog>) {
    let watch = log.file_path().and_then(FileWatch::new);
    shared.flows();
    let end = loop {
        if let Some(end) = look(shared, log) {
            break end;
        }
        let mut watched = vec![(shared.wake_fd(), Interest::Read)];
        if let Some(watch) = &watch {
            watched.push((watch.handle(), Interest::Read));
        }
        let ready = match wait_any(&watched, Some(LOOK)) {
            Ok(ready) => ready,
            Err(error) => break LinkState::Failed(error.to_string()),
        };
        if shared.stopping() {
            break LinkState::Ended;
        }
        if ready.first() == Some(&true) {
            shared.waker.taken();
            while shared.next_command().is_some() {}
        }
        if let (Some(true), Some(watch)) = (ready.get(1), &watch) {
            watch.drain();
        }
    };
    log.end(host_now());
    shared.set_state(end);
}

fn look(shared: &Shared, log: &RawLog) -> Option<LinkState> {
    let had = log.len();
    match log.file_len()? {
        Ok(now) if now > had => shared.grown(log, now),
        Ok(now) if now < had => {
            let name = log.file_path().unwrap_or(Path::new("file")).display().to_string();
            let text = format!("{name} was cut from {had} to {now} bytes while it was followed; open it again.");
            return Some(LinkState::Failed(text));
        }
        Ok(_) => {}
        Err(error) => return Some(LinkState::Failed(error.to_string())),
    }
    None
}
