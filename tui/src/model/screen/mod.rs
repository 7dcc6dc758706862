//! The screen: size, layout, header, theme.

mod header;
mod layout;
mod list_title;
mod reading;
mod tabs;
mod time_style;

use std::time::Instant;

use crate::{
    model::Model,
    term::{Figures, wrap},
    widget::Look,
};

pub use header::{Header, Piece, refresh as refresh_header};
pub use layout::{LEAST, Layout, LayoutRequest};
pub use list_title::{Flow, TITLE as LIST_TITLE, refresh as refresh_list_title};
pub use tabs::{HELP, Tab, TabLine, tab_line};
pub use time_style::{TICK_RATE, TimeStyle, host_time, time_text, turn_time};

/// The place of a row among the losses, and what it was counted from: row and number of losses.
pub type LossPlace = ((u64, u64), Option<(u64, u64)>);

/// State of the whole screen.
#[derive(Debug, Default)]
pub struct ScreenState {
    /// Styles and glyphs.
    pub look: Look,
    /// Columns and lines.
    pub size: (u16, u16),
    /// Lines of each part, as of the last frame.
    pub layout: Layout,
    /// The header lines.
    pub header: Header,
    /// Title of the list: filter, hidden, following or held.
    pub list_title: String,
    /// Keys for what is on the screen.
    pub hint: String,
    /// The place of the cursor row among the losses.
    pub(in crate::model) loss_place: Option<LossPlace>,
    /// Diagnosis of the sources, if something is wrong.
    pub diagnosis: Option<String>,
    /// The time column.
    pub time_style: TimeStyle,
    /// Columns that texts are moved sideways.
    pub sideways: usize,
    /// Bytes and frames drawn.
    pub figures: Figures,
    /// How fast rows come.
    flow: Flow,
    /// Rows since the list was held: when they were counted, since which row, how many.
    held: Option<(Instant, u64, u64)>,
    /// The terminal has 16 colours at most.
    pub few_colours: bool,
    /// The line to the terminal is slow: a pane beside the list would make scrolling dear.
    pub slow_line: bool,
}

impl ScreenState {
    /// Nothing drawn yet.
    pub fn new(look: Look) -> ScreenState {
        ScreenState { look, size: (80, 24), ..ScreenState::default() }
    }

    /// Lines of the list, at least one.
    pub fn list_height(&self) -> usize {
        usize::from(self.layout.list_area.height).max(1)
    }

    /// Lines of the pane in front, at least one: a page of it.
    pub fn front_height(&self) -> usize {
        self.layout.front.max(1)
    }

    /// The rows that parts were made from are gone.
    pub fn forget_rows(&mut self) {
        self.header = Header::default();
        self.loss_place = None;
    }
}

/// The line below the rows at which there is room for the diagnosis.
pub fn diagnosis_line(model: &Model) -> Option<u16> {
    let area = model.screen.layout.list_area;
    let text = model.screen.diagnosis.as_deref()?;
    let lines = wrap(text, usize::from(area.width.saturating_sub(2))).len();
    let rows = model.list.page.entries.len();
    (rows + 1 + lines <= usize::from(area.height)).then(|| area.y + rows as u16 + 1)
}
