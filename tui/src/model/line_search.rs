//! `/` in panes whose lines are not rows: Dictionary, Log.

use spytui_engine::{
    present::clock::grouped,
    query::{self, TextPattern},
    trace::list::Direction,
};

use super::{Model, jump::round, panes::with_pane};
use crate::{input::PaneId, term::cut_middle};

/// Maximum width of the search text in a title.
const TITLE: usize = 16;

/// A search in the lines of a pane.
#[derive(Debug)]
pub struct LineSearch {
    pane: PaneId,
    text: String,
    pub pattern: TextPattern,
    /// Rank of the match under the cursor, and number of matches.
    found: (usize, usize),
    /// Line of the cursor before typing.
    origin: Option<usize>,
}

/// Whether the pane in front is searched itself.
pub fn is_here(model: &Model) -> bool {
    model.panes.get(model.panes.front()).is_some_and(|pane| pane.line().is_some())
}

/// The typed text has changed: goes to the first match from the original cursor.
pub fn typed(model: &mut Model, text: &str) {
    let before = model.jobs.line_search.take().filter(|search| search.pane == model.panes.front());
    let origin = before.and_then(|search| search.origin).or_else(|| line(model));
    go_to(model, origin.unwrap_or(0));
    if let Ok(pattern) = query::plain(text) {
        let (pane, text) = (model.panes.front(), text.to_owned());
        model.jobs.line_search = Some(LineSearch { pane, text, pattern, found: (0, 0), origin });
        go(model, Direction::Forward, true);
    }
}

/// Typing was cancelled: returns the cursor.
pub fn close(model: &mut Model) {
    if let Some(origin) = model.jobs.line_search.take().and_then(|search| search.origin) {
        go_to(model, origin);
    }
}

/// Searches for the typed text, and keeps it for the next time.
pub fn enter(model: &mut Model, text: &str) {
    if let Err(error) = query::plain(text) {
        close(model);
        return model.fail(error.to_string());
    }
    typed(model, text);
    if let Some(search) = &mut model.jobs.line_search {
        search.origin = None;
    }
    say_nothing_matches(model);
}

/// Goes to the next match of the last search in this pane.
pub fn again(model: &mut Model, direction: Direction) {
    let here = model.panes.front();
    if model.jobs.line_search.as_ref().is_none_or(|search| search.pane != here) {
        return model.say("no search in this pane yet; / starts one");
    }
    if let Some(text) = go(model, direction, false) {
        model.say(text);
    }
    say_nothing_matches(model);
}

/// Includes lines added since a search was typed: counts again, and continues a search without a match. Returns whether
/// the cursor moved.
pub fn look_again(model: &mut Model) -> bool {
    let here = model.panes.front();
    let Some(had_found) = of_pane(model, here).map(|search| search.found.1 > 0) else { return false };
    if had_found {
        let (hits, at) = (hits(model), line(model).unwrap_or(0));
        if let Some(search) = &mut model.jobs.line_search {
            let rank = hits.iter().position(|&hit| hit == at).map_or(search.found.0, |rank| rank + 1);
            search.found = (rank, hits.len());
        }
        return false;
    }
    go(model, Direction::Forward, true);
    let has_found = of_pane(model, here).is_some_and(|search| search.found.1 > 0);
    if has_found && model.prompt.notice.as_ref().is_some_and(|notice| notice.text == NOTHING) {
        model.prompt.notice = None;
    }
    has_found
}

const NOTHING: &str = "no match in this pane";

fn say_nothing_matches(model: &mut Model) {
    if model.jobs.line_search.as_ref().is_some_and(|search| search.found.1 == 0) {
        model.say(NOTHING);
    }
}

/// Goes to the next match; `here` = including the line under the cursor. Returns a remark about wrapping around.
fn go(model: &mut Model, direction: Direction, here: bool) -> Option<&'static str> {
    model.jobs.line_search.as_ref()?;
    let hits = hits(model);
    let at = line(model).unwrap_or(0);
    let next = match direction {
        Direction::Forward => hits.iter().position(|&hit| hit > at || (here && hit == at)),
        Direction::Backward => hits.iter().rposition(|&hit| hit < at),
    };
    let other_end = if direction == Direction::Forward { 0 } else { hits.len().saturating_sub(1) };
    let rank = next.unwrap_or(other_end);
    let hit = hits.get(rank).copied();
    if let Some(search) = &mut model.jobs.line_search {
        search.found = (rank + 1, hits.len());
    }
    let hit = hit?;
    go_to(model, hit);
    match direction {
        _ if next.is_some() => None,
        _ if hit == at => Some("no other match"),
        direction => Some(round(direction)),
    }
}

fn hits(model: &Model) -> Vec<usize> {
    let Some(search) = &model.jobs.line_search else { return Vec::new() };
    let lines = model.panes.get(search.pane).map_or_else(Vec::new, |pane| pane.line_texts(model));
    let hits = lines.iter().enumerate().filter(|(_, line)| search.pattern.matches(line)).map(|(at, _)| at);
    hits.collect()
}

fn line(model: &Model) -> Option<usize> {
    model.panes.get(model.panes.front())?.line()
}

fn go_to(model: &mut Model, line: usize) {
    let front = model.panes.front();
    with_pane(model, front, |pane, _| pane.go_to_line(line));
}

pub fn of_pane(model: &Model, pane: PaneId) -> Option<&LineSearch> {
    model.jobs.line_search.as_ref().filter(|search| search.pane == pane)
}

/// ` · /door 1 of 3`, appended to the title of a pane.
pub fn title(model: &Model, pane: PaneId) -> String {
    let Some(search) = of_pane(model, pane) else { return String::new() };
    let (rank, all) = search.found;
    let text = cut_middle(&search.text, TITLE, "…");
    format!(" · /{text} {} of {}", grouped(rank.min(all) as u64), grouped(all as u64))
}

/// ` · 37 %`: the position of the cursor in a list longer than its room.
pub fn percent(line: usize, lines: usize, room: usize) -> String {
    if lines <= room.max(1) { String::new() } else { format!(" · {} %", (line + 1) * 100 / lines) }
}
