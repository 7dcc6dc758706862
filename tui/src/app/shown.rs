//! What the views draw beside the list: made before each frame, at most as often as it can have changed.

use spytui_engine::{list::RowSource, present::clock::grouped};

use super::{
    counters::CounterRow,
    dictionary::Names,
    folds::Folding,
    header::Header,
    state::{App, Pane},
};
use crate::term::cut_middle;

/// What is drawn.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// The header lines.
    pub header: Header,
    /// Title of the list: filter, hidden, following or held.
    pub list_title: String,
    /// The Dictionary pane.
    pub names: Names,
    /// Counter lines.
    pub counters: Vec<CounterRow>,
    /// Rows are of different cores.
    pub cores: bool,
    /// What is wrong, where something is.
    pub trouble: Option<String>,
    /// Rows there were with the frame before.
    rows: u64,
}

impl App {
    /// Makes what the pane in front shows, and the title of the list. `height` and `width` of that pane.
    pub fn make_panes(&mut self, height: usize, width: usize) {
        self.make_title();
        self.shown.cores = self.rows.has_lanes();
        match self.pane {
            Pane::Records => {}
            Pane::Dictionary => {
                self.make_names();
                let head = usize::from(height > 2);
                self.dictionary.fit(self.shown.names.rows.len(), height - head);
            }
            Pane::Counters => {
                self.make_counters(width);
                self.counters.fit(self.shown.counters.len(), height);
            }
            Pane::Log => self.fit_log(height),
        }
        self.shown.trouble = self.trouble();
    }

    fn fit_log(&mut self, height: usize) {
        let lines = crate::app_log::since(0).len();
        let at_end = self.log.cursor + 1 >= self.log.len;
        if at_end {
            self.log.cursor = lines.saturating_sub(1);
        }
        self.log.fit(lines, height);
    }

    fn make_title(&mut self) {
        let mut parts = Vec::new();
        if !self.list.filter.is_everything() {
            let more = if self.filter_unfinished() { "+" } else { "" };
            let expr = self.list.filter.expr().to_string();
            let room = usize::from(self.size.0).saturating_sub(52).max(12);
            let expr = cut_middle(&expr, room, "…");
            parts.push(format!("filter {expr}  hides {}{more}", grouped(self.list.filter.hidden())));
        }
        if let Some(search) = &self.search {
            parts.push(format!("/{}", cut_middle(&search.text, 24, "…")));
        }
        parts.extend(self.hidden_no_news());
        if self.list.folding == Folding::Equal {
            parts.push("folded".to_owned());
        }
        parts.extend(self.left_out());
        parts.push(match self.list.follow {
            true => "follow".to_owned(),
            false if self.is_over() => position(self),
            false => format!("held +{}", grouped(self.rows.len().saturating_sub(self.list.held_at.max(1)))),
        });
        if self.list.unfinished {
            parts.push("looking…".to_owned());
        }
        self.shown.list_title = parts.join(" · ");
    }

    /// `1 of 40 rows shown` while more rows than a page come with each frame.
    fn left_out(&mut self) -> Option<String> {
        let rows = self.rows.len();
        let before = std::mem::replace(&mut self.shown.rows, rows);
        let came = rows.saturating_sub(before);
        let of = came / self.layout.list.max(1) as u64;
        let live = self.list.follow && !self.is_over();
        (live && before > 0 && of > 1).then(|| format!("1 of {} rows shown", grouped(of)))
    }

    /// Rows that the filter has not looked at yet.
    #[must_use]
    pub fn filter_unfinished(&self) -> bool {
        self.list.filter.looked_at() < self.rows.len()
    }
}

fn position(app: &App) -> String {
    let len = app.rows.len().max(1);
    format!("{} %", (app.list.cursor + 1) * 100 / len)
}
