//! `target advise`: prints the filter with which the trace fits its link.

use std::time::{Duration, Instant};

use spytui_engine::device::advise::{Advice, Question, advise};

use super::{
    problem::{Problem, Stopped},
    target::Side,
};
use crate::cli::failure;

/// How long it takes at most until there is something to measure: a target names everything first.
const MEASURED: Duration = Duration::from_secs(8);

/// Prints the advice; the line that it is, if there is one.
///
/// # Errors
/// Nothing can be advised, or `pause` wants to stop.
pub(super) fn run(
    side: &Side,
    rate: Option<u64>,
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<Option<String>, Stopped> {
    let begun = Instant::now();
    loop {
        match advice(side, rate) {
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

fn advice(side: &Side, rate: Option<u64>) -> Advice {
    let decoding = side.session.current();
    let state = decoding.read();
    advise(&Question {
        info: &decoding.decoder.info,
        dictionary: &state.dictionary,
        known: &side.control.status().filter,
        window: &side.traffic.borrow().busiest(),
        capacity: rate.or(side.line_rate),
    })
}
