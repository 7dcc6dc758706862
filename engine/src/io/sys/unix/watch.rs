//! File change notification by the kernel. Only on Linux; elsewhere files are polled.

#[cfg(target_os = "linux")]
pub(crate) use inotify::FileWatch;
#[cfg(not(target_os = "linux"))]
pub(crate) use none::FileWatch;

#[cfg(target_os = "linux")]
mod inotify {
    use std::path::Path;

    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

    use super::super::handle::{AsHandle, Handle, OwnedHandle};

    /// A handle that becomes readable when the file changes.
    pub(crate) struct FileWatch(OwnedHandle);

    impl FileWatch {
        pub(crate) fn new(path: &Path) -> Option<FileWatch> {
            let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            // A file replaced by a rename loses its name, which is an attribute change.
            let flags = WatchFlags::MODIFY | WatchFlags::ATTRIB | WatchFlags::MOVE_SELF | WatchFlags::DELETE_SELF;
            add_watch(&fd, path, flags).ok()?;
            Some(FileWatch(fd))
        }

        pub(crate) fn handle(&self) -> Handle<'_> {
            self.0.as_fd()
        }

        /// Discards pending notifications.
        pub(crate) fn drain(&self) {
            let mut events = [0; 4096];
            while rustix::io::read(&self.0, &mut events).is_ok_and(|n| n == events.len()) {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod none {
    use std::path::Path;

    use super::super::handle::Handle;

    /// Not available.
    pub(crate) enum FileWatch {}

    impl FileWatch {
        pub(crate) fn new(_: &Path) -> Option<FileWatch> {
            None
        }

        pub(crate) fn handle(&self) -> Handle<'_> {
            match *self {}
        }

        pub(crate) fn drain(&self) {
            match *self {}
        }
    }
}
