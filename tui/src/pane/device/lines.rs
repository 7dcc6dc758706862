//! The lines of the tree, and their places; first what stands in the way of a change, and the commands that could be sent
//! now.

use spytui_engine::{
    device::{
        command,
        control::{CommandState, CommandStatus},
        switches::{FILTER, kind_of},
    },
    store::Dictionary,
    trace::session::KindSums,
};
use spytui_plugin_api::{
    FilterOp, FilterOpKind, NONE,
    info::{CommandInfo, Info},
};

use crate::{
    input::quoted,
    model::links::{Source, WayBack},
    term::Role,
};

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

/// Obstacles to a change, and commands that could be sent now.
pub(super) fn offers(info: &Info, source: &Source, dictionary: &Dictionary) -> Vec<TreeLine> {
    let mut lines = Vec::new();
    match &source.status.way_back {
        WayBack::Never => lines.push(TreeLine::note("this link only reads; :filter hides rows here", Role::Help)),
        WayBack::NotNow(why) => lines.push(TreeLine::note(why, Role::Warning)),
        WayBack::Open => {}
    }
    let again = again(info, source);
    if !again.is_empty() {
        let text = "the target was reset or its link was down: its filter is unknown";
        lines.push(TreeLine::note(text, Role::Warning));
        lines.extend(again);
    }
    lines.extend(on_this_side(info, source, dictionary));
    lines
}

/// What was acknowledged before a reset.
fn again(info: &Info, source: &Source) -> Vec<TreeLine> {
    let forgotten = &source.status.target.forgotten;
    let spec = |command| Some((command, command::spec(info, command, forgotten)?));
    let line = |(command, spec): (&CommandInfo, String)| TreeLine::Offer {
        about: "send it again".to_owned(),
        line: format!("target {} {spec}", command.name),
    };
    info.commands.iter().filter_map(spec).map(line).collect()
}

/// For a target that does not answer: the equivalent display filter.
fn on_this_side(info: &Info, source: &Source, dictionary: &Dictionary) -> Option<TreeLine> {
    let commands = &source.status.target.commands;
    let last: &CommandStatus = commands.iter().rev().find(|command| command.name == FILTER)?;
    let CommandState::TimedOut(_) = last.state else { return None };
    let parsed = command::parse(&last.line, info, dictionary).ok()?;
    let terms: Option<Vec<String>> = parsed.filter.iter().map(|op| term(info, op)).collect();
    let terms = terms.filter(|terms| !terms.is_empty())?;
    Some(TreeLine::Offer { about: "no answer; the same here".to_owned(), line: format!("filter {}", terms.join(" ")) })
}

/// A change as a term of a display filter, if possible.
fn term(info: &Info, op: &FilterOp) -> Option<String> {
    let table = info.filters.iter().find(|table| table.id == op.table)?;
    if op.kind != FilterOpKind::OFF {
        return None;
    }
    if op.group != NONE {
        let group = table.groups.get(usize::from(op.group))?;
        let is_shown = info.groups.iter().any(|of| of.tag == group.name);
        return is_shown.then(|| format!("-group:{}", quoted(&group.name)));
    }
    let kind = kind_of(info, op.first, &KindSums::new()).filter(|_| table.is_kinds && op.first == op.last)?;
    Some(format!("-kind:{}", quoted(info.kind(kind)?.tag())))
}
