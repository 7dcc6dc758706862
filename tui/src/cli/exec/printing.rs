//! Rows to the output, with a filter that lines change.

use std::{
    io::{self, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use spytui_engine::{
    query::Expr,
    render::{Item, RenderedBlock, RowFilter},
    store::{Dictionary, View},
    stream::Sink,
};
use spytui_plugin_api::Want;

use crate::cli::output::RowOutput;

/// The filter that a line asked for, on its way to the output.
#[derive(Debug, Default)]
pub(super) struct NextFilter {
    is_there: AtomicBool,
    expr: Mutex<Option<Expr>>,
}

impl NextFilter {
    pub(super) fn set(&self, expr: Expr) {
        *self.expr.lock().unwrap_or_else(PoisonError::into_inner) = Some(expr);
        self.is_there.store(true, Ordering::Release);
    }

    fn take(&self) -> Option<Expr> {
        if !self.is_there.swap(false, Ordering::AcqRel) {
            return None;
        }
        self.expr.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An output whose filter may change.
#[derive(Debug)]
pub struct Printing<W: Write> {
    output: RowOutput<W>,
    next: Option<Arc<NextFilter>>,
    has_changed: bool,
    /// Statistics are wanted at the end.
    pub measures: bool,
}

impl<W: Write> Printing<W> {
    pub(super) fn new(output: RowOutput<W>, next: Option<Arc<NextFilter>>) -> Printing<W> {
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

    fn block(&mut self, block: &RenderedBlock<'_>) -> io::Result<()> {
        self.output.block(block)
    }

    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.output.item(item)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn dictionary(&self) -> Option<&Dictionary> {
        self.output.dictionary()
    }

    fn begin_batch(&mut self) {
        if let Some(expr) = self.next.as_ref().and_then(|next| next.take()) {
            self.output.set_filter(RowFilter::midway(expr));
            self.has_changed = true;
        }
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
