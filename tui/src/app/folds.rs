//! Neighbours that are one line of the list: losses that add up, equal records.

use spytui_engine::{
    merge::{Listing, listing::number_text},
    present::{Line, Role, clock::grouped},
};

/// What neighbours have in common that are one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// They are losses.
    Loss,
    /// Kind, lane, object, second key.
    Record(u16, u16, u64, u64),
}

/// What a fold of losses adds up to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Losses {
    pub(super) gaps: u64,
    pub(super) lost: u64,
    pub(super) at_least: bool,
    pub(super) bad: u64,
    pub(super) bytes: u64,
}

/// `, #187 to #2166`: the records around a fold; nothing where there are none in between, or they are of different
/// sources.
pub(super) fn between(rows: &Listing, first: u64, last: u64) -> String {
    match (rows.records_before(first), rows.records_before(last)) {
        (Some((source, a)), Some((other, b))) if source == other && a != b => {
            format!(", {} to {}", number_text(source, a), number_text(source, b + 1))
        }
        _ => String::new(),
    }
}

impl Losses {
    pub(super) fn words(&self) -> String {
        let at_least = if self.at_least { "≥" } else { "" };
        match (self.gaps, self.bad) {
            (0, bad) => format!("{bad} damaged frames, {} bytes", grouped(self.bytes)),
            (gaps, 0) => format!("{gaps} losses, {at_least}{} records", grouped(self.lost)),
            (gaps, bad) => {
                format!("{gaps} losses, {at_least}{} records, {bad} frames came damaged", grouped(self.lost))
            }
        }
    }
}

pub(super) fn unknown_loss() -> Line {
    Line {
        role: Role::Loss,
        severity: 3,
        time: String::new(),
        delta: String::new(),
        lane: String::new(),
        group: String::new(),
        span: spytui_engine::store::Span::None,
        unsure: false,
        kind: String::new(),
        object: String::new(),
        what: "something was lost here".to_owned(),
    }
}
