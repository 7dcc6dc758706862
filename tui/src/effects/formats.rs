//! Format files, read again when they change.

use std::{path::PathBuf, sync::Arc, thread, time::Duration};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use spytui_engine::{
    io::format_files::{FormatFiles, FormatPaths, FormatSet},
    open::Registry,
    unreadable,
};

use crate::app_log::{self, Level};

/// Time between two looks at the files.
const LOOK: Duration = Duration::from_millis(300);

/// Time that an editor gets to write a file which it empties or removes first.
const WRITING: Duration = Duration::from_millis(100);

/// Watches format files on a thread of its own, because a slow file system must not stop the screen.
pub(super) struct FormatWatch {
    changes: Receiver<FormatSet>,
    named: Sender<PathBuf>,
}

impl FormatWatch {
    /// Watches files that were read; `None` without a thread. `wake` gets a message when they changed.
    pub(super) fn start(mut files: FormatFiles, wake: Sender<()>) -> Option<FormatWatch> {
        let (send, changes) = bounded(1);
        let (named, names) = unbounded();
        let watch = move || {
            loop {
                match names.recv_timeout(LOOK) {
                    Ok(path) => files.add(path),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if files.have_changed() {
                    thread::sleep(WRITING);
                    // Nobody takes it any more when the program ends.
                    if send.send(files.read()).is_err() {
                        return;
                    }
                    let _ = wake.try_send(());
                }
            }
        };
        thread::Builder::new().name("formats".into()).spawn(watch).ok()?;
        Some(FormatWatch { changes, named })
    }

    /// Reads a file or folder, too.
    ///
    /// # Errors
    /// It can't be read; in words.
    pub(super) fn add(&self, path: PathBuf) -> Result<(), String> {
        let files = FormatFiles::new(FormatPaths { named: vec![path.clone()], ..FormatPaths::default() });
        if let Some((path, error)) = files.unreadable() {
            return Err(unreadable(&path, &error));
        }
        // Without the thread the program is about to end.
        let _ = self.named.send(path);
        Ok(())
    }

    /// What the files say, if they changed.
    pub(super) fn changed(&self) -> Option<Arc<FormatSet>> {
        self.changes.try_recv().ok().map(Arc::new)
    }
}

/// Reads a file or folder; an error says its first wrong line, the log has them all. Lines are for these decoders.
pub(super) fn check(path: PathBuf, registry: &Registry) -> Result<String, String> {
    let mut files = FormatFiles::new(FormatPaths { named: vec![path], ..FormatPaths::default() });
    if let Some((path, error)) = files.unreadable() {
        return Err(unreadable(&path, &error));
    }
    let mut set = files.read();
    set.refuse_unknown(&registry.protocols());
    for fault in set.faults.iter().skip(1) {
        app_log::note(Level::Warning, "formats", fault);
    }
    match set.faults.first() {
        Some(fault) => Err(fault.clone()),
        None => Ok(set.files.iter().map(ToString::to_string).collect::<Vec<_>>().join(" · ")),
    }
}
