//! Regular files, read in place; with `follow`, also as they grow, and on after they were cut or replaced.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{
    file_sample::FileSample,
    opened_file::{FileChange, NameState, OpenedFile, cut, name_state},
    shared::Shared,
    state::LinkState,
};
use crate::{
    io::log::{RawLog, host_now, kind},
    io::sys::{FileWatch, Interest},
};

/// Poll interval of a growing file without change notification (network file systems).
const LOOK: Duration = Duration::from_millis(500);
/// The same for a file that is only watched.
const WATCH_LOOK: Duration = Duration::from_secs(1);

/// Waits for a change of the file, for some time; `false` if the link is being stopped.
fn wait(shared: &Shared, watch: Option<&FileWatch>, time: Duration) -> Result<bool, LinkState> {
    let watched: Vec<_> = watch.map(|watch| (watch.handle(), Interest::Read)).into_iter().collect();
    let ready = shared.wait(&watched, Some(time), |_| {}).map_err(|error| LinkState::Failed(error.to_string()))?;
    if let (Some(true), Some(watch)) = (ready.first(), watch) {
        watch.drain();
    }
    Ok(!shared.stopping())
}

/// Follows a file until the link is stopped: as it grows, from its start again after it was cut or overwritten, and in
/// the next file of its name after it was replaced. With `once`, only as it grows.
pub(super) fn follow(shared: &Shared, log: &Arc<RawLog>) {
    let Some((path, (file, start))) = log.file_path().map(Path::to_path_buf).zip(log.file()) else { return };
    let mut follower =
        Follower { shared, log, path: &path, watch: FileWatch::new(&path), file, start, tail: None, missing: false };
    shared.flows();
    follower.tail = FileSample::of_end(&follower.file, log.len());
    let end = follower.run();
    log.end(host_now());
    shared.set_state(end);
}

struct Follower<'a> {
    shared: &'a Shared,
    log: &'a RawLog,
    path: &'a Path,
    watch: Option<FileWatch>,
    file: Arc<File>,
    /// Position in the log of the first byte of the file.
    start: u64,
    /// The last bytes of the file that are in the log.
    tail: Option<FileSample>,
    /// The file has no name any more.
    missing: bool,
}

impl Follower<'_> {
    fn run(&mut self) -> LinkState {
        loop {
            let look = self.grow().and_then(|()| self.follow_name());
            let go_on = look.and_then(|()| wait(self.shared, self.watch.as_ref(), LOOK));
            match go_on {
                Ok(true) => {}
                Ok(false) => return LinkState::Ended,
                Err(end) => return end,
            }
        }
    }

    /// Takes what the file has more than the log.
    fn grow(&mut self) -> Result<(), LinkState> {
        let len = self.file.metadata().map_err(|error| LinkState::Failed(error.to_string()))?.len();
        let had = self.log.len() - self.start;
        let name = self.path.display();
        if len < had {
            return self.begin_anew(&format!("{name} was {} while it was followed", cut(had, len)));
        }
        if self.tail.as_ref().is_some_and(|tail| !tail.is_in(&self.file)) {
            return self.begin_anew(&format!("{name} was overwritten while it was followed"));
        }
        if len > had {
            self.shared.grown(self.log, self.start + len);
            self.tail = FileSample::of_end(&self.file, len);
        }
        Ok(())
    }

    /// What was read is lost with the file's old contents; the log goes on with the new ones.
    fn begin_anew(&mut self, why: &str) -> Result<(), LinkState> {
        self.log.give_up_file();
        if self.shared.options.once {
            return Err(LinkState::Failed(format!("{why}; open it again.")));
        }
        self.go_on_in(self.file.clone(), why);
        Ok(())
    }

    /// The next file of this name, if there is one.
    fn follow_name(&mut self) -> Result<(), LinkState> {
        let name = self.path.display();
        match name_state(self.path, &self.file) {
            NameState::Same => self.missing = false,
            NameState::Missing if !self.missing => {
                self.missing = true;
                self.shared.note(format!("{name} was removed or renamed. Waiting for the next one of that name."));
            }
            NameState::Missing => {}
            NameState::Other if self.shared.options.once => return Err(LinkState::Ended),
            NameState::Other => {
                // What can't be opened yet is tried again.
                if let Ok(file) = File::open(self.path) {
                    self.go_on_in(Arc::new(file), &format!("{name} was replaced by another file"));
                    self.watch = FileWatch::new(self.path);
                    self.missing = false;
                }
            }
        }
        Ok(())
    }

    fn go_on_in(&mut self, file: Arc<File>, why: &str) {
        let now = host_now();
        self.log.add_event(kind::LINK_DOWN, 0, why.as_bytes(), now);
        self.log.go_on_in(file.clone());
        self.log.add_event(kind::LINK_UP, 0, format!("{} from its start", self.path.display()).as_bytes(), now);
        self.shared.note(format!("{why}; going on from its start."));
        self.start = self.log.len();
        self.file = file;
        self.tail = None;
    }
}

/// Watches a file that is looked at, but not followed. What was read of it is no longer trusted if it changes.
pub(super) fn watch(shared: &Shared, log: &Arc<RawLog>) {
    let Some((path, mut opened)) = log.file_path().zip(OpenedFile::of(log)) else { return };
    let (watch, name) = (FileWatch::new(path), path.display());
    let mut known = NameState::Same;
    let again = format!(":open {name} reads it again.");
    while let Ok(true) = wait(shared, watch.as_ref(), WATCH_LOOK) {
        match opened.change() {
            Some(FileChange::Bytes(what)) => {
                let text = format!("{name} was {what} while it was shown: its rows can't be trusted any more. {again}");
                shared.note(text.clone());
                shared.set_state(LinkState::Changed(text));
                log.give_up_file();
                return;
            }
            Some(FileChange::Written) => {
                shared.note(format!("{name} was written to while it was shown: its rows may be wrong. {again}"));
                log.wake();
            }
            None => {}
        }
        let now = opened.name_state();
        if now != known && now != NameState::Same {
            let fate = if now == NameState::Other { "replaced by another file" } else { "removed or renamed" };
            let next =
                if now == NameState::Other { format!(" :open {name} opens the new one.") } else { String::new() };
            shared.note(format!("{name} was {fate}; the rows shown are those of the former one.{next}"));
            log.wake();
        }
        known = now;
    }
}
