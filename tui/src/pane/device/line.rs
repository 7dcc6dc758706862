//! The lines of the pane, and their places in the tree.

use crate::term::Role;

/// Which part of the tree a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Index of the table.
    pub(super) table: u16,
    /// Id of its command.
    pub(super) command: u16,
    pub(super) what: What,
    /// The group in which a switch is shown.
    pub(super) parent: Option<u16>,
}

/// A table, a group of it, or a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Table,
    Group(u16),
    Switch(u64),
}

impl Place {
    /// The same, wherever it is shown.
    pub(super) fn alone(self) -> Place {
        Place { parent: None, ..self }
    }

    /// What it is shown in.
    pub(super) fn above(self) -> Place {
        let what = match (self.what, self.parent) {
            (What::Switch(_), Some(group)) => What::Group(group),
            _ => What::Table,
        };
        Place { what, parent: None, ..self }
    }
}

/// A line of the tree.
#[derive(Debug)]
pub(super) enum Line {
    /// Words.
    Note(String, Role),
    /// Enter fills the command line with this.
    Offer { about: String, line: String },
    /// A table, and how its states can be known.
    Table { place: Place, title: String, note: String, has_figures: bool },
    /// A group or a switch.
    Switch(SwitchLine),
}

/// A group or a switch.
#[derive(Debug)]
pub(super) struct SwitchLine {
    pub(super) place: Place,
    /// How far it is to the right.
    pub(super) depth: usize,
    pub(super) name: String,
    pub(super) title: String,
    /// `, 12 ids`, where there is room.
    pub(super) ids: String,
    /// `[x]`, `[ ]`, `[-]` or `[?]`
    pub(super) mark: &'static str,
    pub(super) state: String,
    pub(super) is_off: bool,
    pub(super) staged: Option<bool>,
    pub(super) figures: Option<Figures>,
    /// The word in a command, and the command.
    pub(super) word: String,
    pub(super) command: String,
    /// Switches that it is about.
    pub(super) size: u64,
    /// Changes that make sense, the likeliest first.
    pub(super) changes: Vec<bool>,
}

/// What a switch is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) records: u64,
    /// A second if bytes may come, otherwise in all.
    pub(super) bytes: u64,
    /// Of the line, or of all bytes, in thousandths.
    pub(super) share: Option<u64>,
}

impl Line {
    pub(super) fn note(text: &str, role: Role) -> Line {
        Line::Note(text.to_owned(), role)
    }

    /// What it is in the tree.
    pub(super) fn place(&self) -> Option<Place> {
        match self {
            Line::Table { place, .. } => Some(*place),
            Line::Switch(line) => Some(line.place),
            Line::Note(..) | Line::Offer { .. } => None,
        }
    }

    /// The command line that it offers.
    pub(super) fn offer(&self) -> Option<String> {
        match self {
            Line::Offer { line, .. } => Some(line.clone()),
            _ => None,
        }
    }

    /// The command line for its likeliest change.
    pub(super) fn change(&self) -> Option<String> {
        let Line::Switch(line) = self else { return None };
        let sign = if *line.changes.first()? { '+' } else { '-' };
        Some(format!("target {} {sign}{}", line.command, line.word))
    }

    /// Its text, for a search.
    pub(super) fn text(&self) -> String {
        match self {
            Line::Note(text, _) => text.clone(),
            Line::Offer { about, line } => format!("{about}: :{line}"),
            Line::Table { title, note, .. } => format!("{title}  {note}"),
            Line::Switch(line) => format!("{} {}  {}", line.name, line.title, line.state),
        }
    }
}
