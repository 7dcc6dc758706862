//! Lines of the pane: in which order they are, and from what they are made.

use std::cmp::Reverse;

use spytui_engine::{
    analysis::objects::{ObjectKind, ObjectLine},
    trace::list::{ObjectHistory, Walking},
};
use spytui_plugin_api::info::space;

use crate::{input::quoted, model::Model, pane::table::Sort};

/// Rows that may be behind without a word: they came just now.
const NEWEST: u64 = 10_000;

/// What lines can be sorted by, with the words for it.
pub(super) const SORTS: [&str; 7] =
    ["by kind", "by name", "by state", "by change", "by last event", "by free room", "by share"];

/// How far the records are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Progress {
    /// As far as the cursor.
    There,
    /// All but the newest ones: up to this row.
    Behind(u64),
    /// So much of what is before the cursor, in per cent.
    Reading(u64),
    /// They can't be read again.
    Failed(String),
}

impl Progress {
    /// How far a history is, for the cursor of the list.
    pub(super) fn of(history: &ObjectHistory, model: &Model) -> Progress {
        let (walked, rows, cursor) = (history.walked(), model.list.rows.len(), model.list.row_here());
        match history.failure() {
            _ if walked > cursor => Progress::There,
            Some(failure) => Progress::Failed(failure.to_owned()),
            None if walked > 0 && cursor < rows && cursor - walked < NEWEST && rows > 2 * NEWEST => {
                Progress::Behind(walked - 1)
            }
            None => Progress::Reading(walked * 100 / (cursor + 1).max(1)),
        }
    }

    /// The row to show the objects of.
    pub(super) fn row(&self, cursor: u64) -> Option<u64> {
        match self {
            Progress::There => Some(cursor),
            Progress::Behind(row) => Some(*row),
            Progress::Reading(_) | Progress::Failed(_) => None,
        }
    }
}

/// Sorts lines that are in the order of their kinds.
pub(super) fn sort_lines(lines: &mut [ObjectLine], sort: Sort) {
    let last = |line: &ObjectLine| line.last.as_ref().map(|last| last.at.row);
    match sort.column {
        1 => lines.sort_by(|a, b| a.name.cmp(&b.name)),
        2 => lines.sort_by(|a, b| a.state.cmp(&b.state)),
        3 => lines.sort_by_key(|line| Reverse(line.since.map(|since| since.row))),
        4 => lines.sort_by_key(|line| Reverse(last(line))),
        5 => lines.sort_by_key(|line| line.fullness),
        6 => lines.sort_by_key(|line| Reverse(line.permille)),
        _ => {}
    }
    if sort.reverse {
        lines.reverse();
    }
}

/// A line as text, for a search.
pub(super) fn text_of(line: &ObjectLine) -> String {
    let last = line.last.as_ref().map_or_else(String::new, |last| format!("{} {}", last.kind, last.item));
    format!("{} {} {} {last} {}", line.kind.word(), line.name, line.state, line.level)
}

/// The display filter that shows the rows about an object, whose full name this is.
pub(super) fn filter_of(line: &ObjectLine, name: &str) -> String {
    match line.key.space {
        space::CORES => format!("core:{}", line.key.key),
        space::KINDS => format!("kind:{}", quoted(name)),
        _ if line.kind == ObjectKind::Core => format!("core:{}", line.key.key),
        _ => format!("obj:{}", quoted(name)),
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::analysis::{Key, objects::Moment};

    use super::*;

    fn line(name: &str, since: u64, fullness: u64) -> ObjectLine {
        ObjectLine {
            key: Key { space: 16, key: since, scope: 0 },
            kind: ObjectKind::Machine,
            name: name.to_owned(),
            state: format!("{name}_idle"),
            is_unsure: false,
            since: Some(Moment { row: since, ..Moment::default() }),
            last: None,
            level: String::new(),
            level_numbers: None,
            is_level_unsure: false,
            fullness,
            permille: None,
            events: 1,
        }
    }

    #[test]
    fn lines_are_sorted_by_each_column() {
        let lines = [line("motor", 7, 3), line("door", 9, 5), line("super", 2, 1)];
        let sorted = |column, reverse| {
            let mut lines = lines.clone();
            sort_lines(&mut lines, Sort { column, reverse });
            lines.map(|line| line.name).join(" ")
        };
        assert_eq!([sorted(0, false), sorted(1, false)], ["motor door super", "door motor super"]);
        assert_eq!([sorted(3, false), sorted(3, true)], ["door motor super", "super motor door"]);
        assert_eq!(sorted(5, false), "super motor door");
    }

    #[test]
    fn an_object_is_found_by_its_name_and_a_core_by_its_number() {
        assert_eq!(filter_of(&line("", 1, 0), "Tmr Svc"), "obj:\"Tmr Svc\"");
        let core = Key { space: space::CORES, key: 1, scope: 0 };
        assert_eq!(filter_of(&ObjectLine { key: core, ..line("", 1, 0) }, "core 1"), "core:1");
    }
}
