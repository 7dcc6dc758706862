//! `findings`: prints what an expert would spot in what has come so far.

use spytui_engine::{
    export::{findings::NamedFindings, table::Report},
    trace::list::{FindingWalk, RowList, Walking},
};

use super::{
    problem::{Problem, Stopped},
    target::Side,
};
use crate::cli::failure;

/// Prints the findings of a link. `pause` is called while what has come is decoded, `go_on` while it is looked through.
///
/// # Errors
/// The records can't be read again, or `pause` or `go_on` wants to stop.
pub(super) fn run(
    side: &Side,
    mut pause: impl FnMut() -> Result<(), Stopped>,
    go_on: impl Fn() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    side.decoded(&mut pause)?;
    let list = RowList::new(vec![side.session.current()]);
    let mut walk = FindingWalk::new(&list);
    while walk.work(&list) {
        go_on()?;
    }
    if let Some(failure) = walk.failure() {
        return Err(Problem::of_run(failure).into());
    }
    failure::say_words(&NamedFindings::of(walk.findings(&list, false), false).text());
    Ok(())
}
