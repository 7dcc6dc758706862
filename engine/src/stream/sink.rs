//! Where rendered rows go.

use std::io;

use spytui_plugin_api::render::Want;

use crate::{
    render::{Block, Item, RowFilter},
    store::{Dictionary, View},
};

/// Where rendered rows go.
pub trait Sink {
    /// What is to be rendered; rows of which more than text is wanted are passed to [`Sink::item`].
    fn want(&self) -> Want;

    /// Which names rows are rendered with, and whether short forms are taken.
    fn names(&self) -> (View, bool);

    /// A block of rows, text only.
    ///
    /// # Errors
    /// What the output said.
    fn block(&mut self, block: &Block<'_>) -> io::Result<()> {
        let _ = block;
        Ok(())
    }

    /// One row.
    ///
    /// # Errors
    /// What the output said.
    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        let _ = item;
        Ok(())
    }

    /// Names to render with in place of those as of now.
    fn dictionary(&self) -> Option<&Dictionary> {
        None
    }

    /// Which rows are passed on; `None` = all. Rows that are filtered are passed on one by one, rendered with the names
    /// as of now.
    fn filter(&mut self) -> Option<&mut RowFilter> {
        None
    }

    /// Whether activities come with the rows; then these come one by one, and without their places in spans.
    fn activities(&self) -> bool {
        false
    }

    /// Whether rows come one by one even when only text is wanted.
    fn single(&self) -> bool {
        self.want() != Want::TEXT || self.activities()
    }
}

/// Where rows go that are only counted, or decoded for their names.
#[derive(Debug, Clone, Copy)]
pub struct NullSink;

impl Sink for NullSink {
    fn want(&self) -> Want {
        Want::empty()
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    fn single(&self) -> bool {
        false
    }
}
