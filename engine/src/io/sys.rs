//! Everything specific to the operating system, which is Unix: handles, terminals, special files, classes of system errors,
//! and file change notification.

mod crash;

use std::{
    ffi::OsStr,
    fs::{File, Metadata, Permissions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::Path,
    time::Duration,
};

use rustix::{
    event::{PollFd, Timespec, poll},
    fs::{Mode, OFlags},
    termios::{InputModes, OptionalActions, tcgetattr, tcsetattr},
};

pub(crate) use crash::on_crash;
pub(crate) use rustix::{event::PollFlags, io::Errno, stdio::stdin};
pub(crate) use std::os::{
    fd::{AsFd as AsHandle, BorrowedFd as Handle, OwnedFd as OwnedHandle},
    unix::{
        fs::{FileExt as PositionedIo, FileTypeExt},
        net::{UnixListener as LocalListener, UnixStream as LocalStream},
    },
};

pub(crate) fn read(from: impl AsHandle, out: &mut [u8]) -> io::Result<usize> {
    rustix::io::read(from, out).map_err(io::Error::from)
}

pub(crate) fn write(to: impl AsHandle, bytes: &[u8]) -> io::Result<usize> {
    rustix::io::write(to, bytes).map_err(io::Error::from)
}

/// Waits until one of `handles` is ready or hung up, or the time is over; returns which are.
pub(crate) fn wait_any(handles: &[(Handle<'_>, PollFlags)], limit: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> =
        handles.iter().map(|(handle, flags)| PollFd::from_borrowed_fd(*handle, *flags)).collect();
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    match poll(&mut polled, limit.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(error) => Err(error.into()),
    }
}

/// Opens a fifo without waiting for a writer.
pub(crate) fn open_fifo(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    File::options().read(true).custom_flags(flags).open(path)
}

/// A name without its last `bytes` bytes.
pub(crate) fn without_end(name: &OsStr, bytes: usize) -> &OsStr {
    let all = name.as_bytes();
    OsStr::from_bytes(&all[..all.len().saturating_sub(bytes)])
}

/// Default permissions of a new file, before the umask.
pub(crate) fn ordinary_permissions() -> Permissions {
    Permissions::from_mode(0o666)
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Ownership {
    pub(crate) group: u32,
    /// Whether this process is a member of the group.
    pub(crate) is_in_group: bool,
    pub(crate) mode: u32,
}

pub(crate) fn ownership(meta: &Metadata) -> Ownership {
    let group = meta.gid();
    let mine = rustix::process::getgroups().unwrap_or_default();
    let is_in_group = mine.iter().any(|g| g.as_raw() == group) || rustix::process::getegid().as_raw() == group;
    Ownership { group, is_in_group, mode: meta.mode() }
}

/// Whether this process may read and write a file. Does not open it, as that changes the lines of a serial port.
pub(crate) fn may_open(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Why the file or folder that `path` leads to can't be trusted: somebody else may have written it. `None` if missing.
pub fn distrust(path: &Path) -> Option<&'static str> {
    distrust_of(&path.metadata().ok()?)
}

/// [`distrust`] for an open file.
pub(crate) fn distrust_of(meta: &Metadata) -> Option<&'static str> {
    let owner = meta.uid();
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Some("it belongs neither to you nor to root");
    }
    (meta.mode() & 0o002 != 0).then_some("everybody may write to it; chmod o-w changes that")
}

/// Device and number of a file: all names of one file have the same.
pub fn identity(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

/// Inode number of an open file, as in the system's tables.
pub(crate) fn inode(of: impl AsHandle) -> Option<u64> {
    rustix::fs::fstat(of).ok().map(|stat| stat.st_ino)
}

/// Space that this user may still fill on the disk of an open file.
pub(crate) fn free_space(of: impl AsHandle) -> Option<u64> {
    rustix::fs::fstatvfs(of).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Opens a terminal device without blocking; fails with the error of `isatty` if it is not a terminal.
pub(crate) fn open_tty(path: &Path) -> io::Result<OwnedHandle> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let tty = rustix::fs::open(path, flags, Mode::empty())?;
    if rustix::termios::isatty(&tty) { Ok(tty) } else { Err(Errno::NOTTY.into()) }
}

/// Passes on bytes already received by the kernel, then enables marking of errors and breaks (PARMRK).
pub(crate) fn read_pending_and_mark_errors(tty: &OwnedHandle, mut early: impl FnMut(&[u8])) -> io::Result<()> {
    let mut settings = tcgetattr(tty)?;
    settings.input_modes.remove(InputModes::IGNPAR | InputModes::IGNBRK | InputModes::BRKINT);
    settings.input_modes.insert(InputModes::INPCK | InputModes::PARMRK);
    let mut piece = [0; 4096];
    loop {
        match rustix::io::read(tty, &mut piece) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(n) => early(piece.get(..n).unwrap_or_default()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    tcsetattr(tty, OptionalActions::Now, &settings)?;
    Ok(())
}

/// The actual rate, bits per second.
pub(crate) fn output_rate(tty: impl AsHandle) -> Option<u32> {
    tcgetattr(tty).ok().map(|settings| settings.output_speed()).filter(|rate| *rate > 0)
}

/// Becomes readable when files or folders change, appear or vanish. Of what is missing, the nearest folder is watched.
/// `None` where the system does not report all changes.
#[cfg(target_os = "linux")]
pub(crate) fn changes<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Option<OwnedHandle> {
    use rustix::fs::inotify::{CreateFlags, WatchFlags as Flags, add_watch, init};
    let names = Flags::CREATE | Flags::DELETE | Flags::MOVE | Flags::MOVE_SELF | Flags::DELETE_SELF | Flags::MASK_ADD;
    let changes = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
    for path in paths {
        let path = std::path::absolute(path).ok()?;
        let nearest = || path.ancestors().find(|path| path.symlink_metadata().is_ok());
        let there = nearest()?;
        // A file replaced by a rename loses its name, which is an attribute change.
        let all = if there == path { names | Flags::MODIFY | Flags::ATTRIB } else { names };
        // The watch of a symbolic link is one of what it leads to.
        let folder = there.parent().filter(|_| there.is_symlink());
        for (place, flags) in folder.map(|folder| (folder, names)).into_iter().chain([(there, all)]) {
            add_watch(&changes, place, flags).ok()?;
            let kind = rustix::fs::statfs(place).ok()?.f_type as u32;
            (!REMOTE.contains(&kind)).then_some(())?;
        }
        // Otherwise, it has just appeared.
        (nearest() == Some(there)).then_some(())?;
    }
    Some(changes)
}

/// File systems that others change unreported: NFS, SMB, CIFS, FUSE, 9P, Ceph, AFS, Lustre, VirtualBox.
#[cfg(target_os = "linux")]
const REMOTE: [u32; 10] =
    [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x1021997, 0xc36400, 0x5346414f, 0xbd00bd0, 0x786f4256];

#[cfg(not(target_os = "linux"))]
pub(crate) fn changes<'a>(_: impl IntoIterator<Item = &'a Path>) -> Option<OwnedHandle> {
    None
}
