//! `target advise`: prints the filter with which the trace fits its link; with `!`, sends it.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use spytui_engine::{
    session::Session,
    target::{
        advise::{Advice, Question, Traffic, advise},
        control::Control,
    },
};

use super::problem::{Problem, Stopped};
use crate::cli::failure;

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

/// Prints the advice; the line that it is, if there is one.
///
/// # Errors
/// Nothing can be advised, or `pause` wants to stop.
pub(super) fn run(
    measuring: &Measuring,
    (control, session): (&Control, &Session),
    rate: Option<u64>,
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<Option<String>, Stopped> {
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
                return Ok(Some(proposal.line()));
            }
        }
    }
}
