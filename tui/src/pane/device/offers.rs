//! What stands in the way of a change, and the commands that could be sent now.

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

use super::lines::TreeLine;
use crate::{
    input::quoted,
    model::links::{Source, WayBack},
    term::Role,
};

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
