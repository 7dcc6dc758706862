//! The tabs of the panes, and where they are in the tab line.

use crate::{
    input::{Action, PaneId},
    model::Model,
    term::width,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
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

#[derive(Debug)]
pub struct TabLine {
    /// All tabs, from left to right.
    pub tabs: Vec<Tab>,
    /// Which of several sources are shown, and its first column.
    pub place: Option<(u16, String)>,
    /// The first column of [`HELP`].
    pub help: Option<u16>,
}

/// What stands at the right end.
pub const HELP: &str = "? keys";

/// How narrow a tab line is made: columns between tabs, whether panes in the back have titles, whether there is help. The
/// first form that fits is taken.
const FORMS: [(u16, bool, bool); 4] = [(2, true, true), (1, true, true), (1, true, false), (1, false, true)];

/// The tab line in the widest form that the screen has room for.
pub fn tab_line(model: &Model) -> TabLine {
    let width = model.screen.size.0;
    let several = model.links.sources.len() > 1;
    let place = several.then(|| model.links.list_place(&model.links.scope));
    let mut forms = FORMS.into_iter();
    loop {
        let form = forms.next();
        let (gap, titles, has_help) = form.unwrap_or((1, false, false));
        let tabs = tabs(model, gap, titles);
        let mut end = tabs.last().map_or(0, Tab::end);
        let place = place.clone().map(|text| {
            let x = end + 2;
            end = x + text.len() as u16;
            (x, text)
        });
        let help = has_help.then(|| width.saturating_sub(HELP.len() as u16 + 1));
        if form.is_none() || end <= width.min(help.unwrap_or(width)) {
            return TabLine { tabs, place, help };
        }
    }
}

fn tabs(model: &Model, gap: u16, titles: bool) -> Vec<Tab> {
    let front = model.panes.front();
    let mut x = 0;
    let tab = |(pane, title)| {
        let keys = model.settings.keymap.keys(front, Action::ShowPane(pane));
        let key = keys.first().map_or("", String::as_str);
        // That the others are hidden must be seen where one chooses them.
        let alone = if pane == front && model.panes.zoom { " alone" } else { "" };
        let title = if titles || pane == front || key.is_empty() { title } else { "" };
        let tab = Tab { pane, text: format!("{key} {title}{alone}").trim().to_owned(), x };
        x = tab.end() + gap;
        tab
    };
    model.panes.tabs().map(tab).collect()
}
