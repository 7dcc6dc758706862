//! Waits for a row.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    present::clock::grouped,
    query::Expr,
    row::why_nothing_matches,
    trace::list::{Direction, Filter, RowList},
    trace::session::{Decoding, Session},
};

use super::problem::{Problem, Stopped};

/// A moment of a decoding.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    decoding: Arc<Decoding>,
    /// Rows that there were.
    rows: u64,
    /// Position up to which they were decoded.
    pos: u64,
}

impl Mark {
    /// Of a file, which is all there, the beginning: how far it is decoded depends on the machine.
    pub(super) fn now(session: &Session) -> Mark {
        if session.log().file_path().is_some() {
            return Mark::start(session);
        }
        let decoding = session.current();
        Mark { rows: decoding.len(), pos: decoding.pos(), decoding }
    }

    /// The same, no earlier than a position up to which nothing may be decoded yet.
    pub(super) fn not_before(self, pos: u64) -> Mark {
        Mark { pos: self.pos.max(pos), ..self }
    }

    /// The beginning of all rows.
    pub(super) fn start(session: &Session) -> Mark {
        Mark { rows: 0, pos: 0, decoding: session.current() }
    }

    /// The first row since then, also if all was decoded again.
    fn first(&self, now: &Arc<Decoding>) -> u64 {
        let known = if Arc::ptr_eq(&self.decoding, now) { self.rows } else { 0 };
        let is_before = |row: u64| {
            now.ensure_loaded(row);
            now.read().rows.row(row).is_some_and(|row| row.pos < self.pos)
        };
        let (mut first, mut end) = (known, now.len());
        while first < end {
            let middle = first + (end - first) / 2;
            if is_before(middle) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }
}

/// Waits for a row since `mark`. `pause` is called while waiting.
///
/// # Errors
/// There is none in that time, or no more rows come, or `pause` wants to stop.
pub(super) fn run(
    session: &Session,
    mark: &Mark,
    (expr, within): (&Expr, Duration),
    mut pause: impl FnMut() -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let started = Instant::now();
    let mut search = Search::default();
    loop {
        let decoding = session.current();
        let (ended, late) = (decoding.ended(), started.elapsed() >= within);
        if search.finds(&decoding, mark, expr) {
            return Ok(());
        }
        if ended || late {
            return Err(unmet(&decoding, mark, expr, ended).into());
        }
        pause()?;
    }
}

/// How far the rows were looked at.
#[derive(Debug, Default)]
struct Search {
    decoding: Option<Arc<Decoding>>,
    /// Name changes: with another name an earlier row may pass.
    names: u64,
    /// The first row that was not looked at.
    next: u64,
}

impl Search {
    fn finds(&mut self, decoding: &Arc<Decoding>, mark: &Mark, expr: &Expr) -> bool {
        let list = RowList::new(vec![decoding.clone()]);
        let names = list.name_changes();
        let goes_on = self.names == names && self.decoding.as_ref().is_some_and(|of| Arc::ptr_eq(of, decoding));
        if !goes_on {
            *self = Search { decoding: Some(decoding.clone()), names, next: 0 };
        }
        let len = decoding.len();
        let next = std::mem::replace(&mut self.next, len).max(mark.first(decoding));
        if next >= len {
            return false;
        }
        let (mut matches, mut all) = (Filter::strict(expr.clone()), Filter::new(Expr::everything()));
        matches.follow_names(&list, Instant::now());
        matches.seek(&list, next, Direction::Forward, &mut all, usize::MAX).is_ok_and(|row| row.is_some())
    }
}

fn unmet(decoding: &Arc<Decoding>, mark: &Mark, expr: &Expr, ended: bool) -> Problem {
    let rows = grouped(decoding.len().saturating_sub(mark.first(decoding)));
    let state = decoding.read();
    let decoder = &decoding.decoder;
    let why = why_nothing_matches(expr, &decoder.info, &decoder.formatting, &[&state.dictionary]);
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    let since = if decoding.log.file_path().is_some() { "" } else { " since the line before" };
    let end = if ended { ", and no more will come" } else { "" };
    Problem::of_run(format!("0 of {rows} rows{since}{end}{why}"))
}
