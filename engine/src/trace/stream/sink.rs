//! Consumer of rendered rows.

use std::{fmt, io, sync::Arc};

use spytui_plugin_api::{Rendered, Row, Want};

use crate::{
    io::log::RawLog,
    query::Expr,
    row::{RowFilter, RowView},
    store::{Dictionary, View},
};

pub trait Sink {
    /// Parts to render; if more than text, rows are passed to [`Sink::row`].
    fn want(&self) -> Want {
        Want::empty()
    }

    /// Which names are used, and whether in short form.
    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    /// Receives a block of rows with text only.
    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        let _ = (rows, rendered);
        Ok(())
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        let _ = view;
        Ok(())
    }

    /// Writes the header, even if there are no rows.
    fn header(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Called when no more rows are available at the moment: flushes buffers.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Names to use instead of the current ones.
    fn dictionary(&self) -> Option<&Dictionary> {
        None
    }

    /// Position up to which a log is read next, asked at `pos`; another filter may apply from there on.
    fn read_until(&mut self, log: &Arc<RawLog>, pos: u64) -> u64 {
        let _ = (log, pos);
        u64::MAX
    }

    /// Which rows are passed on; `None` = all. Filtered rows are passed on one by one, rendered with current names.
    fn filter(&mut self) -> Option<&mut RowFilter> {
        None
    }

    /// Whether activities are passed with the rows, which are then passed one by one, without spans.
    fn activities(&self) -> bool {
        false
    }

    /// Whether values and kinds are counted for statistics.
    fn measures(&self) -> bool {
        false
    }

    /// Whether rows are passed one by one even if only text is needed.
    fn single(&self) -> bool {
        self.want() != Want::TEXT || self.activities()
    }
}

/// Whether formatters determine the severity of rows during rendering, as neither a filter nor activities need it
/// before.
pub(super) fn has_severity_from_rendering(sink: &mut impl Sink) -> bool {
    !sink.activities() && sink.filter().is_none()
}

/// Discards rows that are only counted, or decoded for their names.
#[derive(Debug, Clone, Copy)]
pub struct NullSink;

impl Sink for NullSink {
    fn measures(&self) -> bool {
        true
    }

    fn single(&self) -> bool {
        false
    }
}

/// The next filter from a log position on, if it differs, and the position up to which the log can then be read.
pub type NextFilter<'a> = Box<dyn FnMut(&Arc<RawLog>, u64) -> (Option<Expr>, u64) + 'a>;

pub struct Filtered<'a> {
    sink: Box<dyn Sink + 'a>,
    filter: RowFilter,
    next: Option<NextFilter<'a>>,
    has_changed: bool,
    pub measures: bool,
}

impl fmt::Debug for Filtered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filtered").field("filter", &self.filter).finish_non_exhaustive()
    }
}

impl<'a> Filtered<'a> {
    pub fn new(sink: Box<dyn Sink + 'a>, filter: Expr) -> Filtered<'a> {
        Filtered { sink, filter: RowFilter::new(filter), next: None, has_changed: false, measures: false }
    }

    pub fn with_next(self, next: Option<NextFilter<'a>>) -> Filtered<'a> {
        Filtered { next, ..self }
    }

    /// The first filter, if there is one and it was used to the end.
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
