//! The tabs of the panes, and where they are in the tab line.

use crate::{
    input::{Action, PaneId},
    model::Model,
    term::width,
};

/// A tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// Its pane.
    pub pane: PaneId,
    /// Its text: key and title.
    pub text: String,
    /// Its first column.
    pub x: u16,
}

impl Tab {
    /// The column behind it.
    pub fn end(&self) -> u16 {
        self.x + width(&self.text) as u16
    }
}

/// All tabs, from left to right.
pub fn tabs(model: &Model) -> Vec<Tab> {
    let front = model.panes.front();
    let mut x = 0;
    let tab = |(pane, title)| {
        let keys = model.settings.keymap.keys(front, Action::ShowPane(pane));
        let key = keys.first().map_or("", String::as_str);
        // That the others are hidden must be seen where one chooses them.
        let alone = if pane == front && model.panes.zoom { " alone" } else { "" };
        let tab = Tab { pane, text: format!("{key} {title}{alone}").trim_start().to_owned(), x };
        x = tab.end() + 2;
        tab
    };
    model.panes.tabs().map(tab).collect()
}
