//! What is left out of the list, or put into one line of it: records that are no news, losses that add up, equal
//! records.

use spytui_engine::{
    list::{RowList, RowSource, row_list::number_text},
    present::{Line, Role, clock::grouped},
    store::Shape,
};
use spytui_plugin_api::{RowKind, Severity, row::RowFlags};

use super::state::App;

/// What the list leaves out, or puts into one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Folding {
    /// Records that are no news are left out.
    #[default]
    NoNews,
    /// Every record stands for itself.
    Nothing,
    /// Records that are no news are left out, and equal neighbours are one line.
    Equal,
}

impl Folding {
    /// The next one; where there are no records without news, they make no difference.
    #[must_use]
    pub fn next(self, no_news: bool) -> Folding {
        match (self, no_news) {
            (Folding::NoNews, true) => Folding::Nothing,
            (Folding::NoNews, false) | (Folding::Nothing, _) => Folding::Equal,
            (Folding::Equal, _) => Folding::NoNews,
        }
    }

    /// Whether a row is left out.
    pub(super) fn hides(self, rows: &RowList, row: u64) -> bool {
        self != Folding::Nothing && rows.ensure_loaded(row) && rows.shape(row).is_some_and(|shape| is_no_news(&shape))
    }
}

/// Whether rows of a shape say nothing that is not known.
pub(super) fn is_no_news(shape: &Shape) -> bool {
    shape.flags.intersects(RowFlags::REDUNDANT)
}

impl App {
    /// Folds neighbours, or shows what is left out.
    pub(super) fn fold(&mut self) {
        let quiet = self.no_news();
        self.list.folding = self.list.folding.next(quiet.is_some());
        let text = match (self.list.folding, quiet) {
            (Folding::Nothing, Some(quiet)) => format!("{quiet} shown"),
            (Folding::Equal, Some(quiet)) => format!("{quiet} hidden, equal neighbours are folded"),
            (Folding::NoNews, Some(quiet)) => format!("{quiet} hidden"),
            (Folding::Equal, None) => "equal neighbours are folded".to_owned(),
            (_, None) => "folding off".to_owned(),
        };
        self.say(text);
    }

    /// Shows a row that is left out as no news.
    pub(super) fn uncover(&mut self, row: u64) {
        if self.list.folding.hides(&self.rows, row) {
            self.list.folding = Folding::NoNews;
            self.fold();
        }
    }

    /// What is left out as no news; `None` = nothing is.
    pub(super) fn hidden_no_news(&self) -> Option<String> {
        if self.list.folding == Folding::Nothing { None } else { self.no_news().map(|words| format!("{words} hidden")) }
    }

    /// Records that the list leaves out as no news.
    pub(super) fn no_news_hidden(&self) -> u64 {
        if self.list.folding == Folding::Nothing { 0 } else { self.rows.rows_of(is_no_news) }
    }

    /// Records that are no news, in words; those that a loss tells of are in sight with it.
    fn no_news(&self) -> Option<String> {
        let of = |flags| self.rows.rows_of(|shape| shape.flags.intersects(flags));
        match (of(RowFlags::UNCHANGED), of(RowFlags::REPORTED)) {
            (0, 0) => None,
            (0, 1) => Some("1 record that a note tells of".to_owned()),
            (0, told) => Some(format!("{} records that notes tell of", grouped(told))),
            (1, _) => Some("1 repeat".to_owned()),
            (repeats, _) => Some(format!("{} repeats", grouped(repeats))),
        }
    }
}

/// What neighbours have in common that are one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// They are losses.
    Loss,
    /// Kind, core, object, second key.
    Record(RowKind, u16, u64, u64),
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
pub(super) fn between(rows: &RowList, first: u64, last: u64) -> String {
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
        severity: Severity::ERROR,
        time: String::new(),
        delta: String::new(),
        core: String::new(),
        group: String::new(),
        span: spytui_engine::store::Span::None,
        unsure: false,
        kind: String::new(),
        object: String::new(),
        what: "something was lost here".to_owned(),
    }
}
