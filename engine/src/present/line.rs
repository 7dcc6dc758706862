//! The columns of a row, as in the list and native text, and their widths.

use spytui_plugin_api::row::{Row, RowFlags, RowKind, Severity};

use super::{clock::Clock, words::Labels};

/// Role of a row, which decides its style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    #[default]
    Record,
    /// Missing or damaged data.
    Loss,
    /// Reset, link, command.
    Event,
    /// Console output of the target.
    Console,
    Note,
}

impl Role {
    pub fn of(row: &Row) -> Role {
        match row.kind {
            RowKind::CONSOLE => Role::Console,
            kind if kind.is_loss() => Role::Loss,
            RowKind::LINK | RowKind::COMMAND | RowKind::RESULT | RowKind::RESET | RowKind::RESTART => Role::Event,
            _ if row.has(RowFlags::EPOCH) => Role::Event,
            kind if kind.is_note() => Role::Note,
            _ => Role::Record,
        }
    }

    /// Whether a row of this role and severity is marked: warnings, errors, unusual records.
    pub fn warns(self, severity: Severity) -> bool {
        let least = if self == Role::Record { Severity::INFO } else { Severity::WARNING };
        severity >= least
    }
}

/// A row in columns; all text is safe for a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub role: Role,
    pub severity: Severity,
    /// Empty if the row has no time stamp of its own.
    pub time: String,
    /// Delta to the previous row with a time stamp.
    pub delta: String,
    /// Empty if the protocol has no cores.
    pub core: String,
    pub group: String,
    pub kind: String,
    pub object: String,
    pub what: String,
}

impl Line {
    /// Whether the first column shows a warning.
    pub fn warns(&self) -> bool {
        self.role.warns(self.severity)
    }
}

/// Column widths; constant while scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Time; 0 hides a column.
    pub time: usize,
    pub delta: usize,
    pub core: usize,
    pub group: usize,
    /// Span gutter, 0 or 1.
    pub gutter: usize,
    pub kind: usize,
    pub object: usize,
}

impl Widths {
    /// For a list of `columns` columns, with or without a core column.
    pub fn new(labels: &Labels, clock: Clock, columns: usize, cores: bool) -> Widths {
        let object = labels.object_width;
        let shown = |from: usize, width: usize| if columns >= from { width } else { 0 };
        Widths {
            time: clock.width(),
            delta: shown(72, 7),
            core: if cores { shown(50, 2) } else { 0 },
            group: shown(64, labels.group_width.clamp(2, 4)),
            gutter: shown(56, 1),
            kind: labels.kind_width,
            object: if columns >= 120 { object + 8 } else { object + columns.saturating_sub(100).min(8) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_no_records() {
        assert_eq!(Role::of(&Row { kind: RowKind::GAP, ..Row::default() }), Role::Loss);
        assert_eq!(Role::of(&Row { kind: RowKind(64), flags: RowFlags::EPOCH, ..Row::default() }), Role::Event);
    }
}
