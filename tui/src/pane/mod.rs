//! The panes. Each is a file or folder with its state, keys and drawing, and one line in `PANES`.

mod counters;
mod details;
mod device;
mod dictionary;
mod findings;
mod incident;
#[cfg(test)]
mod keys_tests;
mod live;
mod log;
mod objects;
mod records;
mod sequence;
mod statistics;
mod table;
mod timeline;

use ratatui::layout::{Constraint, Layout, Rect};

use crate::{
    input::PaneKeys,
    model::panes::{Pane, Panes},
};

/// In the order of the tab line.
const PANES: &[fn() -> Box<dyn Pane>] = &[
    || Box::<records::RecordsPane>::default(),
    || Box::<details::DetailsPane>::default(),
    || Box::<dictionary::DictionaryPane>::default(),
    || Box::<objects::ObjectsPane>::default(),
    || Box::<timeline::TimelinePane>::default(),
    || Box::<timeline::TimelineStrip>::default(),
    || Box::<counters::CountersPane>::default(),
    || Box::<device::TargetPane>::default(),
    || Box::<sequence::SequencePane>::default(),
    || Box::<statistics::StatisticsPane>::default(),
    || Box::<log::LogPane>::default(),
    || Box::<findings::FindingsPane>::default(),
    || Box::<incident::IncidentPane>::default(),
];

pub fn keys() -> Vec<&'static PaneKeys> {
    PANES.iter().map(|pane| pane().keys()).collect()
}

pub fn panes() -> Panes {
    Panes::new(PANES.iter().map(|pane| pane()).collect())
}

/// The area of a pane without its title line.
fn below_title(area: Rect) -> Rect {
    let [_, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    rest
}
