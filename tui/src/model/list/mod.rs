//! The rows shown, with everything that is kept for a list while another one is shown.

mod gutter;
mod page;
pub mod words;

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use spytui_engine::{
    io::log::RecordedMark,
    present::{RowLine, RowRole, clock::grouped, words::counted},
    query::Needs,
    store::Shape,
    trace::{
        list::{Bookmark, Filter, ListGrowth, RowList},
        session::Decoding,
    },
};
use spytui_plugin_api::row::RowFlags;

pub use gutter::MOST_COLUMNS as MOST_GUTTER_COLUMNS;
pub use page::{CONTEXT, Collapse, Page, is_redundant};
pub use words::{TextPart, name_role};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    pub first: u64,
    /// Last row of the entry; neighbouring losses are folded.
    pub last: u64,
    pub n: Option<u64>,
    /// Index of its source in the list.
    pub source: usize,
    /// Position of its first byte.
    pub(in crate::model) pos: u64,
    /// The row's own time stamp, if any.
    pub time: Option<u64>,
    /// Sequence number, bytes and epoch, for lists with these columns.
    pub extra: Extra,
    pub line: RowLine,
    /// The spans open at its row, each in its own column.
    pub gutter: String,
    /// Roles of the words in its text.
    pub parts: Vec<TextPart>,
    pub changes_state: bool,
}

impl ListEntry {
    /// Whether it combines neighbouring records that only name things.
    pub fn folds_names(&self) -> bool {
        self.line.role == RowRole::Note && self.first != self.last
    }
}

/// Parts of a row that only some lists show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extra {
    pub seq: Option<u64>,
    pub bytes: u64,
    /// Epoch of the target, from 0.
    pub epoch: u32,
    /// Time of the previous shown row with a time stamp.
    pub(in crate::model) before: Option<u64>,
}

#[derive(Debug)]
pub struct List {
    pub rows: RowList,
    /// The source that [`Self::decoding`] is about.
    pub focus: usize,
    pub page: Page,
    /// Marks by name.
    pub marks: BTreeMap<String, RowMark>,
    /// Positions to go back and forward to.
    pub(in crate::model) jumps: JumpList,
    /// The row whose incident is shown.
    pub incident: Option<LogPosition>,
    /// The row since which changes of objects are shown.
    pub compared: Option<LogPosition>,
    pub measure_from: Option<u64>,
    pub selected_from: Option<u64>,
    /// Position that the cursor moves to once its row is in the list.
    pub wanted: Option<LogPosition>,
    /// Rows wait for a silent source.
    pub waits: bool,
    /// [`RowList::rebuilt`] at the last check.
    rebuilt: u64,
}

impl List {
    /// Starts at the beginning, or following the newest row.
    pub fn new(rows: RowList, follow: bool, filter: Filter) -> List {
        List {
            rebuilt: rows.rebuilt(),
            rows,
            focus: 0,
            page: Page::new(follow, filter),
            marks: BTreeMap::new(),
            jumps: JumpList::default(),
            incident: None,
            compared: None,
            measure_from: None,
            selected_from: None,
            wanted: None,
            waits: false,
        }
    }

    pub fn take_rows(&mut self, rows: RowList) {
        self.rebuilt = rows.rebuilt();
        self.focus = self.focus.min(rows.sources() - 1);
        self.rows = rows;
        self.wanted = None;
        self.page.filter.reset();
        self.follow_marks();
    }

    /// Marks a position, by default with the next free number. Returns the name.
    pub fn mark(&mut self, name: Option<String>, position: LogPosition, note: String) -> String {
        let free = || (1..).map(|n: u32| n.to_string()).find(|n| !self.marks.contains_key(n)).unwrap_or_default();
        let name = name.unwrap_or_else(free);
        self.marks.insert(name.clone(), RowMark { position, note });
        self.follow_marks();
        name
    }

    /// Removes the mark of a position; returns its name.
    pub fn unmark(&mut self, position: LogPosition) -> Option<String> {
        let name = self.mark_at(position)?.to_owned();
        self.marks.remove(&name);
        self.follow_marks();
        Some(name)
    }

    /// The name of the mark of a position.
    pub fn mark_at(&self, position: LogPosition) -> Option<&str> {
        self.marks.iter().find(|(_, mark)| mark.position == position).map(|(name, _)| name.as_str())
    }

    pub fn unmark_all(&mut self) {
        self.marks.clear();
        self.follow_marks();
    }

    /// Passes the marks to the rows, and re-evaluates what depends on them.
    fn follow_marks(&mut self) {
        let bookmark = |(name, mark): (&String, &RowMark)| {
            let LogPosition { source, pos, nth } = mark.position;
            Bookmark { name: name.clone(), source, pos, nth }
        };
        self.rows.set_bookmarks(self.marks.iter().map(bookmark).collect());
        if self.page.filter.expr().needs().intersects(Needs::MARK) {
            self.page.filter.reset();
        }
    }

    /// The decoding of the first source, whose decoder and options are shared by all of the target; with several targets,
    /// that of the row under the cursor.
    pub fn decoding(&self) -> &Arc<Decoding> {
        &self.rows.parts[self.focus]
    }

    pub fn grow(&mut self, now: Instant) -> Grown {
        let growth = self.rows.grow(now);
        self.waits = growth == ListGrowth::Waits;
        let rebuilt = self.rows.rebuilt() != self.rebuilt;
        if rebuilt {
            // Rows have been renumbered.
            self.rebuilt = self.rows.rebuilt();
            self.page.filter.reset();
        }
        if let Some(row) = self.wanted.filter(|at| self.is_decoded(*at)).and_then(|position| self.row_at(position)) {
            self.page.cursor = row;
            self.wanted = None;
        }
        Grown { more: growth == ListGrowth::More, rebuilt }
    }

    /// Whether the row of a position is known: the last one before it is not meant while more follow.
    fn is_decoded(&self, position: LogPosition) -> bool {
        let decoding = self.rows.parts.get(position.source);
        decoding.is_none_or(|decoding| decoding.pos() > position.pos || decoding.ended())
    }

    /// Finds and renders the lines of a page.
    pub fn fill_page(&mut self, height: usize, now: Instant) {
        self.page.fill(&self.rows, height, now);
    }

    /// The row under the cursor; while the list follows, the newest one, even if the list is not on the screen.
    pub fn row_here(&self) -> u64 {
        if self.page.follow { self.rows.len().saturating_sub(1) } else { self.page.cursor }
    }

    pub fn cursor_entry(&self) -> Option<&ListEntry> {
        self.page.entries.get(self.page.cursor_entry()?)
    }

    /// First and last row of the selection, or the cursor row.
    pub fn selection(&self) -> (u64, u64) {
        let (from, cursor) = (self.selected_from.unwrap_or(self.page.cursor), self.page.cursor);
        (from.min(cursor), from.max(cursor))
    }

    pub fn is_marked(&self, entry: &ListEntry) -> bool {
        let is_in = |row| entry.first <= row && row <= entry.last;
        self.marks.values().map(|mark| mark.position).any(|position| {
            (position.source, position.pos) == (entry.source, entry.pos) && self.row_at(position).is_none_or(is_in)
        })
    }

    /// Describes hidden redundant records; `None` if there are none.
    pub fn redundant_text(&self) -> Option<String> {
        if self.page.collapse == Collapse::Nothing {
            return None;
        }
        self.redundant().map(|words| format!("{words} hidden"))
    }

    pub fn redundant_count(&self) -> u64 {
        if self.page.collapse == Collapse::Nothing { 0 } else { self.rows.rows_of(is_redundant) }
    }

    /// Switches to the next collapsing mode and returns the message about it.
    pub fn turn_collapse(&mut self) -> String {
        let quiet = self.redundant();
        self.page.collapse = self.page.collapse.next(quiet.is_some());
        match (self.page.collapse, quiet) {
            (Collapse::Nothing, Some(quiet)) => format!("{quiet} shown"),
            (Collapse::Equal, Some(quiet)) => format!("{quiet} hidden, equal neighbours are folded"),
            (Collapse::Redundant, Some(quiet)) => format!("{quiet} hidden"),
            (Collapse::Equal, None) => "equal neighbours are folded".to_owned(),
            (_, None) => "folding off".to_owned(),
        }
    }

    pub fn hides_masked(&self) -> bool {
        let is_masked = |shape: &Shape| shape.row.flags.contains(RowFlags::MASKED);
        self.page.collapse != Collapse::Nothing && self.rows.rows_of(is_masked) > 0
    }

    /// Gives redundant records their own lines until [`List::hide_redundant`]; returns a message. `was_filtered` is
    /// remembered.
    pub fn show_redundant(&mut self, was_filtered: bool) -> String {
        let quiet = self.redundant().unwrap_or_default();
        self.page.before_all = Some((self.page.collapse, was_filtered));
        self.page.collapse = Collapse::Nothing;
        format!("every row is shown, also {quiet}")
    }

    /// Hides redundant records again, if [`List::show_redundant`] showed them.
    pub fn hide_redundant(&mut self) -> Option<(String, bool)> {
        let before = self.page.before_all.take().filter(|_| self.page.collapse == Collapse::Nothing);
        let (collapse, was_filtered) = before?;
        self.page.collapse = collapse;
        Some((format!("{} hidden", self.redundant().unwrap_or_default()), was_filtered))
    }

    /// Describes redundant records; those reported by a loss are visible with it.
    fn redundant(&self) -> Option<String> {
        let of = |flags| self.rows.rows_of(|shape| shape.row.flags.intersects(flags));
        match (of(RowFlags::UNCHANGED), of(RowFlags::REPORTED)) {
            (0, 0) => match of(RowFlags::MASKED) {
                0 => None,
                masked => Some(counted(masked, "masked record")),
            },
            (0, 1) => Some("1 record with a note".to_owned()),
            (0, reported) => Some(format!("{} records with notes", grouped(reported))),
            (repeats, _) => Some(counted(repeats, "repeat")),
        }
    }

    /// Position of a row in the log of its source.
    pub fn position_of(&self, row: u64) -> Option<LogPosition> {
        let (source, row) = self.rows.locate(row)?;
        let decoding = self.rows.source(source);
        decoding.ensure_loaded(row);
        let pos = decoding.read().rows.row(row)?.pos;
        Some(LogPosition { source, pos, nth: row - rows_before(decoding, |p| p < pos) })
    }

    /// The row at a log position, or the last one before it, once it is in the list.
    pub fn row_at(&self, position: LogPosition) -> Option<u64> {
        let decoding = self.rows.parts.get(position.source)?;
        let last = rows_before(decoding, |pos| pos <= position.pos).checked_sub(1)?;
        let first = rows_before(decoding, |pos| pos < position.pos);
        self.rows.place(position.source, first.saturating_add(position.nth).min(last))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grown {
    /// More work can be done at once.
    pub more: bool,
    /// Rows have been renumbered.
    pub rebuilt: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LogPosition {
    /// Index of the source in the list.
    pub(in crate::model) source: usize,
    pub(in crate::model) pos: u64,
    /// Index among the rows there: a loss and the record that revealed it share a position.
    pub(in crate::model) nth: u64,
}

/// Number of rows before the first one whose position does not fit.
pub fn rows_before(decoding: &Decoding, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (decoding.first_kept(), decoding.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // Dropped rows are decoded again; each step of the search then needs one segment.
        decoding.ensure_loaded(middle);
        match decoding.read().rows.row(middle) {
            Some(row) if fits(row.pos) => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}

const KEPT: usize = 200;

/// Start positions of jumps, oldest first, and the user's place among them.
#[derive(Debug, Default)]
pub struct JumpList {
    positions: Vec<LogPosition>,
    at: usize,
}

impl JumpList {
    /// Remembers a position before a jump; forward positions are forgotten.
    pub fn push(&mut self, position: LogPosition) {
        self.positions.truncate(self.at);
        if self.positions.last() != Some(&position) {
            self.positions.push(position);
        }
        if self.positions.len() > KEPT {
            self.positions.remove(0);
        }
        self.at = self.positions.len();
    }

    /// Goes one step back; the first step remembers `here`.
    pub fn back(&mut self, here: Option<LogPosition>) -> Option<LogPosition> {
        if self.at == self.positions.len()
            && let Some(here) = here
        {
            self.push(here);
            self.at = self.positions.len() - 1;
        }
        self.go_to(self.at.checked_sub(1)?)
    }

    pub fn forward(&mut self) -> Option<LogPosition> {
        self.go_to(self.at + 1)
    }

    fn go_to(&mut self, at: usize) -> Option<LogPosition> {
        let position = self.positions.get(at).copied()?;
        self.at = at;
        Some(position)
    }
}

/// A row marked by the user, by its log position, because a switch of the decoder renumbers rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowMark {
    #[serde(flatten)]
    pub(in crate::model) position: LogPosition,
    #[serde(default)]
    pub note: String,
}

impl RowMark {
    pub(in crate::model) fn recorded(&self, name: &str) -> RecordedMark {
        let LogPosition { pos, nth, .. } = self.position;
        RecordedMark { name: name.to_owned(), pos, nth, note: self.note.clone() }
    }

    pub(in crate::model) fn of_recorded(source: usize, mark: RecordedMark) -> RowMark {
        RowMark { position: LogPosition { source, pos: mark.pos, nth: mark.nth }, note: mark.note }
    }
}
