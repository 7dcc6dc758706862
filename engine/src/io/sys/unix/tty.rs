//! Serial line features that the serial port library lacks.

use std::{io, path::Path};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
    termios::{InputModes, OptionalActions, tcgetattr, tcsetattr},
};

use super::handle::{AsHandle, OwnedHandle};

/// Opens a terminal device without blocking; fails with the error of `isatty` if it is none.
pub(crate) fn open_tty(path: &Path) -> io::Result<OwnedHandle> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let tty = rustix::fs::open(path, flags, Mode::empty())?;
    if rustix::termios::isatty(&tty) { Ok(tty) } else { Err(Errno::NOTTY.into()) }
}

/// Passes on the bytes that the kernel has already received, then enables marking of errors and breaks (PARMRK).
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
