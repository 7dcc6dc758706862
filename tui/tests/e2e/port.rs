//! A serial port without hardware: the far end of a pseudo-terminal, under a path that can go away and come back.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A port at `path`; dropping it unplugs it. Send only when the program has opened it: that makes the line raw.
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
        let _ = std::fs::remove_file(path);
        std::os::unix::fs::symlink(&name, path).unwrap();
        Port { far: File::from(far), path: path.into() }
    }

    /// The target sends.
    pub fn send(&mut self, bytes: &[u8]) {
        self.far.write_all(bytes).unwrap();
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
