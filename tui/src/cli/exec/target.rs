//! Sends a command to the target and waits for its end.

use std::time::Instant;

use spytui_engine::{
    command::{CommandError, find},
    control::{Control, NAMES_TIME, SendError},
    session::Session,
};

use super::problem::{Problem, Stopped};

/// Runs `line` (without `target`) to its end. `pause` is called while waiting.
///
/// # Errors
/// It was refused, timed out or failed, or `pause` wants to stop. Columns are those of `line`.
pub(super) fn run(
    (control, session): (&Control, &Session),
    (line, origin): (&str, &str),
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let started = Instant::now();
    loop {
        match control.preview(line) {
            Ok(preview) if preview.confirm => return Err(confirmation(session, line).into()),
            Ok(_) => break,
            // Targets tell their names soon after they start.
            Err(error) if error.is_unknown_name && started.elapsed() < NAMES_TIME => pause()?,
            Err(error) => return Err(wrong(error).into()),
        }
    }
    let number = control.send(line, origin).map_err(|error| match error {
        SendError::Line(error) => wrong(error),
        SendError::Link(why) => Problem::of_run(why),
    })?;
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

fn wrong(error: CommandError) -> Problem {
    Problem::at(error.column, error.message)
}

/// What stands for the second Enter.
fn confirmation(session: &Session, line: &str) -> Problem {
    let decoding = session.current();
    let words: Vec<&str> = line.split_whitespace().collect();
    let name = find(&decoding.decoder.info.commands, &words).map_or("", |(command, _)| command.name.as_str());
    Problem::at(0, format!("{name} is sent only after a second Enter: in a script write {name}!"))
}
