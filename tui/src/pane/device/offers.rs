//! Lines above the switches: what is in the way of a change, and what could be sent now.

use spytui_engine::{
    device::{
        command,
        control::{CommandState, CommandStatus},
        switches::{FILTER, kind_of},
    },
    store::Dictionary,
    trace::session::KindSums,
};
use spytui_plugin_api::{FilterOp, FilterOpKind, Info, NONE};

use super::line::Line;
use crate::{
    input::quoted,
    model::links::{Source, WayBack},
    term::Role,
};

/// All of them.
pub(super) fn lines(info: &Info, source: &Source, dictionary: &Dictionary) -> Vec<Line> {
    let mut lines = Vec::new();
    match &source.status.way_back {
        WayBack::Never => lines.push(Line::note("this link only reads; :filter hides rows here", Role::Help)),
        WayBack::NotNow(why) => lines.push(Line::note(why, Role::Warning)),
        WayBack::Open => {}
    }
    let again = again(info, source);
    if !again.is_empty() {
        let text = "the target was reset or its link was down: its filter is unknown";
        lines.push(Line::note(text, Role::Warning));
        lines.extend(again);
    }
    lines.extend(on_this_side(info, source, dictionary));
    lines
}

/// What was acknowledged before a reset.
fn again(info: &Info, source: &Source) -> Vec<Line> {
    let forgotten = &source.status.target.forgotten;
    let spec = |command| Some((command, command::spec(info, command, forgotten)?));
    let line = |(command, spec): (&spytui_plugin_api::info::CommandInfo, String)| Line::Offer {
        about: "send it again".to_owned(),
        line: format!("target {} {spec}", command.name),
    };
    info.commands.iter().filter_map(spec).map(line).collect()
}

/// For a target that does not answer: the same as a display filter.
fn on_this_side(info: &Info, source: &Source, dictionary: &Dictionary) -> Option<Line> {
    let commands = &source.status.target.commands;
    let last: &CommandStatus = commands.iter().rev().find(|command| command.name == FILTER)?;
    let CommandState::TimedOut(_) = last.state else { return None };
    let parsed = command::parse(&last.line, info, dictionary).ok()?;
    let terms: Option<Vec<String>> = parsed.filter().iter().map(|op| term(info, op)).collect();
    let terms = terms.filter(|terms| !terms.is_empty())?;
    Some(Line::Offer { about: "no answer; the same here".to_owned(), line: format!("filter {}", terms.join(" ")) })
}

/// A change as a term of a display filter, if there is one for it.
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
