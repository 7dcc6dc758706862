//! Searching rows.

use spytui_engine::{
    list::{Direction, RowSource},
    query::{self, Expr},
};

use super::{Effect, Model, RowSearch, filter::vocabulary, jobs::LastSearch, jump};

/// Searches for what was typed.
pub fn from_text(model: &mut Model, text: &str) {
    match query::search(text, &vocabulary(model)) {
        Ok(expr) => begin(model, expr, text.to_owned()),
        Err(error) => model.fail(error.to_string()),
    }
}

/// Remembers the search and goes to the next match.
pub fn begin(model: &mut Model, expr: Expr, text: String) {
    model.jobs.last_search = Some(LastSearch { expr: expr.clone(), text });
    start(model, expr, Direction::Forward);
}

/// Goes to the next match of the last search.
pub fn again(model: &mut Model, direction: Direction) {
    match model.jobs.last_search.clone() {
        Some(search) => start(model, search.expr, direction),
        None => model.say("no search yet; / starts one"),
    }
}

/// Searches the next matching row.
pub fn start(model: &mut Model, expr: Expr, direction: Direction) {
    let rows = model.list.rows.clone();
    let from = Some(model.list.page.cursor).filter(|_| !rows.is_empty());
    model.jobs.searching = true;
    model.ask_for(Effect::Search(RowSearch { rows, from, direction, expr }));
}

/// A search ended.
pub fn found(model: &mut Model, row: Option<u64>) {
    // One that was given up may answer all the same.
    if !model.jobs.stop_search() {
        return;
    }
    match row {
        Some(row) => {
            model.prompt.notice = None;
            jump::to_row(model, row);
        }
        None => model.say("no further match"),
    }
}
