//! The display filter, and counts of matching rows made in pieces: for `-` and `+`, and `:filter why`.

use std::time::Instant;

use spytui_engine::{
    present::{clock::grouped, sanitise},
    query::{self, Expr, TickRate, Vocabulary},
    row::why_nothing_matches,
    trace::list::{Filter, RowList},
};
use spytui_plugin_api::info::space;

use super::Model;

pub fn vocabulary(model: &Model) -> Vocabulary {
    let decoding = model.list.decoding();
    let info = &decoding.decoder.info;
    let others = model.links.registry.decoders.iter().map(|decoder| &decoder.info);
    let mut words = decoding.decoder.vocabulary().beside(others);
    for state in model.list.rows.read_all() {
        let names = state.dictionary.of_space(space::KINDS).filter_map(|(.., names)| names.last()?.text.as_deref());
        words.kinds.extend(names.map(sanitise));
    }
    let clock = model.list.rows.clock();
    words.rate = match info.option("ticks-per-second") {
        _ if model.list.rows.is_empty() || clock.has_dates() => TickRate::Open,
        _ if clock.known() => TickRate::Undated,
        Some(_) => TickRate::Unknown(":set ticks-per-second=N; a number without a unit is ticks".to_owned()),
        None => TickRate::Unknown("the target did not report it yet; a number without a unit is ticks".to_owned()),
    };
    words
}

pub fn read(model: &Model, text: &str) -> Result<Expr, String> {
    query::parse(text, &vocabulary(model)).map_err(|error| error.to_string())
}

/// The filter as text; empty if everything is shown.
pub fn text(model: &Model) -> String {
    let expr = model.list.page.filter.expr();
    if expr.is_everything() { String::new() } else { expr.to_string() }
}

pub fn set_text(model: &mut Model, text: &str) {
    match read(model, text) {
        Ok(expr) => set(model, expr),
        Err(error) => model.fail(error),
    }
}

/// Sets the filter; the cursor stays at its row or moves to the next one shown.
pub fn set(model: &mut Model, expr: Expr) {
    let before = std::mem::replace(&mut model.list.page.filter, Filter::new(expr));
    model.settings.previous_filter = Some(before.expr().clone());
    model.jobs.filter_is_new = true;
    model.jobs.filter_rows = model.list.rows.len();
    model.jobs.why.clear();
}

/// Returns to the previous filter if not all present rows are decided yet; `true` if so.
pub fn interrupt(model: &mut Model) -> bool {
    if model.list.page.filter.looked_at() >= model.jobs.filter_rows {
        return false;
    }
    previous(model);
    model.say("filter interrupted: the one before is back");
    true
}

/// Starts counting what each term of the filter passes.
pub fn ask_why(model: &mut Model) {
    let expr = model.list.page.filter.expr();
    if expr.is_everything() {
        return model.say("no filter: every row is shown");
    }
    let parts = match expr {
        Expr::All(parts) | Expr::Any(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let tally = |expr: &Expr| FilterTally::new(expr.to_string(), expr.clone());
    model.jobs.why = parts.iter().chain([expr]).map(tally).collect();
    model.jobs.unfinished = true;
}

/// Continues counting for `:filter why` once the filter's rows are decided; `true` if there is more to count.
pub fn work(model: &mut Model, is_decided: bool) -> bool {
    let mut more = false;
    for tally in &mut model.jobs.why {
        more |= tally.work(&model.list.rows, model.now);
    }
    if !more && !model.jobs.why.is_empty() {
        let tallies = std::mem::take(&mut model.jobs.why);
        let text = why(model, &tallies);
        model.say(text);
    }
    if is_decided && model.jobs.filter_is_new && model.is_all_there() && !model.list.rows.is_empty() {
        model.jobs.filter_is_new = false;
        let filter = &model.list.page.filter;
        if !filter.is_everything() && filter.matched == 0 {
            let text = nothing(model, filter.expr());
            model.say(text);
        }
    }
    more
}

/// `0 of 2 360; no object "AO(x)" here, nearest: motor`.
pub fn nothing(model: &Model, expr: &Expr) -> String {
    format!("0 of {}{}", grouped(model.list.rows.counters().rows.records), missing(model, expr))
}

/// Names in an expression that don't exist.
fn missing(model: &Model, expr: &Expr) -> String {
    let states = model.list.rows.read_all();
    let dictionaries: Vec<_> = states.iter().map(|state| &*state.dictionary).collect();
    let decoder = &model.list.decoding().decoder;
    let why = why_nothing_matches(expr, &decoder.info, &decoder.formatting, &dictionaries);
    why.map_or_else(String::new, |why| format!("; {why}"))
}

/// `kind:Tran passes 51, hides 2 308 · to:motor passes 14, hides 2 345 · together 14, hides 2 345 · always shown 1
/// (losses, resets, links) · 2 360 rows in all`: for each term, the numbers and the rows always shown add up to all
/// rows.
fn why(model: &Model, tallies: &[FilterTally]) -> String {
    let Some((all, terms)) = tallies.split_last() else { return String::new() };
    let counts = |what: &str, tally: &FilterTally| {
        let (passed, hidden) = tally.counts();
        format!("{what} {}, hides {}", grouped(passed), grouped(hidden))
    };
    let mut parts: Vec<String> = terms.iter().map(|term| counts(&format!("{} passes", term.what), term)).collect();
    if terms.len() > 1 {
        parts.push(counts("together", all));
    }
    let (passed, hidden) = all.counts();
    let rows = all.filter.looked_at();
    let always = rows.saturating_sub(passed + hidden);
    if always > 0 {
        parts.push(format!("always shown {} (losses, resets, links)", grouped(always)));
    }
    parts.push(format!("{} rows in all", grouped(rows)));
    let missing = if passed == 0 { missing(model, model.list.page.filter.expr()) } else { String::new() };
    parts.join(" · ") + &missing
}

pub fn previous(model: &mut Model) {
    let before = model.settings.previous_filter.clone().unwrap_or_else(Expr::everything);
    set(model, before);
}

/// Shows all rows, masked ones too, or returns to the previous filter. Records that repeat others stay folded.
pub fn toggle(model: &mut Model) {
    let is_filtered = !model.list.page.filter.is_everything();
    if model.list.hides_masked() {
        let words = model.list.show_redundant(is_filtered);
        if is_filtered {
            set(model, Expr::everything());
        }
        return model.say(words);
    }
    if is_filtered {
        return set(model, Expr::everything());
    }
    if let Some((words, was_filtered)) = model.list.hide_redundant() {
        if was_filtered {
            previous(model);
        }
        return model.say(words);
    }
    match model.settings.previous_filter.as_ref().filter(|before| **before != Expr::everything()) {
        Some(_) => previous(model),
        None => model.say("no filter: every row is shown"),
    }
}

/// A count made in pieces.
#[derive(Debug)]
pub struct FilterTally {
    pub(in crate::model) what: String,
    filter: Filter,
    is_complete: bool,
}

impl FilterTally {
    /// Counts rows that an expression matches; excludes rows that pass every filter.
    pub fn new(what: String, expr: Expr) -> FilterTally {
        FilterTally { what, filter: Filter::new(expr), is_complete: false }
    }

    /// Counts some rows; `true` if there are more.
    pub fn work(&mut self, rows: &RowList, now: Instant) -> bool {
        self.is_complete = !self.filter.work(rows, 1, now);
        !self.is_complete
    }

    /// `Tran 52`, with a sign while counting.
    pub fn words(&self) -> String {
        let at_least = if self.is_complete { "" } else { "≥" };
        format!("{} {at_least}{}", self.what, grouped(self.filter.matched))
    }

    /// Matching rows, and others.
    pub fn counts(&self) -> (u64, u64) {
        (self.filter.matched, self.filter.hidden)
    }
}
