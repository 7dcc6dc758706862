//! `statistics` and `findings`: prints to standard error, beside the rows, what is made of those that have come.

use spytui_engine::{
    export::{
        findings::NamedFindings,
        statistics::{Wanted, text},
        table::Report,
    },
    trace::list::{FindingWalk, RowList, StatisticsWalk, Walking},
};

use super::{
    problem::{Problem, Stopped},
    target::Side,
};
use crate::cli::failure;

/// Prints the figures of a link. `pause` is called while what has come is decoded, `go_on` while it is looked through.
///
/// # Errors
/// The rows can't be read, or `pause` or `go_on` wants to stop.
pub(super) fn statistics(
    side: &Side,
    wanted: &Wanted,
    pause: impl FnMut() -> Result<(), Stopped>,
    go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let (list, walk) = walked::<StatisticsWalk>(side, pause, go_on)?;
    let tables = wanted.tables(|measure, by| walk.table(&list, (measure, by), false));
    failure::say_words(&text(&tables, false));
    Ok(())
}

/// Prints what an expert would spot on a link; otherwise as [`statistics`].
///
/// # Errors
/// See [`statistics`].
pub(super) fn findings(
    side: &Side,
    pause: impl FnMut() -> Result<(), Stopped>,
    go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let (list, walk) = walked::<FindingWalk>(side, pause, go_on)?;
    failure::say_words(&NamedFindings::of(walk.findings(&list, false), false).text());
    Ok(())
}

/// Walks over the rows of a link; those that come meanwhile do not count.
fn walked<W: Walking>(
    side: &Side,
    mut pause: impl FnMut() -> Result<(), Stopped>,
    mut go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(RowList, W), Stopped> {
    side.decoded(&mut pause)?;
    let list = RowList::new(vec![side.session.current()]);
    let rows = list.len();
    let mut walk = W::new(&list);
    while walk.walked() < rows && walk.work(&list) {
        go_on()?;
    }
    match walk.failure() {
        Some(failure) => Err(Problem::of_run(failure).into()),
        None => Ok((list, walk)),
    }
}
