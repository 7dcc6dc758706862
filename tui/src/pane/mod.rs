//! The panes. Each is a folder with its state, its keys and its drawing, and one line in [`PANES`].

mod counters;
mod details;
mod dictionary;
mod log;
mod records;
mod table;

#[cfg(test)]
mod keys_tests;

use ratatui::layout::{Constraint, Layout, Rect};

use crate::{
    action::PaneKeys,
    model::panes::{Pane, Panes},
};

pub use log::ID as LOG;

/// A pane that is part of the program.
struct Registered {
    keys: &'static PaneKeys,
    make: fn() -> Box<dyn Pane>,
}

/// Every pane, in the order of the tab line.
const PANES: &[Registered] = &[
    Registered { keys: &records::KEYS, make: || Box::new(records::RecordsPane) },
    Registered { keys: &details::KEYS, make: || Box::<details::DetailsPane>::default() },
    Registered { keys: &dictionary::KEYS, make: || Box::<dictionary::DictionaryPane>::default() },
    Registered { keys: &counters::KEYS, make: || Box::<counters::CountersPane>::default() },
    Registered { keys: &log::KEYS, make: || Box::<log::LogPane>::default() },
];

/// What the panes add to the keys.
#[must_use]
pub fn keys() -> Vec<&'static PaneKeys> {
    PANES.iter().map(|pane| pane.keys).collect()
}

/// All panes, as they are at the start.
#[must_use]
pub fn panes() -> Panes {
    Panes::new(PANES.iter().map(|pane| (pane.make)()).collect())
}

/// The area of a pane without the line of its title.
fn below_title(area: Rect) -> Rect {
    let [_, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    rest
}
