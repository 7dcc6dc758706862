//! Notices that files change, appear or vanish, from the system's reports, or by checks now and then where it has none.

use std::{
    fs,
    io::{self, PipeWriter},
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime},
};

use crossbeam_channel::{Receiver, bounded, tick};

use super::sys::{self, AsHandle as _, PollFlags, wait_any};

/// Modification time and length: changes when a file is written, or a folder gains or loses a file. `None` if missing.
pub type FileStamp = Option<(SystemTime, u64)>;

pub fn stamp(path: &Path) -> FileStamp {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Interval where the system does not report all changes.
const LOOK: Duration = Duration::from_millis(800);

/// A watch of files and folders, which may be missing; ends when dropped.
pub struct FileWatch {
    /// Receives after a change, and at times without one: compare. Compare once after the start, too. A path that leads to
    /// another file, or to one at last, needs a new watch.
    pub changed: Receiver<Instant>,
    _stop: Option<PipeWriter>,
}

impl FileWatch {
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a Path>) -> FileWatch {
        let watch = || {
            let (changes, (stopped, stop)) = (sys::changes(paths)?, io::pipe().ok()?);
            let (send, changed) = bounded(1);
            let report = move || {
                let handles = [(changes.as_fd(), PollFlags::IN), (stopped.as_fd(), PollFlags::IN)];
                while wait_any(&handles, None).is_ok_and(|ready| ready.last() == Some(&false)) {
                    while sys::read(&changes, &mut [0; 4096]).is_ok() {}
                    let _ = send.try_send(Instant::now());
                }
            };
            thread::Builder::new().name("file-watch".into()).spawn(report).ok()?;
            Some(FileWatch { changed, _stop: Some(stop) })
        };
        watch().unwrap_or_else(|| FileWatch { changed: tick(LOOK), _stop: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name);
        let write = |to: &str| fs::write(name(to), to).unwrap();
        ["file", "other"].into_iter().for_each(write);
        std::os::unix::fs::symlink(name("file"), name("link")).unwrap();
        let changes: [(&str, &dyn Fn()); 7] = [
            ("file", &|| write("file")),
            ("link", &|| write("file")),
            ("file", &|| fs::rename(name("other"), name("file")).unwrap()),
            ("link", &|| fs::remove_file(name("link")).unwrap()),
            ("file", &|| fs::remove_file(name("file")).unwrap()),
            ("file", &|| write("file")),
            ("no/folder/file", &|| fs::create_dir(name("no")).unwrap()),
        ];
        for (number, (path, change)) in changes.iter().enumerate() {
            let watch = FileWatch::new([name(path).as_path()]);
            assert!(watch._stop.is_some(), "{number}: looks at intervals");
            change();
            watch.changed.recv_timeout(Duration::from_secs(10)).unwrap_or_else(|_| panic!("{number}: {path}"));
        }
    }

    #[test]
    fn what_the_system_does_not_watch_is_looked_at() {
        let watch = FileWatch::new([Path::new("/nothing"), Path::new("")]);
        watch.changed.recv_timeout(Duration::from_secs(10)).unwrap();
        watch.changed.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}
