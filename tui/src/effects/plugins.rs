//! Loads and reloads plugin and format files. New builds are searched on a separate thread, because a slow file system
//! must not stop the screen.

use std::{collections::HashMap, path::PathBuf, sync::Arc, thread, time::Duration};

use crossbeam_channel::{Receiver, Sender, after, bounded, select, unbounded};
use spytui_engine::{io::watch, open::Registry};

use crate::{
    app_log::{self, LogLevel},
    cli::formats,
    model::{Message, Model},
};

pub(super) fn load(model: &Model, path: PathBuf) -> Message {
    let mut registry = Registry::clone(&model.links.registry);
    if let Err(error) = registry.load(&path) {
        return Message::Refused(error.to_string());
    }
    let id = model.list.decoding().decoder.info.id.to_string();
    let mut newest = registry.clone();
    // A built-in decoder can't be reloaded.
    if newest.reload(&id).is_ok() {
        registry = newest;
    }
    Message::Registry { registry: Arc::new(registry), loaded: Some(path), id }
}

/// Reloads the file of a decoder or formatter, or the files of all plugins.
pub(super) fn reload(model: &Model, name: Option<String>) -> Message {
    let mut registry = Registry::clone(&model.links.registry);
    let files = registry.files();
    let answer = match &name {
        Some(name) => registry.reload(name),
        None if files.is_empty() => Err("no plugin is loaded".to_owned()),
        None => files.iter().try_for_each(|path| registry.load(path).map_err(|error| error.to_string())),
    };
    let id = name.unwrap_or_else(|| "plugins".to_owned());
    match answer {
        Ok(()) => Message::Registry { registry: Arc::new(registry), loaded: None, id },
        Err(error) => Message::Refused(error),
    }
}

/// Interval of looks at a file that is being written, or missing.
const LOOK: Duration = Duration::from_millis(500);

pub(super) struct PluginWatch {
    /// The registry whose files are watched.
    registry: Option<Arc<Registry>>,
    named: Sender<Vec<PathBuf>>,
    pub(super) changes: Receiver<PathBuf>,
}

impl PluginWatch {
    /// `None` without a thread. `wake` is notified when a file changed.
    pub(super) fn start(wake: Sender<()>) -> Option<PluginWatch> {
        let (send, changes) = bounded(8);
        let (named, names) = unbounded();
        let watch = move || {
            let mut seen = Seen::default();
            loop {
                let watch = watch::FileWatch::new(seen.0.keys().map(PathBuf::as_path));
                let is_known = seen.0.iter().all(|(path, look)| watch::stamp(path) == look.known);
                let next = if is_known { watch.changed.clone() } else { after(LOOK) };
                select! {
                    recv(names) -> files => match files {
                        Ok(files) => seen.watch(files),
                        // The other end is gone when the program ends.
                        Err(_) => return,
                    },
                    recv(next) -> _ => for path in seen.changed() {
                        if send.send(path).is_err() {
                            return;
                        }
                        let _ = wake.try_send(());
                    }
                }
            }
        };
        thread::Builder::new().name("plugins".into()).spawn(watch).ok()?;
        Some(PluginWatch { registry: None, named, changes })
    }

    /// Watches the files of a registry from now on.
    pub(super) fn set(&mut self, registry: &Arc<Registry>) {
        if self.registry.as_ref().is_some_and(|known| Arc::ptr_eq(known, registry)) {
            return;
        }
        self.registry = Some(registry.clone());
        // Without the thread, the program is about to end.
        let _ = self.named.send(registry.files());
    }
}

#[derive(Default)]
struct Seen(HashMap<PathBuf, Look>);

/// Stamps; `None` if missing, as during a build.
struct Look {
    /// Loaded or reported.
    known: watch::FileStamp,
    last: watch::FileStamp,
}

impl Seen {
    /// Watches these files only, starting with their state when first named: they have just been loaded.
    fn watch(&mut self, files: Vec<PathBuf>) {
        self.0.retain(|path, _| files.contains(path));
        for path in files {
            let loaded = watch::stamp(&path);
            self.0.entry(path).or_insert(Look { known: loaded, last: loaded });
        }
    }

    /// Files that changed, but not since the previous check: a linker has finished them.
    fn changed(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (path, look) in &mut self.0 {
            let now = watch::stamp(path);
            if now.is_some() && now != look.known && now == look.last {
                look.known = now;
                changed.push(path.clone());
            }
            look.last = now;
        }
        changed
    }
}

/// Reads a file or folder for these decoders; an error is its first faulty line, the log gets all.
pub(super) fn check(path: PathBuf, registry: &Registry) -> Result<String, String> {
    let mut set = formats::named(vec![path])?.read();
    set.refuse_unknown(&registry.protocols());
    for fault in set.faults.iter().skip(1) {
        app_log::note(LogLevel::Warning, "formats", fault);
    }
    match set.faults.first() {
        Some(fault) => Err(fault.clone()),
        None => Ok(set.files.iter().map(ToString::to_string).collect::<Vec<_>>().join(" · ")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_is_replaced_or_comes_back_is_reported() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("lib.so");
        fs::write(&path, "old").expect("written");
        let watch = PluginWatch::start(bounded(1).0).expect("a thread");
        watch.named.send(vec![path.clone()]).expect("watched");
        // The first ones may be there before the thread knows the file that was loaded.
        let replaced = (1..6).find_map(|len| {
            let new = folder.path().join("new.so");
            fs::write(&new, vec![b'n'; len]).expect("written");
            fs::rename(&new, &path).expect("renamed");
            watch.changes.recv_timeout(4 * LOOK).ok()
        });
        assert_eq!(replaced.as_ref(), Some(&path));
        fs::remove_file(&path).expect("removed");
        fs::write(&path, "back again").expect("written");
        assert_eq!(watch.changes.recv_timeout(Duration::from_secs(10)).ok(), Some(path));
    }

    #[test]
    fn a_file_is_reported_once_when_it_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("lib.so");
        let mut seen = Seen::default();
        let mut looks = |text: Option<&str>| {
            text.into_iter().for_each(|text| fs::write(&path, text).expect("written"));
            seen.watch(vec![path.clone()]);
            seen.changed().len()
        };
        assert_eq!([looks(Some("old")), looks(None), looks(None)], [0, 0, 0]);
        assert_eq!([looks(Some("half")), looks(Some("half new")), looks(None), looks(None)], [0, 0, 1, 0]);
    }
}
