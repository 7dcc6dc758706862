//! Finished recordings of a target move from the folder in which they are made into one from which others take them.
//!
//! The recorder locks the `.bin` that it writes, so one without a lock is finished, also after a kill or a reboot. The
//! `.meta` goes first: who sees a `.bin` there has all of both. Each file appears whole, and none is overwritten.

use std::{
    ffi::OsStr,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::meta::meta_path;
use crate::{
    io::sys::{identity, ordinary_permissions},
    unreadable, unwritable,
};

#[derive(Debug, Default)]
pub struct Delivery {
    pub from: PathBuf,
    /// Name of the target, with which the names of its recordings begin.
    pub name: String,
    pub to: PathBuf,
    /// Bytes of delivered recordings beyond which the oldest are deleted.
    pub keep: Option<u64>,
    /// Recordings delivered so far.
    pub moved: u64,
    pub deleted: u64,
}

impl Delivery {
    /// Moves all finished recordings, the oldest first, and deletes what is too much. Errors: why one stays, and the next
    /// step; a later call tries again.
    pub fn run(&mut self) -> Result<(), String> {
        let (from, to) = (self.from.display(), self.to.display());
        let missing = |error| format!("{to}: {error}; until it is there, recordings stay in {from}");
        let there = self.to.metadata().map_err(missing)?;
        if self.from.metadata().is_ok_and(|from| identity(&from) == identity(&there)) {
            return Err(format!("{to}: recordings are made there; deliver to another folder"));
        }
        let list = files(&self.from, |name| self.is_own(name)).map_err(|error| unreadable(&self.from, &error))?;
        let mut result = Ok(());
        for bin in list {
            if let Err(error) = self.deliver(&bin) {
                let why = match error.kind() {
                    io::ErrorKind::StorageFull => format!("{} is full; make room", self.to.display()),
                    _ => unwritable(&self.place_of(&bin), &error),
                };
                result = result.and(Err(format!("not delivered, the next file tries again: {why}")));
                // Others would fail alike, and copying takes time.
                if error.kind() != io::ErrorKind::Other {
                    break;
                }
            }
        }
        result.and(self.limit().map_err(|error| unreadable(&self.to, &error)))
    }

    fn deliver(&mut self, bin: &Path) -> io::Result<()> {
        let meta = meta_path(bin);
        let Some(lock) = locked(bin)? else { return Ok(()) };
        match (lock.metadata()?.len(), meta.try_exists()?) {
            // It is just being created.
            (0, false) => return Ok(()),
            (0, true) => return fs::remove_file(bin).and_then(|()| fs::remove_file(meta)),
            (_, has_meta) => {
                // Otherwise the `.meta` would go beside another recording.
                self.is_there(bin)?;
                if has_meta {
                    self.place(&meta)?;
                }
            }
        }
        self.place(bin)?;
        self.moved += 1;
        Ok(())
    }

    fn place_of(&self, path: &Path) -> PathBuf {
        self.to.join(path.file_name().unwrap_or_default())
    }

    /// Whether a run copied the file, and was killed before it removed it here.
    fn is_there(&self, path: &Path) -> io::Result<bool> {
        let Ok(there) = self.place_of(path).symlink_metadata() else { return Ok(false) };
        let here = path.metadata()?;
        match there.len() == here.len() && there.modified()? == here.modified()? {
            true => Ok(true),
            false => Err(io::Error::other("another recording has this name; rename it")),
        }
    }

    fn place(&self, path: &Path) -> io::Result<()> {
        if self.is_there(path)? {
            return fs::remove_file(path);
        }
        let mut source = File::open(path)?;
        source.sync_all()?;
        let mut whole = TempPath::try_from_path(path)?;
        whole.disable_cleanup(true);
        match whole.persist_noclobber(self.place_of(path)).map_err(|error| error.error) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                self.copy(&mut source, &self.place_of(path))?;
                fs::remove_file(path)
            }
            renamed => renamed,
        }
    }

    fn copy(&self, source: &mut File, to: &Path) -> io::Result<()> {
        let hidden = format!(".spytui-{}-", self.name);
        // Copies that a killed run left.
        for path in files(&self.to, |name| name.to_string_lossy().starts_with(&hidden))? {
            if let Ok(Some(_lock)) = locked(&path) {
                fs::remove_file(&path)?;
            }
        }
        let mut copy = tempfile::Builder::new();
        let mut copy = copy.prefix(&hidden).permissions(ordinary_permissions()).tempfile_in(&self.to)?;
        // Network file systems may have neither locks nor times nor folders to sync.
        let _ = copy.as_file().try_lock();
        io::copy(source, copy.as_file_mut())?;
        let _ = copy.as_file().set_modified(source.metadata()?.modified()?);
        copy.as_file().sync_all()?;
        copy.persist_noclobber(to).map_err(|error| error.error)?;
        let _ = File::open(&self.to).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Whether a file is `NAME-20261122-022343-127….bin`.
    fn is_own(&self, name: &OsStr) -> bool {
        let rest = name.to_str().and_then(|name| name.strip_suffix(".bin")?.strip_prefix(&self.name));
        let fits = |(byte, like): (u8, u8)| if like == b'0' { byte.is_ascii_digit() } else { byte == like };
        let time = "-00000000-000000-000";
        rest.is_some_and(|rest| rest.len() >= time.len() && rest.bytes().zip(time.bytes()).all(fits))
    }

    /// Deletes the oldest delivered recordings if there are too many bytes; the newest one stays.
    fn limit(&mut self) -> io::Result<()> {
        let Some(keep) = self.keep else { return Ok(()) };
        let len = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
        let list = files(&self.to, |name| self.is_own(name))?;
        let sizes: Vec<u64> = list.iter().map(|bin| len(bin) + len(&meta_path(bin))).collect();
        let mut sum: u64 = sizes.iter().sum();
        for (bin, size) in list.iter().zip(sizes).rev().skip(1).rev() {
            if sum <= keep {
                break;
            }
            fs::remove_file(bin).or_else(unless_missing)?;
            fs::remove_file(meta_path(bin)).or_else(unless_missing)?;
            sum -= size;
            self.deleted += 1;
        }
        Ok(())
    }
}

/// Others may have taken it away.
fn unless_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// The files of a folder whose name fits, the oldest first; of one moment, `NAME.bin` before `NAME.2.bin`.
fn files(folder: &Path, fits: impl Fn(&OsStr) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if fits(&entry.file_name()) && entry.file_type()?.is_file() {
            let time = entry.metadata().and_then(|meta| meta.modified());
            found.extend(time.map(|time| (time, entry.file_name().len(), entry.path())));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(.., path)| path).collect())
}

/// The file with its lock; `None` if it is being written, or gone.
fn locked(path: &Path) -> io::Result<Option<File>> {
    // Network file systems lock only files that are open for writing.
    let file = match File::options().write(true).open(path) {
        Err(error) => return unless_missing(error).map(|()| None),
        Ok(file) => file,
    };
    match file.try_lock() {
        Ok(()) => Ok(path.exists().then_some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
