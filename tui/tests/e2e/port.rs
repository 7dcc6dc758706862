//! A serial port without hardware: the far end of a pseudo-terminal, under a path that can disappear and return.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A port at `path`; dropping it unplugs it. Send only after the program has opened it, which makes the line raw.
pub struct Port {
    far: File,
    path: PathBuf,
}

impl Port {
    /// Plugs a port in.
    pub fn plug(path: &Path) -> Port {
        let far = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&far).unwrap();
        unlockpt(&far).unwrap();
        let name = ptsname(&far, Vec::new()).unwrap().into_string().unwrap();
        ioctl_fionbio(&far, true).unwrap();
        let _ = std::fs::remove_file(path);
        std::os::unix::fs::symlink(&name, path).unwrap();
        Port { far: File::from(far), path: path.into() }
    }

    /// The target sends, as long as somebody reads.
    pub fn send(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            self.is_ready(PollFlags::OUT, &format!("{} bytes were not read", bytes.len()));
            match self.far.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
    }

    fn is_ready(&self, what: PollFlags, otherwise: &str) {
        let patience = Timespec { tv_sec: 30, tv_nsec: 0 };
        assert_eq!(poll(&mut [PollFd::new(&self.far, what)], Some(&patience)).unwrap(), 1, "{otherwise}");
    }

    /// The target receives this many bytes.
    pub fn receives(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let mut have = 0;
        while have < count {
            self.is_ready(PollFlags::IN, &format!("only {have} of {count} bytes came"));
            have += self.far.read(&mut bytes[have..]).unwrap();
        }
        bytes
    }

    /// The target sends with a pause between pieces.
    pub fn send_slowly(&mut self, bytes: &[u8], piece: usize, pause: std::time::Duration) {
        for piece in bytes.chunks(piece) {
            self.send(piece);
            std::thread::sleep(pause);
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
