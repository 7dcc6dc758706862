//! A sink for the rows that pass a filter, which may change from a position of the log on.

use std::{fmt, io, sync::Arc};

use spytui_plugin_api::{Rendered, Row, Want};

use super::sink::Sink;
use crate::{
    io::log::RawLog,
    query::Expr,
    row::{RowFilter, RowView},
    store::View,
};

/// The filter that holds from a position of a log on, if it is another one, and the position up to which the log can be
/// read then.
pub type NextFilter<'a> = Box<dyn FnMut(&Arc<RawLog>, u64) -> (Option<Expr>, u64) + 'a>;

/// Passes the rows that pass a filter on to a sink.
pub struct Filtered<'a> {
    sink: Box<dyn Sink + 'a>,
    filter: RowFilter,
    next: Option<NextFilter<'a>>,
    has_changed: bool,
    /// Statistics are wanted at the end.
    pub measures: bool,
}

impl fmt::Debug for Filtered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filtered").field("filter", &self.filter).finish_non_exhaustive()
    }
}

impl<'a> Filtered<'a> {
    /// For the rows that pass `filter`.
    pub fn new(sink: Box<dyn Sink + 'a>, filter: Expr) -> Filtered<'a> {
        Filtered { sink, filter: RowFilter::new(filter), next: None, has_changed: false, measures: false }
    }

    /// The same, with filters that follow.
    pub fn with_next(self, next: Option<NextFilter<'a>>) -> Filtered<'a> {
        Filtered { next, ..self }
    }

    /// The first filter, if it is the one that was used to the end and there is one.
    pub fn only_filter(&mut self) -> Option<&mut RowFilter> {
        self.filter.active().filter(|_| !self.has_changed)
    }
}

impl Sink for Filtered<'_> {
    fn want(&self) -> Want {
        self.sink.want()
    }

    fn names(&self) -> (View, bool) {
        self.sink.names()
    }

    fn header(&mut self) -> io::Result<()> {
        self.sink.header()
    }

    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        self.sink.block(rows, rendered)
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        self.sink.row(view)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    fn read_until(&mut self, log: &Arc<RawLog>, pos: u64) -> u64 {
        let (expr, until) = self.next.as_mut().map_or((None, u64::MAX), |next| next(log, pos));
        if let Some(expr) = expr {
            self.filter = RowFilter::midway(expr);
            self.has_changed = true;
        }
        until
    }

    fn filter(&mut self) -> Option<&mut RowFilter> {
        self.filter.active()
    }

    fn measures(&self) -> bool {
        self.measures
    }

    fn single(&self) -> bool {
        self.sink.single()
    }
}
