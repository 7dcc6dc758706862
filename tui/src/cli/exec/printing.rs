//! Rows to the output, with a filter that lines change.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use spytui_engine::{
    io::log::RawLog,
    query::Expr,
    row::{RowFilter, RowView},
    store::{Dictionary, View},
    trace::stream::Sink,
};
use spytui_plugin_api::{Rendered, Row, Want};

use super::target::Side;
use crate::cli::output::RowOutput;

/// The filters that lines asked for, on their way to the output.
#[derive(Debug, Default)]
pub(super) struct NextFilters(Mutex<VecDeque<NextFilter>>);

#[derive(Debug)]
struct NextFilter {
    from: Vec<From>,
    expr: Expr,
}

/// Where a filter begins in a log.
#[derive(Debug)]
struct From {
    log: Arc<RawLog>,
    pos: u64,
    is_reached: bool,
}

impl NextFilters {
    /// Lets a filter hold for all that is received from now on; of a file, for all that is not yet read.
    pub(super) fn push(&self, expr: Expr, sides: &[Side]) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let from = |side: &Side| Some(From { log: side.log.clone(), pos: side.received()?, is_reached: false });
        list.push_back(NextFilter { from: sides.iter().filter_map(from).collect(), expr });
    }

    /// Removes the filters that hold from this position on, and returns the last one and the position up to which the log
    /// can be read.
    fn take(&self, log: &Arc<RawLog>, pos: u64) -> (Option<Expr>, u64) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = None;
        while let Some(next) = list.front_mut() {
            let own = next.from.iter_mut().find(|from| Arc::ptr_eq(&from.log, log));
            let until = own.map_or(u64::MAX, |own| {
                own.is_reached |= pos >= own.pos;
                // From there on it waits for the other logs.
                own.pos.max(pos)
            });
            if next.from.iter().any(|from| !from.is_reached) {
                return (taken, until);
            }
            taken = list.pop_front().map(|next| next.expr);
        }
        (taken, u64::MAX)
    }
}

/// An output whose filter may change.
#[derive(Debug)]
pub struct Printing<W: Write> {
    output: RowOutput<W>,
    next: Option<Arc<NextFilters>>,
    has_changed: bool,
    /// Statistics are wanted at the end.
    pub measures: bool,
}

impl<W: Write> Printing<W> {
    pub(super) fn new(output: RowOutput<W>, next: Option<Arc<NextFilters>>) -> Printing<W> {
        Printing { output, next, has_changed: false, measures: false }
    }

    /// Writes what stands before the rows, so that it is there even without rows.
    ///
    /// # Errors
    /// If writing fails.
    pub fn header(&mut self) -> io::Result<()> {
        self.output.header()
    }

    /// The filter that the arguments asked for, if it is the one that was used to the end.
    pub fn only_filter(&mut self) -> Option<&mut RowFilter> {
        self.output.filter().filter(|_| !self.has_changed)
    }
}

impl<W: Write> Sink for Printing<W> {
    fn want(&self) -> Want {
        self.output.want()
    }

    fn names(&self) -> (View, bool) {
        self.output.names()
    }

    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        self.output.block(rows, rendered)
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        self.output.row(item)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn dictionary(&self) -> Option<&Dictionary> {
        self.output.dictionary()
    }

    fn read_until(&mut self, log: &Arc<RawLog>, pos: u64) -> u64 {
        let (expr, until) = self.next.as_ref().map_or((None, u64::MAX), |next| next.take(log, pos));
        if let Some(expr) = expr {
            self.output.set_filter(RowFilter::midway(expr));
            self.has_changed = true;
        }
        until
    }

    fn filter(&mut self) -> Option<&mut RowFilter> {
        self.output.filter()
    }

    fn activities(&self) -> bool {
        self.output.activities()
    }

    fn measures(&self) -> bool {
        self.measures
    }

    fn single(&self) -> bool {
        self.output.single()
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::{io::log::LogOptions, query::Vocabulary};

    use super::*;

    #[test]
    fn a_filter_holds_from_where_it_was_asked_for_in_each_log() {
        let [first, second, other] = [(); 3].map(|()| RawLog::new(&LogOptions::default()));
        let filters = NextFilters::default();
        let push = |text: &str, at: &[(&Arc<RawLog>, u64)]| {
            let from = at.iter().map(|(log, pos)| From { log: (*log).clone(), pos: *pos, is_reached: false }).collect();
            let expr = spytui_engine::query::parse(text, &Vocabulary::open()).unwrap();
            filters.0.lock().unwrap().push_back(NextFilter { from, expr });
        };
        let take = |log, pos| {
            let (expr, until) = filters.take(log, pos);
            (expr.map(|expr| expr.to_string()), until)
        };
        assert_eq!(take(&first, 0), (None, u64::MAX));
        push("obj:a", &[(&first, 100), (&second, 50)]);
        push("obj:b", &[(&first, 100), (&second, 80)]);
        assert_eq!(take(&first, 20), (None, 100));
        // It waits for the second one; a log that nobody filters by does not.
        assert_eq!(
            [take(&first, 100), take(&second, 10), take(&other, 0)],
            [100, 50, u64::MAX].map(|until| (None, until))
        );
        assert_eq!(take(&second, 50), (Some("obj:a".to_owned()), 80));
        assert_eq!([take(&second, 80), take(&second, 80)], [80; 2].map(|until| (None, until)));
        assert_eq!(take(&first, 100), (Some("obj:b".to_owned()), u64::MAX));
        // Of a file, from what is read next.
        push("obj:a", &[]);
        push("obj:b", &[]);
        assert_eq!(take(&other, 7), (Some("obj:b".to_owned()), u64::MAX));
    }
}
