//! Serial lines, beyond what the serial port library does.

use std::{io, path::Path};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
    termios::{InputModes, OptionalActions, tcgetattr, tcsetattr},
};

use super::handle::{AsHandle, OwnedHandle};

/// Opens a terminal device without waiting; the error of one that is none is that of `isatty`.
pub(crate) fn open_tty(path: &Path) -> io::Result<OwnedHandle> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let tty = rustix::fs::open(path, flags, Mode::empty())?;
    if rustix::termios::isatty(&tty) { Ok(tty) } else { Err(Errno::NOTTY.into()) }
}

/// Hands over what the kernel has received already, as plain bytes, then lets it mark errors and breaks in the stream.
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

/// The rate that the driver has set, bits per second.
pub(crate) fn output_rate(tty: impl AsHandle) -> Option<u32> {
    tcgetattr(tty).ok().map(|settings| settings.output_speed()).filter(|rate| *rate > 0)
}
