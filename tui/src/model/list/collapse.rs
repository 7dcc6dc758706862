//! Rows that the list hides or folds into one line: redundant records, neighbouring losses, equal neighbours.

use spytui_engine::{
    list::{RowList, RowSource, row_list::number_text},
    present::{Line, Role, clock::grouped},
    store::Shape,
};
use spytui_plugin_api::{RowKind, Severity, row::RowFlags};

use crate::model::loss_words::units;

/// Collapsing of rows in the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Collapse {
    /// Redundant records are hidden.
    #[default]
    Redundant,
    /// Every record has a line of its own.
    Nothing,
    /// Redundant records are hidden, and equal neighbours share a line.
    Equal,
}

impl Collapse {
    /// From the configuration: `on` folds equal neighbours, too.
    pub fn configured(on: bool) -> Collapse {
        if on { Collapse::Equal } else { Collapse::Redundant }
    }

    /// The next mode; modes that differ only in redundant records are skipped if there are none.
    pub fn next(self, redundant: bool) -> Collapse {
        match (self, redundant) {
            (Collapse::Redundant, true) => Collapse::Nothing,
            (Collapse::Redundant, false) | (Collapse::Nothing, _) => Collapse::Equal,
            (Collapse::Equal, _) => Collapse::Redundant,
        }
    }

    /// `true` if the row is hidden.
    pub fn hides(self, rows: &RowList, row: u64) -> bool {
        self != Collapse::Nothing
            && rows.ensure_loaded(row)
            && rows.shape(row).is_some_and(|shape| is_redundant(&shape))
    }
}

/// `true` if rows of this shape are redundant, or disabled.
pub fn is_redundant(shape: &Shape) -> bool {
    shape.flags.intersects(RowFlags::REDUNDANT | RowFlags::MASKED)
}

/// Key shared by neighbours that are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// They are losses.
    Loss,
    /// Kind, core, object, second key.
    Record(RowKind, u16, u64, u64),
}

/// Totals of folded losses.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Losses {
    pub(super) gaps: u64,
    pub(super) lost: u64,
    pub(super) at_least: bool,
    pub(super) bad: u64,
    /// How many of the damaged ones are parts of records.
    pub(super) parts: u64,
    pub(super) bytes: u64,
}

/// `, #187 to #2166`: the records around a fold; nothing where there are none in between, or they are of different
/// sources.
pub(super) fn between(rows: &RowList, first: u64, last: u64) -> String {
    match (rows.records_before(first), rows.records_before(last)) {
        (Some((source, a)), Some((other, b))) if source == other && a != b => {
            format!(", {} to {}", number_text(source, a), number_text(source, b + 1))
        }
        _ => String::new(),
    }
}

fn frames(count: u64) -> String {
    if count == 1 { "1 frame".to_owned() } else { format!("{} frames", grouped(count)) }
}

impl Losses {
    /// `3 losses, ≥5 records`; `unit` = what is lost.
    pub(super) fn words(&self, unit: &str) -> String {
        let at_least = if self.at_least { "≥" } else { "" };
        match (self.gaps, self.bad) {
            (0, bad) if bad == self.parts => {
                format!("parts without begin or end in {} places, {} bytes", grouped(bad), grouped(self.bytes))
            }
            (0, bad) => format!("{} damaged frames, {} bytes", grouped(bad), grouped(self.bytes)),
            (gaps, 0) => format!("{gaps} losses, {at_least}{}", units(self.lost, unit)),
            (gaps, bad) => {
                format!("{gaps} losses, {at_least}{}, {} came damaged", units(self.lost, unit), frames(bad))
            }
        }
    }
}

pub(super) fn unknown_loss() -> Line {
    Line {
        role: Role::Loss,
        severity: Severity::ERROR,
        time: String::new(),
        delta: String::new(),
        core: String::new(),
        group: String::new(),
        span: spytui_engine::store::Span::None,
        unsure: false,
        kind: String::new(),
        object: String::new(),
        what: "data lost here".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_losses_have_the_unit_of_the_decoder() {
        let losses = Losses { gaps: 2, lost: 3, ..Losses::default() };
        assert_eq!([losses.words("buffer"), losses.words("record")], ["2 losses, 3 buffers", "2 losses, 3 records"]);
        let parts = Losses { bad: 2, parts: 2, bytes: 32, ..Losses::default() };
        assert_eq!(parts.words("buffer"), "parts without begin or end in 2 places, 32 bytes");
        let losses = Losses { lost: 1, at_least: true, bad: 1, ..losses };
        assert_eq!(losses.words("event"), "2 losses, ≥1 event, 1 frame came damaged");
    }
}
