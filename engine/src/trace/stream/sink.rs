//! Consumer of rendered rows.

use std::{fmt, io, sync::Arc};

use spytui_plugin_api::{Rendered, Row, Want};

use crate::{
    io::log::RawLog,
    query::Expr,
    row::{RowFilter, RowView},
    store::{Dictionary, View},
};

/// Consumer of rendered rows.
pub trait Sink {
    /// Parts to render; if these are more than text, rows are passed to [`Sink::row`].
    fn want(&self) -> Want {
        Want::empty()
    }

    /// Which names are used, and whether in short form.
    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    /// Takes a block of rows, text only.
    ///
    /// # Errors
    /// What the output said.
    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        let _ = (rows, rendered);
        Ok(())
    }

    /// Takes a row.
    ///
    /// # Errors
    /// If writing fails.
    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        let _ = view;
        Ok(())
    }

    /// Writes what stands before the rows, so that it is there even without rows.
    ///
    /// # Errors
    /// If writing fails.
    fn header(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Called when nothing more is there at the moment: passes on what is still in a buffer.
    ///
    /// # Errors
    /// If writing fails.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Names to use instead of the current ones.
    fn dictionary(&self) -> Option<&Dictionary> {
        None
    }

    /// Position up to which a log is read next, asked at `pos`: from there on another filter may hold.
    fn read_until(&mut self, log: &Arc<RawLog>, pos: u64) -> u64 {
        let _ = (log, pos);
        u64::MAX
    }

    /// Which rows are passed on; `None` = all. Rows that are filtered are passed on one by one, rendered with the names
    /// as of now.
    fn filter(&mut self) -> Option<&mut RowFilter> {
        None
    }

    /// Whether activities are passed with the rows; then rows are passed one by one, without spans.
    fn activities(&self) -> bool {
        false
    }

    /// Whether measured values and what each kind takes are counted, for statistics.
    fn measures(&self) -> bool {
        false
    }

    /// Whether rows are passed one by one even if only text is wanted.
    fn single(&self) -> bool {
        self.want() != Want::TEXT || self.activities()
    }
}

/// Whether formatters are asked how severe rows are when these are rendered: neither a filter nor activities need it before.
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
