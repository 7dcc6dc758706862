//! Searching rows. Typed text is searched at once: the cursor shows the first match, and returns if the line is
//! cancelled.

use std::time::{Duration, Instant};

use spytui_engine::{
    present::clock::grouped,
    query::{self, Expr, TextPattern},
    trace::list::{Direction, Filter, RowList},
};

use super::{
    Model,
    filter::{nothing, vocabulary},
    jump, line_search,
};

/// Blocks of rows examined per turn for the next match.
const LOOKS: usize = 2;
/// Most searches end before the next frame, so no notice is shown before.
const QUICK: Duration = Duration::from_millis(30);

/// Searches for the next match in pieces.
#[derive(Debug)]
pub struct Seeking {
    /// The filter to search for, if not the last search.
    other: Option<Filter>,
    from: u64,
    direction: Direction,
    /// Row to continue from; `None` = that was the last one.
    at: Option<u64>,
    goes_round: bool,
    since: Instant,
}

#[derive(Debug)]
pub struct LastSearch {
    text: String,
    matches: Filter,
    rows: RowList,
    /// [`RowList::rebuilt`] of the list.
    rebuilt: u64,
    /// Number of rows when it began; only these are counted.
    until: u64,
    /// The search is no longer shown, but can be repeated.
    closed: bool,
}

/// A search being typed: the cursor shows its first match.
#[derive(Debug)]
pub struct TypedSearch {
    /// `None` while the text is no search.
    search: Option<LastSearch>,
    /// Original cursor: row, line, whether the list followed.
    origin: (u64, usize, bool),
    /// Row to continue from, and whether it wrapped around.
    at: Option<(u64, bool)>,
}

impl LastSearch {
    fn new(text: String, expr: Expr, rows: &RowList) -> LastSearch {
        let matches = Filter::strict(expr);
        LastSearch { text, matches, rows: rows.clone(), rebuilt: rows.rebuilt(), until: rows.len(), closed: false }
    }

    /// Restarts if the rows have changed.
    fn follow(&mut self, rows: &RowList) {
        if !rows.is_of(&self.rows.parts) || rows.rebuilt() != self.rebuilt {
            self.matches.reset();
            (self.rows, self.rebuilt, self.until) = (rows.clone(), rows.rebuilt(), rows.len());
        }
    }
}

pub fn enter(model: &mut Model, text: &str) {
    if line_search::is_here(model) {
        return line_search::enter(model, text);
    }
    close(model);
    match query::search(text, &vocabulary(model)) {
        Ok(expr) => begin(model, expr, text.to_owned()),
        Err(error) => model.fail(error.to_string()),
    }
}

/// Remembers the search and goes to the next match.
pub fn begin(model: &mut Model, expr: Expr, text: String) {
    model.jobs.last_search = Some(LastSearch::new(text, expr, &model.list.rows));
    start(model, None, Direction::Forward);
}

/// Goes to the next match of the last search.
pub fn again(model: &mut Model, direction: Direction) {
    if line_search::is_here(model) {
        return line_search::again(model, direction);
    }
    let until = model.list.rows.len();
    let Some(search) = &mut model.jobs.last_search else { return model.say("no search yet; / starts one") };
    search.until = until;
    search.closed = false;
    start(model, None, direction);
}

/// Goes to the next match of the last search, wrapping around, or of another expression, without wrapping.
pub fn start(model: &mut Model, other: Option<Expr>, direction: Direction) {
    let from = model.list.page.cursor;
    let at = match direction {
        Direction::Forward => Some(from + 1),
        Direction::Backward => from.checked_sub(1),
    };
    let (goes_round, other) = (other.is_none(), other.map(Filter::strict));
    model.jobs.searching = Some(Seeking { other, from, direction, at, goes_round, since: model.now });
    model.jobs.unfinished = true;
}

/// Stops searching for the next match, and hides the search; `true` if there was one.
pub fn interrupt(model: &mut Model) -> bool {
    let was_searching = model.jobs.searching.take().is_some();
    if was_searching {
        hide(model);
        model.say("search interrupted");
    }
    was_searching
}

/// Searches for the next match; `true` if not found yet.
fn seek(model: &mut Model) -> bool {
    let Some(mut seeking) = model.jobs.searching.take() else { return false };
    let last = model.jobs.last_search.as_mut().map(|search| &mut search.matches);
    let Some(matches) = seeking.other.as_mut().or(last) else { return false };
    let rows = &model.list.rows;
    matches.follow_names(rows, model.now);
    let found = match seeking.at {
        Some(at) => matches.seek(rows, at, seeking.direction, &mut model.list.page.filter, LOOKS),
        None => Ok(None),
    };
    match found {
        Ok(None) if seeking.goes_round => {
            seeking.goes_round = false;
            seeking.at = match seeking.direction {
                Direction::Forward => Some(0),
                Direction::Backward => rows.len().checked_sub(1),
            };
        }
        Ok(row) => {
            found_row(model, row, &seeking);
            return false;
        }
        Err(row) => seeking.at = Some(row),
    }
    if model.now.saturating_duration_since(seeking.since) > QUICK {
        model.show("searching… ^c stops");
    }
    model.jobs.searching = Some(seeking);
    true
}

fn found_row(model: &mut Model, row: Option<u64>, seeking: &Seeking) {
    let Some(row) = row else {
        let last = model.jobs.last_search.as_ref().filter(|_| seeking.other.is_none());
        let text = match last.filter(|search| search.matches.matched == 0) {
            Some(search) => format!("no match: {}", nothing(model, search.matches.expr())),
            None => "no further match".to_owned(),
        };
        return model.say(text);
    };
    model.prompt.notice = None;
    jump::to_row(model, row);
    match seeking.direction {
        _ if row == seeking.from => model.say("no other match"),
        Direction::Forward if row < seeking.from => model.say(jump::round(seeking.direction)),
        Direction::Backward if row > seeking.from => model.say(jump::round(seeking.direction)),
        _ => {}
    }
}

/// The typed text has changed: shows the first match from the original cursor.
pub fn typed(model: &mut Model, text: &str) {
    if line_search::is_here(model) {
        return line_search::typed(model, text);
    }
    let page = &model.list.page;
    let origin = model.jobs.typed_search.take().map_or(page.place(), |typed| typed.origin);
    let expr = query::search(text, &vocabulary(model)).ok();
    let search = expr.map(|expr| LastSearch::new(text.to_owned(), expr, &model.list.rows));
    let at = search.is_some().then_some((origin.0, false));
    if at.is_none() {
        model.list.page.put_back(origin);
    }
    model.jobs.typed_search = Some(TypedSearch { search, origin, at });
    model.jobs.unfinished = true;
}

/// Typing was cancelled: returns the cursor.
pub fn close(model: &mut Model) {
    if line_search::is_here(model) {
        return line_search::close(model);
    }
    if let Some(typed) = model.jobs.typed_search.take() {
        model.list.page.put_back(typed.origin);
    }
}

/// Hides the last search, which can be repeated; `false` if none was shown.
pub fn hide(model: &mut Model) -> bool {
    let Some(search) = model.jobs.last_search.as_mut() else { return false };
    !std::mem::replace(&mut search.closed, true)
}

/// Continues the typed search, and counts the matches; `true` if there is more to do.
pub fn work(model: &mut Model) -> bool {
    let looking = look(model) | seek(model);
    let (rows, now) = (&model.list.rows, model.now);
    let typed = model.jobs.typed_search.as_mut().and_then(|typed| typed.search.as_mut());
    let last = model.jobs.last_search.as_mut().filter(|search| !search.closed);
    let Some(search) = typed.or(last) else { return looking };
    search.follow(rows);
    search.matches.work_until(rows, search.until, 1, now) || looking
}

/// Goes to the first match of the typed search; `true` if not found yet.
fn look(model: &mut Model) -> bool {
    let Some(typed) = model.jobs.typed_search.as_mut() else { return false };
    let (Some(search), Some((at, round))) = (typed.search.as_mut(), typed.at) else { return false };
    let origin = typed.origin;
    match search.matches.seek(&model.list.rows, at, Direction::Forward, &mut model.list.page.filter, LOOKS) {
        Ok(Some(row)) => {
            typed.at = None;
            jump::without_trace(model, row);
        }
        Ok(None) if !round => typed.at = Some((0, true)),
        Ok(None) => {
            typed.at = None;
            model.list.page.put_back(origin);
        }
        Err(row) => typed.at = Some((row, round)),
    }
    model.jobs.typed_search.as_ref().is_some_and(|typed| typed.at.is_some())
}

/// The search shown: the typed one, or the last one.
fn shown(model: &Model) -> Option<&LastSearch> {
    match &model.jobs.typed_search {
        Some(typed) => typed.search.as_ref(),
        None => model.jobs.last_search.as_ref().filter(|search| !search.closed),
    }
}

pub fn patterns(model: &Model) -> Vec<&TextPattern> {
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
        None => format!("{}+ found {}", grouped(matches.matched), share_text(matches, search.until)),
    };
    Some(format!("/{} {counts}", crate::term::cut_middle(&search.text, room, "…")))
}

/// How far a filter is: `43 %`.
pub fn share_text(filter: &Filter, rows: u64) -> String {
    format!("{} %", u128::from(filter.looked_at().min(rows)) * 100 / u128::from(rows.max(1)))
}

fn is_match(model: &Model, search: &LastSearch) -> bool {
    let row = model.list.page.cursor;
    let upto = |row: u64| search.matches.rank_among(&model.list.page.filter, row, search.until);
    let before = row.checked_sub(1).map_or(Some(0), |before| upto(before).map(|(rank, _)| rank));
    upto(row).map(|(rank, _)| rank) != before
}
