//! Searching rows. What is typed is searched for at once: the cursor shows the first match, and comes back if the line is
//! left.

use spytui_engine::{
    list::{Direction, Filter, RowList, RowSource},
    present::clock::grouped,
    query::{self, Expr, Pattern},
};

use super::{
    Effect, Model, RowSearch,
    filter::{nothing, vocabulary},
    jobs::{LastSearch, TypedSearch},
    jump,
};

/// Blocks of rows that are looked at in one turn for a search that is typed.
const LOOKS: usize = 2;

impl LastSearch {
    fn new(text: String, expr: Expr, rows: &RowList) -> LastSearch {
        let matches = Filter::strict(expr);
        LastSearch { text, matches, rows: rows.clone(), rebuilt: rows.rebuilt(), until: rows.len(), closed: false }
    }

    /// Begins again where the rows are others.
    fn follow(&mut self, rows: &RowList) {
        if !rows.is_of(self.rows.parts()) || rows.rebuilt() != self.rebuilt {
            self.matches.reset();
            (self.rows, self.rebuilt, self.until) = (rows.clone(), rows.rebuilt(), rows.len());
        }
    }
}

/// Searches for what was typed.
pub fn from_text(model: &mut Model, text: &str) {
    match query::search(text, &vocabulary(model)) {
        Ok(expr) => begin(model, expr, text.to_owned()),
        Err(error) => model.fail(error.to_string()),
    }
}

/// Remembers the search and goes to the next match.
pub fn begin(model: &mut Model, expr: Expr, text: String) {
    model.jobs.last_search = Some(LastSearch::new(text, expr.clone(), &model.list.rows));
    model.jobs.unfinished = true;
    start(model, expr, Direction::Forward, true);
}

/// Goes to the next match of the last search.
pub fn again(model: &mut Model, direction: Direction) {
    let until = model.list.rows.len();
    match &mut model.jobs.last_search {
        Some(search) => {
            search.until = until;
            search.closed = false;
            let expr = search.matches.expr().clone();
            start(model, expr, direction, true);
        }
        None => model.say("no search yet; / starts one"),
    }
}

/// Searches the next matching row; `round` goes on from the other end.
pub fn start(model: &mut Model, expr: Expr, direction: Direction, round: bool) {
    let rows = model.list.rows.clone();
    let from = Some(model.list.page.cursor).filter(|_| !rows.is_empty());
    model.jobs.searching = Some((model.list.page.cursor, direction));
    let shown = model.list.page.filter.expr().clone();
    model.ask_for(Effect::Search(RowSearch { rows, from, direction, expr, shown, round }));
}

/// A search ended.
pub fn found(model: &mut Model, row: Option<u64>) {
    // One that was given up may answer all the same.
    let Some((from, direction)) = model.jobs.searching else { return };
    model.jobs.stop_search();
    let Some(row) = row else {
        let text = match &model.jobs.last_search {
            Some(search) if search.matches.matched() == 0 => {
                format!("no match: {}", nothing(model, search.matches.expr()))
            }
            _ => "no further match".to_owned(),
        };
        return model.say(text);
    };
    model.prompt.notice = None;
    jump::to_row(model, row);
    match direction {
        _ if row == from => model.say("no other match"),
        Direction::Forward if row < from => model.say("the end was reached: on from the top"),
        Direction::Backward if row > from => model.say("the top was reached: on from the end"),
        _ => {}
    }
}

/// The text of the line has changed: shows the first match from where the cursor was.
pub fn typed(model: &mut Model, text: &str) {
    let page = &model.list.page;
    let origin = model.jobs.typed_search.take().map_or((page.cursor, page.line, page.follow), |typed| typed.origin);
    let expr = query::search(text, &vocabulary(model)).ok();
    let search = expr.map(|expr| LastSearch::new(text.to_owned(), expr, &model.list.rows));
    let at = search.is_some().then_some((origin.0, false));
    if at.is_none() {
        put_back(model, origin);
    }
    model.jobs.typed_search = Some(TypedSearch { search, origin, at });
    model.jobs.unfinished = true;
}

/// The line is closed: the cursor goes back to where it was.
pub fn close(model: &mut Model) {
    if let Some(typed) = model.jobs.typed_search.take() {
        put_back(model, typed.origin);
    }
}

/// Shows the last search no more; `false` if none was shown. It can be repeated.
pub fn hide(model: &mut Model) -> bool {
    let Some(search) = model.jobs.last_search.as_mut() else { return false };
    !std::mem::replace(&mut search.closed, true)
}

fn put_back(model: &mut Model, (row, line, follow): (u64, usize, bool)) {
    let page = &mut model.list.page;
    (page.cursor, page.line, page.follow) = (row, line, follow);
}

/// Looks for the search that is typed, and counts the matches; `true` if there is more to do.
pub fn work(model: &mut Model) -> bool {
    let looking = look(model);
    let (rows, now) = (&model.list.rows, model.now);
    let typed = model.jobs.typed_search.as_mut().and_then(|typed| typed.search.as_mut());
    let Some(search) = typed.or(model.jobs.last_search.as_mut()) else { return looking };
    search.follow(rows);
    search.matches.work_until(rows, search.until, 1, now) || looking
}

/// Goes to the first match of what is typed; `true` if it is not found yet.
fn look(model: &mut Model) -> bool {
    let Some(typed) = model.jobs.typed_search.as_mut() else { return false };
    let (Some(search), Some((at, round))) = (typed.search.as_mut(), typed.at) else { return false };
    let origin = typed.origin;
    match search.matches.seek(&model.list.rows, at, &mut model.list.page.filter, LOOKS) {
        Ok(Some(row)) => {
            typed.at = None;
            jump::without_trace(model, row);
        }
        Ok(None) if !round => typed.at = Some((0, true)),
        Ok(None) => {
            typed.at = None;
            put_back(model, origin);
        }
        Err(row) => typed.at = Some((row, round)),
    }
    model.jobs.typed_search.as_ref().is_some_and(|typed| typed.at.is_some())
}

/// The search that is shown: what is typed, else the last one.
fn shown(model: &Model) -> Option<&LastSearch> {
    match &model.jobs.typed_search {
        Some(typed) => typed.search.as_ref(),
        None => model.jobs.last_search.as_ref().filter(|search| !search.closed),
    }
}

/// What is highlighted in the rows.
pub fn patterns(model: &Model) -> Vec<&Pattern> {
    shown(model).map_or_else(Vec::new, |search| search.matches.expr().patterns())
}

/// `/Motor_fault 3 of 186`, for the title of the list.
pub fn title(model: &Model, room: usize) -> Option<String> {
    let search = shown(model)?;
    let (page, matches) = (&model.list.page, &search.matches);
    let counts = match matches.rank_among(&page.filter, page.cursor, search.until) {
        Some((rank, total)) if rank > 0 && matches.is_decided(page.cursor) && is_match(model, search) => {
            format!("{} of {}", grouped(rank), grouped(total))
        }
        Some((_, total)) => format!("{} found", grouped(total)),
        None => format!("{}+ found {}", grouped(matches.matched()), share_text(matches, search.until)),
    };
    Some(format!("/{} {counts}", crate::term::cut_middle(&search.text, room, "…")))
}

/// How far a filter is with so many rows: `43 %`.
pub fn share_text(filter: &Filter, rows: u64) -> String {
    format!("{} %", u128::from(filter.looked_at().min(rows)) * 100 / u128::from(rows.max(1)))
}

/// Whether the cursor row is a match.
fn is_match(model: &Model, search: &LastSearch) -> bool {
    let row = model.list.page.cursor;
    let upto = |row: u64| search.matches.rank_among(&model.list.page.filter, row, search.until);
    let before = row.checked_sub(1).map_or(Some(0), |before| upto(before).map(|(rank, _)| rank));
    upto(row).map(|(rank, _)| rank) != before
}
