//! Background work, at every turn of the main loop.

use std::time::{Duration, Instant};

use super::command_line;
use crate::model::{Model, baud_scan, filter, links, names, panes, search};

/// Follows the sources: other decodings, what bytes look like, rates; and does a first piece of work.
pub(super) fn tick(model: &mut Model, now: Instant) {
    model.now = now;
    links::follow_decoding(model);
    links::follow_autodetect(model);
    baud_scan::follow(model, now);
    names::follow_refused(model);
    command_line::follow(model);
    for source in &mut model.links.sources {
        source.sample(now);
    }
    work(model);
}

/// Puts new rows into the list and filters some; the main loop asks for more while there is time.
pub(super) fn work(model: &mut Model) {
    let grown = model.list.grow(model.now);
    if grown.rebuilt {
        model.panes.forget_rows();
    }
    let list = &mut model.list;
    let more = list.page.filter.work(&list.rows, 1, model.now);
    let counting = panes::work(model) | filter::work(model, !more) | search::work(model);
    model.jobs.unfinished = counting | more | grown.more;
}

/// Time until something on the screen may change by itself.
pub fn sleep(model: &Model) -> Duration {
    let live = !model.links.is_over() || !model.is_all_there();
    let busy = model.jobs.baud_scan.is_some() || model.list.waits || model.links.first().autodetect.is_busy();
    match (busy, live) {
        (true, _) => Duration::from_millis(50),
        (false, true) => Duration::from_millis(500),
        (false, false) => Duration::from_secs(3600),
    }
}
