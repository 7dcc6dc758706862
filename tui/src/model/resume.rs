//! What the screen remembers of a list for the next time: filter, marks, cursor, columns, and the pane in front.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spytui_engine::{
    io::log::RecordedMark,
    present::{sanitise_text, words::counted},
    query::{self, Expr, Vocabulary},
};

use super::{
    Effect, Model, filter, jump,
    list::{List, LogPosition, RowMark},
};
use crate::{
    config::{SettingOrigin, SettingValue},
    input::RECORDS,
};

/// A list as the user left it; the default is one at its start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    pub filter: String,
    /// Columns typed for a decoder, separated by commas.
    pub columns: BTreeMap<String, String>,
    /// The pane in front; empty for the list.
    pub pane: String,
    /// The cursor was at the newest row.
    pub follow: bool,
    pub cursor: Option<LogPosition>,
    pub marks: BTreeMap<String, RowMark>,
}

/// What is known of a list from earlier.
#[derive(Debug, Default)]
pub struct Resumed {
    pub remembered: Remembered,
    /// Marks in the recording of each source.
    pub recorded: Vec<Vec<RecordedMark>>,
    /// Length of the file of each source: no position is beyond it.
    pub lengths: Vec<u64>,
    /// What could not be read.
    pub failures: Vec<String>,
}

/// The lists that the user saw, with their sources.
pub fn all_remembered(model: &Model) -> Vec<(Vec<usize>, Remembered)> {
    lists(model).map(|(scope, list)| (scope.clone(), remembered(model, list))).collect()
}

fn lists(model: &Model) -> impl Iterator<Item = (&Vec<usize>, &List)> {
    model.links.saved_views.iter().chain([(&model.links.scope, &model.list)])
}

fn remembered(model: &Model, list: &List) -> Remembered {
    let expr = list.page.filter.expr();
    let pane = Some(model.panes.front()).filter(|pane| *pane != RECORDS);
    let cursor = Some(list.page.cursor).filter(|row| *row > list.rows.first_kept() && !list.page.follow);
    Remembered {
        filter: if expr.is_everything() { String::new() } else { expr.to_string() },
        columns: columns(model),
        pane: pane.map_or(String::new(), |pane| pane.0.to_owned()),
        follow: list.page.follow,
        // Its row may not be there yet.
        cursor: list.wanted.or_else(|| cursor.and_then(|row| list.position_of(row))),
        marks: list.marks.clone(),
    }
}

fn columns(model: &Model) -> BTreeMap<String, String> {
    let typed = model.settings.config.below("columns").filter_map(|(decoder, value, origin)| match (value, origin) {
        (SettingValue::List(columns), SettingOrigin::Typed) if !columns.is_empty() => {
            Some((decoder.to_owned(), columns.join(",")))
        }
        _ => None,
    });
    typed.collect()
}

/// The marks of a source in all lists, as a recording of it has them.
pub fn marks_of(model: &Model, source: usize) -> Vec<RecordedMark> {
    let of_list = |(scope, list): (&Vec<usize>, &List)| {
        let is_here = |mark: &RowMark| scope.get(mark.position.source) == Some(&source);
        let marks = list.marks.iter().filter(|(_, mark)| is_here(mark));
        marks.map(|(name, mark)| mark.recorded(name)).collect::<Vec<_>>()
    };
    let mut marks: Vec<RecordedMark> = lists(model).flat_map(of_list).collect();
    marks.sort();
    marks.dedup();
    marks
}

/// Shows the list as the user left it, with the marks of its recordings.
pub fn resume(model: &mut Model, scope: &[usize], resumed: Resumed) {
    if *scope != model.links.scope {
        return;
    }
    let Resumed { remembered, recorded, lengths, mut failures } = resumed;
    let mut parts = Vec::new();
    match expr_of(model, &remembered.filter) {
        // One of the arguments is newer.
        Ok(expr) if !expr.is_everything() && model.list.page.filter.is_everything() => {
            parts.push(format!("filter {expr}"));
            filter::set(model, expr);
            // That nothing passes yet would hide what is said here.
            model.jobs.filter_is_new = false;
        }
        Ok(_) => {}
        Err(error) => failures.push(format!("the filter of last time no longer fits: {error}")),
    }
    let is_inside = |at: &LogPosition| lengths.get(at.source).is_some_and(|length| at.pos < *length);
    let total = remembered.marks.len();
    let own: Vec<(String, RowMark)> =
        remembered.marks.into_iter().filter(|(_, mark)| is_inside(&mark.position)).collect();
    if own.len() < total {
        failures.push(format!("{} remembered marks are outside of the file", total - own.len()));
    }
    let recorded = (0..).zip(recorded).flat_map(|(source, marks)| marks.into_iter().map(move |mark| (source, mark)));
    let recorded = recorded.map(|(source, mark)| (mark.name.clone(), RowMark::of_recorded(source, mark)));
    let count = add_marks(&mut model.list, own);
    let recorded = add_marks(&mut model.list, recorded.filter(|(_, mark)| is_inside(&mark.position)).collect());
    parts.extend((count > 0).then(|| counted(count as u64, "mark")));
    parts.extend((recorded > 0).then(|| format!("{} of the recording", counted(recorded as u64, "mark"))));
    parts.extend(resume_view(model, &remembered.columns, &remembered.pane));
    if remembered.follow && !model.list.page.follow {
        model.list.page.follow = true;
        parts.push("end".to_owned());
    } else if let Some(cursor) = remembered.cursor.filter(is_inside) {
        model.list.page.follow = false;
        model.list.wanted = Some(cursor);
        parts.push("cursor".to_owned());
    }
    if !parts.is_empty() {
        model.say(format!("resumed: {} · :fresh forgets", parts.join(", ")));
    }
    failures.into_iter().for_each(|failure| model.fail(failure));
}

/// Sets the columns, and brings the pane to the front; returns what is no longer as usual.
fn resume_view(model: &mut Model, columns: &BTreeMap<String, String>, pane: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for (decoder, columns) in columns {
        if model.settings.config.set(&format!("columns.{decoder}"), columns, SettingOrigin::Typed).is_ok() {
            parts.push("columns".to_owned());
        }
    }
    let found = model.panes.tabs().map(|(id, _)| id).find(|id| id.0 == pane);
    if let Some(id) = found {
        model.panes.show(id);
        let title = model.panes.get(id).map_or("", |pane| pane.keys().title);
        parts.push(format!("pane {title}"));
    }
    parts
}

fn expr_of(model: &Model, text: &str) -> Result<Expr, String> {
    if text.is_empty() {
        return Ok(Expr::everything());
    }
    // Kinds may have names that come later, and the decoder may be found later.
    let vocabulary = match model.links.addressed().autodetect.is_to_choose() {
        true => Vocabulary::open(),
        false => filter::vocabulary(model),
    };
    query::parse(text, &vocabulary).map_err(|error| error.to_string())
}

/// Adds marks that are not there yet, under other names where these are taken; returns how many.
fn add_marks(list: &mut List, marks: Vec<(String, RowMark)>) -> usize {
    let before = list.marks.len();
    for (name, RowMark { position, note }) in marks {
        let name = Some(sanitise_text(&name).into_owned()).filter(|name| !list.marks.contains_key(name));
        if list.mark_at(position).is_none() {
            list.mark(name, position, sanitise_text(&note).into_owned());
        }
    }
    list.marks.len() - before
}

/// Returns to the start of the list, without filter and marks, and forgets what is remembered of it.
pub fn forget(model: &mut Model) {
    filter::set(model, Expr::everything());
    let marks = std::mem::take(&mut model.list.marks);
    model.list.unmark_all();
    for decoder in columns(model).into_keys() {
        // Without columns, the usual ones are shown.
        let _ = model.settings.config.set(&format!("columns.{decoder}"), "", SettingOrigin::Typed);
    }
    model.list.wanted = None;
    if model.links.is_over() {
        jump::to_top(model);
    }
    model.panes.show(RECORDS);
    let gone = if marks.is_empty() { String::new() } else { format!("; {} gone", counted(marks.len() as u64, "mark")) };
    model.say(format!("forgotten: every row, from the start{gone}"));
    model.ask_for(Effect::Forget(model.links.scope.clone()));
}
