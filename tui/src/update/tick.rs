//! Work beside the screen, at every turn of the main loop.

use std::time::{Duration, Instant};

use super::baud_scan;
use crate::model::{Model, links};

/// Time for the work beside the screen, in one turn of the main loop.
const SLICE: Duration = Duration::from_millis(8);

/// Takes in what came: rows into the list, the filter over them, rates, what bytes look like.
pub(super) fn tick(model: &mut Model, now: Instant) {
    model.now = now;
    links::follow_decoding(model);
    links::follow_autodetect(model);
    baud_scan::follow(model, now);
    let start = Instant::now();
    model.jobs.unfinished = loop {
        let grown = model.list.grow(now);
        if grown.rebuilt {
            model.panes.forget_rows();
        }
        let list = &mut model.list;
        let more = list.page.filter.work(&list.rows, 1) | grown.more;
        if !more || start.elapsed() >= SLICE {
            break more;
        }
    };
    for source in &mut model.links.sources {
        source.sample(now);
    }
}

/// How long the main loop may sleep: until something on the screen changes by itself.
#[must_use]
pub fn sleep(model: &Model) -> Duration {
    let live = !model.links.is_over() || !model.is_all_there();
    let busy = model.jobs.baud_scan.is_some() || model.list.waits || model.links.first().autodetect.is_busy();
    match (busy, live) {
        (true, _) => Duration::from_millis(50),
        (false, true) => Duration::from_millis(500),
        (false, false) => Duration::from_secs(3600),
    }
}
