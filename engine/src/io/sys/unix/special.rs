//! File types, fifos, owners of files.

use std::{
    ffi::OsStr,
    fs::{File, Metadata, Permissions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::Path,
};

use rustix::fs::OFlags;

use super::handle::AsHandle;

/// Type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A regular file.
    Regular,
    Folder,
    Fifo,
    Device,
    /// A socket, or something else.
    Other,
}

/// The type of a file.
pub(crate) fn kind_of(meta: &Metadata) -> FileKind {
    let kind = meta.file_type();
    if kind.is_file() {
        FileKind::Regular
    } else if kind.is_dir() {
        FileKind::Folder
    } else if kind.is_fifo() {
        FileKind::Fifo
    } else if kind.is_char_device() || kind.is_block_device() {
        FileKind::Device
    } else {
        FileKind::Other
    }
}

/// Opens a fifo without waiting for a writer.
pub(crate) fn open_fifo(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    File::options().read(true).custom_flags(flags).open(path)
}

/// A name without so many bytes at its end.
pub(crate) fn without_end(name: &OsStr, bytes: usize) -> &OsStr {
    let all = name.as_bytes();
    OsStr::from_bytes(&all[..all.len().saturating_sub(bytes)])
}

/// Default permissions of a new file, before the umask.
pub(crate) fn ordinary_permissions() -> Permissions {
    Permissions::from_mode(0o666)
}

/// Ownership and permissions of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ownership {
    /// Group id.
    pub(crate) group: u32,
    /// Whether this process is a member of the group.
    pub(crate) is_in_group: bool,
    /// Permission bits.
    pub(crate) mode: u32,
}

/// Ownership and permissions of a file.
pub(crate) fn ownership(meta: &Metadata) -> Ownership {
    let group = meta.gid();
    let mine = rustix::process::getgroups().unwrap_or_default();
    let is_in_group = mine.iter().any(|g| g.as_raw() == group) || rustix::process::getegid().as_raw() == group;
    Ownership { group, is_in_group, mode: meta.mode() }
}

/// Whether this process may read and write a file. It is not opened: that changes the lines of a serial port.
pub(crate) fn may_open(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Why a file or folder must not be obeyed: somebody else may have written it. `None` if it can be trusted, or is not
/// there. That of a link is what it leads to.
pub fn distrust(path: &Path) -> Option<&'static str> {
    distrust_of(&path.metadata().ok()?)
}

/// The same of an open file.
pub(crate) fn distrust_of(meta: &Metadata) -> Option<&'static str> {
    let owner = meta.uid();
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Some("it belongs neither to you nor to root");
    }
    (meta.mode() & 0o002 != 0).then_some("everybody may write to it; chmod o-w changes that")
}

/// What identifies a file among all others on this machine.
pub(crate) fn identity(meta: &Metadata) -> (u64, u64) {
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
