//! `statistics`: prints the figures of the rows that have come.

use spytui_engine::{
    export::statistics::{Wanted, text},
    trace::{
        list::{RowList, StatisticsWalk},
        session::Session,
    },
};

use super::problem::{Problem, Stopped};
use crate::cli::failure;

/// Prints to standard error, beside the rows; those that come meanwhile do not count. `go_on` is called in between.
///
/// # Errors
/// The rows can't be read, or `go_on` wants to stop.
pub(super) fn run(
    session: &Session,
    wanted: &Wanted,
    mut go_on: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let list = RowList::new(vec![session.current()]);
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
