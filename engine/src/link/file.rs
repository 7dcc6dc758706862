//! Regular files, read in place; with `follow`, as they grow.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::PollFlags;

use super::{shared::Shared, state::LinkState, wake::wait_any};
use crate::log::{RawLog, host_now};

/// How often a growing file is looked at when nothing announces its growth (network file systems).
const LOOK: Duration = Duration::from_millis(500);

/// Follows a file until the link is stopped, or the file shrinks.
pub(super) fn follow(shared: &Shared, log: &Arc<RawLog>) {
    let watch = log.file_path().and_then(watch);
    shared.flows();
    let end = loop {
        if let Some(end) = look(shared, log) {
            break end;
        }
        let mut watched = vec![(shared.wake_fd(), PollFlags::IN)];
        if let Some(watch) = &watch {
            watched.push((watch.fd(), PollFlags::IN));
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

#[cfg(target_os = "linux")]
mod growth {
    //! The kernel's announcement that a file changed.

    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::path::Path;

    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

    pub(super) struct Watch(OwnedFd);

    pub(super) fn watch(path: &Path) -> Option<Watch> {
        let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        add_watch(&fd, path, WatchFlags::MODIFY | WatchFlags::ATTRIB).ok()?;
        Some(Watch(fd))
    }

    impl Watch {
        pub(super) fn fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }

        pub(super) fn drain(&self) {
            let mut events = [0; 4096];
            while rustix::io::read(&self.0, &mut events).is_ok_and(|n| n == events.len()) {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod growth {
    //! No announcement: the file is looked at from time to time.

    use std::os::fd::BorrowedFd;
    use std::path::Path;

    pub(super) enum Watch {}

    pub(super) fn watch(_: &Path) -> Option<Watch> {
        None
    }

    impl Watch {
        pub(super) fn fd(&self) -> BorrowedFd<'_> {
            match *self {}
        }

        pub(super) fn drain(&self) {
            match *self {}
        }
    }
}

use growth::watch;
