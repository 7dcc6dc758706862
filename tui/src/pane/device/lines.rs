//! The lines of the tree, and their places.

use crate::term::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TreePlace {
    pub(super) table: u16,
    pub(super) command: u16,
    pub(super) what: TreeItem,
    /// The group in which a switch is shown.
    pub(super) parent: Option<u16>,
}

/// A table, a group of it, or a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TreeItem {
    Table,
    Group(u16),
    Switch(u64),
}

impl TreePlace {
    /// The place without its parent, the same wherever it is shown.
    pub(super) fn alone(self) -> TreePlace {
        TreePlace { parent: None, ..self }
    }

    pub(super) fn above(self) -> TreePlace {
        let what = match (self.what, self.parent) {
            (TreeItem::Switch(_), Some(group)) => TreeItem::Group(group),
            _ => TreeItem::Table,
        };
        TreePlace { what, parent: None, ..self }
    }
}

#[derive(Debug)]
pub(super) enum TreeLine {
    Note(String, Role),
    /// Enter fills the command line with this.
    Offer {
        about: String,
        line: String,
    },
    /// A table, and how its states can be found out.
    Table {
        place: TreePlace,
        title: String,
        note: String,
        has_figures: bool,
    },
    Switch(SwitchLine),
}

#[derive(Debug)]
pub(super) struct SwitchLine {
    pub(super) place: TreePlace,
    pub(super) depth: usize,
    pub(super) name: String,
    pub(super) title: String,
    /// `, 12 ids`, if there is room.
    pub(super) ids: String,
    /// `[x]`, `[ ]`, `[-]` or `[?]`
    pub(super) mark: &'static str,
    pub(super) state: String,
    pub(super) is_off: bool,
    pub(super) staged: Option<bool>,
    pub(super) figures: Option<TrafficFigures>,
    /// The word in a command, and the command.
    pub(super) word: String,
    pub(super) command: String,
    pub(super) size: u64,
    /// Sensible changes, most likely first.
    pub(super) changes: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrafficFigures {
    pub(super) records: u64,
    /// Per second if bytes may arrive, otherwise in total.
    pub(super) bytes: u64,
    /// Per mille of the line, or of all bytes.
    pub(super) share: Option<u64>,
}

impl TreeLine {
    pub(super) fn note(text: &str, role: Role) -> TreeLine {
        TreeLine::Note(text.to_owned(), role)
    }

    pub(super) fn place(&self) -> Option<TreePlace> {
        match self {
            TreeLine::Table { place, .. } => Some(*place),
            TreeLine::Switch(line) => Some(line.place),
            TreeLine::Note(..) | TreeLine::Offer { .. } => None,
        }
    }

    pub(super) fn offer(&self) -> Option<String> {
        match self {
            TreeLine::Offer { line, .. } => Some(line.clone()),
            _ => None,
        }
    }

    /// The command line for its most likely change.
    pub(super) fn change(&self) -> Option<String> {
        let TreeLine::Switch(line) = self else { return None };
        let sign = if *line.changes.first()? { '+' } else { '-' };
        Some(format!("target {} {sign}{}", line.command, line.word))
    }

    pub(super) fn text(&self) -> String {
        match self {
            TreeLine::Note(text, _) => text.clone(),
            TreeLine::Offer { about, line } => format!("{about}: :{line}"),
            TreeLine::Table { title, note, .. } => format!("{title}  {note}"),
            TreeLine::Switch(line) => format!("{} {}  {}", line.name, line.title, line.state),
        }
    }
}
