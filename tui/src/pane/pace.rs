//! How panes that read all rows follow a stream.

use std::time::{Duration, Instant};

use crate::model::Model;

/// While rows come, what panes show is made again no more often: a pause, and more for each thing that was looked at for
/// it, so that following takes little of the time.
const PAUSE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_micros(100));
/// Rows that are read together while what a pane shows is not made again: a few at each turn would take longer.
const TOGETHER: u64 = 8192;
/// Rows that may not be read yet without a word: they came just now.
const NEWEST: u64 = 10_000;

/// Whether what a pane shows was made just now, from so many things.
pub(super) fn is_recent(model: &Model, made_at: Option<Instant>, things: usize) -> bool {
    let pause = PAUSE.0 + PAUSE.1 * u32::try_from(things).unwrap_or(u32::MAX);
    made_at.is_some_and(|at| model.now.saturating_duration_since(at) < pause)
}

/// Whether the newest rows are followed, and more may come.
pub(super) fn is_live(model: &Model) -> bool {
    model.list.page.follows() && !model.links.is_over()
}

/// Whether a pane that has read so many rows may wait for more of them; `is_recent` = what it shows is not made again yet.
pub(super) fn may_wait(model: &Model, read: u64, is_recent: bool) -> bool {
    is_live(model) && is_recent && model.list.rows.len().saturating_sub(read) < TOGETHER
}

/// How many percent of the rows a pane has read; `None` if those that it has not read came just now.
pub(super) fn percent_read(model: &Model, read: u64) -> Option<u64> {
    let all = model.list.rows.len();
    (all.saturating_sub(read) > NEWEST).then(|| read * 100 / all)
}
