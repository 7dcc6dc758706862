//! The failure whose page is shown.

use spytui_engine::{
    analysis::incident::reader::is_failure,
    store::Shape,
    trace::list::{Direction, find_shape},
};

use super::{Model, jump, panes};
use crate::input::INCIDENT;

/// The row that the page is about.
pub fn row_of_page(model: &Model) -> Option<u64> {
    model.list.row_at(model.list.incident?)
}

/// Whether Enter on a row opens the page.
pub fn is_failed(model: &Model, row: u64) -> bool {
    let rows = &model.list.rows;
    rows.shape(row).is_some_and(|shape| rows.is_failure(row, &shape))
}

/// Opens the page of a row.
pub fn open(model: &mut Model, row: u64) {
    model.list.incident = model.list.position_of(row);
    panes::show(model, INCIDENT);
}

/// Opens the page of the cursor row if that is a failure; otherwise of the last one before it, or the next one.
pub fn open_near(model: &mut Model) {
    let (here, rows) = (model.list.row_here(), &model.list.rows);
    let find = |direction| {
        let mut from = Some(here);
        loop {
            let row = find_shape(rows, from, direction, |shape: &Shape| is_failure(&shape.row, 1))?;
            if is_failed(model, row) {
                return Some(row);
            }
            from = Some(row);
        }
    };
    let near = Some(here).filter(|here| is_failed(model, *here));
    match near.or_else(|| find(Direction::Backward)).or_else(|| find(Direction::Forward)) {
        Some(row) => {
            if row != here {
                jump::to_row(model, row);
            }
            open(model, row);
        }
        None => model.say("no assertion, error or reset; :incident #744 shows what there was at a record"),
    }
}
