//! `statistics`: prints the figures of the rows that have come.

use spytui_engine::{
    export::statistics::{Wanted, text},
    trace::list::{RowList, StatisticsWalk, Walking},
};

use super::{
    problem::{Problem, Stopped},
    target::Side,
};
use crate::cli::failure;

/// Prints to standard error, beside the rows; those that come meanwhile do not count. `pause` is called while what has
/// come is decoded, `go_on` while it is looked through.
///
/// # Errors
/// The rows can't be read, or `pause` or `go_on` wants to stop.
pub(super) fn run(
    side: &Side,
    wanted: &Wanted,
    mut pause: impl FnMut() -> Result<(), Stopped>,
    mut go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    side.decoded(&mut pause)?;
    let list = RowList::new(vec![side.session.current()]);
    let rows = list.len();
    let mut walk = StatisticsWalk::new(&list);
    while walk.walked() < rows && walk.work(&list) {
        go_on()?;
    }
    if let Some(failure) = walk.failure() {
        return Err(Problem::of_run(failure).into());
    }
    let tables = wanted.tables(|measure, by| walk.table(&list, (measure, by), false));
    failure::say_words(&text(&tables, false));
    Ok(())
}
