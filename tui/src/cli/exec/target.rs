//! Sends a command to the target and waits for its end.

use std::{cell::RefCell, sync::Arc, time::Instant};

use spytui_engine::{
    device::{
        advise::Traffic,
        command::CommandError,
        control::{Control, NAMES_TIME, Prepared},
    },
    io::link::LinkSender,
    io::log::RawLog,
    trace::session::Session,
};

use super::problem::{Problem, Stopped};

/// A link with its target.
pub(super) struct Side {
    pub(super) log: Arc<RawLog>,
    pub(super) session: Session,
    pub(super) control: Control,
    pub(super) sender: Option<LinkSender>,
    /// What comes over the link.
    pub(super) traffic: RefCell<Traffic>,
    /// Bytes a second that the link carries, if that is known.
    pub(super) line_rate: Option<u64>,
}

impl Side {
    /// Position up to which the link has received; `None` of a file, which is all there, and of a link that has ended.
    pub(super) fn received(&self) -> Option<u64> {
        (!self.log.ended() && self.log.file_path().is_none()).then(|| self.log.len())
    }

    /// Waits until everything that has come is decoded. `pause` is called meanwhile.
    ///
    /// # Errors
    /// `pause` wants to stop.
    pub(super) fn decoded(&self, mut pause: impl FnMut() -> Result<(), Stopped>) -> Result<(), Stopped> {
        let come = self.log.len();
        while self.session.current().pos() < come && !self.session.current().ended() {
            pause()?;
        }
        Ok(())
    }
}

/// Reads a line by `read`. `pause` is called while names are waited for: targets send theirs soon after they start.
///
/// # Errors
/// The line is wrong, or `pause` wants to stop.
pub(super) fn when_named<T>(
    read: impl Fn() -> Result<T, CommandError>,
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<T, Stopped> {
    let started = Instant::now();
    loop {
        match read() {
            Err(error) if error.is_unknown_name && started.elapsed() < NAMES_TIME => pause()?,
            read => return read.map_err(|error| Problem::at(error.column, error.message).into()),
        }
    }
}

/// Runs a command to its end. `pause` is called while waiting.
///
/// # Errors
/// It was refused, timed out or failed, or `pause` wants to stop.
pub(super) fn run(
    control: &Control,
    (prepared, origin): (Prepared, &str),
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let command = &prepared.command;
    if command.confirm {
        // What stands for the second Enter.
        let how = format!("{0} is sent only after a second Enter: in a script write {0}!", command.name);
        return Err(Problem::at(0, how).into());
    }
    let number = control.send(prepared, origin).map_err(Problem::of_run)?;
    loop {
        let status = control.status();
        let state = status.commands.iter().find(|command| command.number == number).map(|command| &command.state);
        match state {
            Some(state) if state.is_done() => return Ok(()),
            Some(state) if state.is_over() => return Err(Problem::of_run(state.text()).into()),
            Some(_) => pause()?,
            None => return Err(Problem::of_run("nothing is known of it any more").into()),
        }
    }
}
