//! `target advise`: prints the filter with which the trace fits its link; with `!`, sends it.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use spytui_engine::{
    advise::{Advice, Question, Traffic, advise},
    control::Control,
    session::Session,
};

use super::problem::{Problem, Stopped};
use crate::{
    cli::failure,
    model::advice::{ADVISE, asked},
};

/// How long it takes at most until there is something to measure: a target names everything first.
const MEASURED: Duration = Duration::from_secs(8);

/// What comes over the link.
#[derive(Debug, Default)]
pub(super) struct Measuring {
    traffic: RefCell<Traffic>,
    /// Bytes a second that the link carries, if that is known.
    line_rate: Option<u64>,
}

impl Measuring {
    /// Of a link that carries so many bytes a second.
    pub(super) fn new(line_rate: Option<u64>) -> Measuring {
        Measuring { line_rate, ..Measuring::default() }
    }

    /// Samples what came; to be called often.
    pub(super) fn sample(&self, session: &Session) {
        self.traffic.borrow_mut().sample(Instant::now(), &session.current());
    }

    fn advice(&self, control: &Control, session: &Session, rate: Option<u64>) -> Advice {
        let decoding = session.current();
        let state = decoding.read();
        advise(&Question {
            info: &decoding.decoder.info,
            dictionary: &state.dictionary,
            known: &control.status().filter,
            window: &self.traffic.borrow().busiest(),
            capacity: rate.or(self.line_rate),
        })
    }
}

/// A line that asks for advice, without its `!`, and whether it has one; `None` for other lines.
pub(super) fn of_line(line: &str) -> Option<(String, bool)> {
    let first = line.split_whitespace().next()?;
    let rest = line.trim_start().strip_prefix(first)?;
    let name = first.strip_suffix('!').unwrap_or(first);
    (name == ADVISE).then(|| (format!("{name}{rest}"), name != first))
}

/// Prints the advice; the line that is to be sent, if `!` asks for that and there is one.
///
/// # Errors
/// The rate is wrong, nothing can be advised, or `pause` wants to stop.
pub(super) fn run(
    measuring: &Measuring,
    (control, session): (&Control, &Session),
    (line, sends): (&str, bool),
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<Option<String>, Stopped> {
    let rate = match asked(line) {
        Some(Err((column, message))) => return Err(Problem::at(column, message).into()),
        Some(Ok(rate)) => rate,
        None => None,
    };
    let begun = Instant::now();
    loop {
        match measuring.advice(control, session, rate) {
            Advice::Missing(_) if begun.elapsed() < MEASURED => pause()?,
            Advice::Missing(why) => return Err(Problem::of_run(&why).into()),
            Advice::Nothing(why) => {
                failure::say(&why);
                return Ok(None);
            }
            Advice::Filter(proposal) => {
                failure::say(&format!("target {}: {}", proposal.line(), proposal.text()));
                return Ok(sends.then(|| proposal.line()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_behind_the_word_sends_it() {
        assert_eq!(of_line("advise"), Some(("advise".to_owned(), false)));
        assert_eq!(of_line(" advise! 300"), Some(("advise 300".to_owned(), true)));
        assert_eq!((of_line("filter -SM"), of_line("")), (None, None));
    }
}
