//! Opening further sources, and showing other lists.

use spytui_engine::{
    io::link::LinkSpec,
    trace::list::{Filter, RowList},
};

use super::{Source, whole_target};
use crate::model::{Effect, Model, list::List};

/// Opens a link and shows it. A link with a core joins the target shown, any other is a target of its own.
pub fn open(model: &mut Model, spec: LinkSpec) {
    let target = match spec.core {
        Some(_) => model.links.first().target,
        None => model.links.free_target(),
    };
    let decode = model.links.decode_request(target, model.list.decoding());
    model.ask_for(Effect::OpenLink(spec, decode));
}

/// Another sender of a link that has several streams: a target of its own.
pub fn open_peer(model: &mut Model, source: usize, index: usize) {
    if index == 0 {
        return;
    }
    let decode = model.links.decode_request(model.links.free_target(), model.list.decoding());
    model.ask_for(Effect::OpenPeer { source, index, decode });
}

/// Adds a source that was opened.
pub fn add(model: &mut Model, mut source: Source, peer: bool) {
    let name = source.name();
    if !source.autodetect.is_to_choose() {
        source.autodetect = model.links.first().autodetect.beside();
    }
    model.links.sources.push(source);
    if peer {
        return model.say(format!("{name}: new source; ) shows the next one"));
    }
    model.say(format!("{name} opened; ( and ) switch sources"));
    show(model, whole_target(&model.links.sources, model.links.sources.len() - 1));
}

/// The next or previous list.
pub fn turn(model: &mut Model, by: i64) {
    let lists = model.links.lists();
    if lists.len() < 2 {
        return model.say("only one source; :open LINK opens another");
    }
    let next = (model.links.list_shown() as i64 + by).rem_euclid(lists.len() as i64) as usize;
    show(model, lists[next].clone());
    let place = model.links.list_place(&model.links.scope);
    let name = match model.links.scope.as_slice() {
        [_] => format!(": {}", model.links.list_name(&model.links.scope)),
        _ => String::new(),
    };
    model.say(format!("{place}{name}"));
}

/// The word for all sources of the target shown.
const ALL: &str = "all";

/// The word for a list in `:source`.
pub fn list_word(list: &[usize]) -> String {
    match list {
        [one] => (one + 1).to_string(),
        _ => ALL.to_owned(),
    }
}

/// Shows a list by its number or the name of its source.
pub fn show_named(model: &mut Model, word: &str) {
    match list_named(model, word) {
        Ok(list) => show(model, list),
        Err(error) => model.fail(error),
    }
}

/// The list of a number or name.
pub(super) fn list_named(model: &Model, word: &str) -> Result<Vec<usize>, String> {
    let lists = model.links.lists();
    let all = (word == ALL).then(|| model.links.target_shown());
    let number = word.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let wanted = all.or_else(|| number.map(|source| vec![source]));
    let by_number = wanted.and_then(|wanted| lists.iter().find(|list| **list == wanted));
    let by_name = || lists.iter().find(|list| model.links.list_name(list) == word);
    by_number.or_else(by_name).cloned().ok_or_else(|| {
        let name = |list: &Vec<usize>| format!("{} {}", list_word(list), model.links.list_name(list));
        let names: Vec<String> = lists.iter().map(name).collect();
        format!("unknown source {word}; available: {}", names.join(", "))
    })
}

/// Shows other sources, at the position where the user left them.
pub fn show(model: &mut Model, scope: Vec<usize>) {
    if scope == model.links.scope || scope.is_empty() {
        return;
    }
    let saved = model.links.saved_views.remove(&scope);
    let before = std::mem::replace(&mut model.links.scope, scope);
    let next = saved.unwrap_or_else(|| fresh(model, model.links.rows()));
    let left = std::mem::replace(&mut model.list, next);
    model.links.saved_views.insert(before, left);
    if model.links.are_in(&model.list.rows) {
        take_rows(model, model.list.rows.clone());
    } else {
        let cursor = model.list.page.cursor();
        let position = if model.list.page.follows() { None } else { model.list.position_of(cursor) };
        let rows = model.links.rows();
        take_rows(model, rows);
        model.list.wanted = position;
    }
    model.list.selected_from = None;
    model.jobs.searching = None;
}

/// A new list with the settings of the current one.
fn fresh(model: &Model, rows: RowList) -> List {
    let page = &model.list.page;
    let mut list = List::new(rows, !model.links.is_over(), Filter::new(page.filter.expr().clone()));
    (list.page.short, list.page.collapse) = (page.short, page.collapse);
    list
}

/// Replaces the rows shown, and forgets everything made from the old ones.
pub fn take_rows(model: &mut Model, rows: RowList) {
    model.list.take_rows(rows);
    model.screen.forget_rows();
    model.panes.forget_rows();
}
