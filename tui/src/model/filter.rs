//! The display filter.

use spytui_engine::{
    list::{Filter, RowSource},
    present::sanitise,
    query::{self, Expr, Vocabulary},
};
use spytui_plugin_api::info::space;

use super::Model;

/// Words that expressions may use.
pub fn vocabulary(model: &Model) -> Vocabulary {
    let mut words = Vocabulary::of(&model.list.decoding().decoder.info);
    for state in model.list.rows.read_all() {
        let named = state.dictionary.iter().filter(|entry| entry.0 == space::KINDS);
        let names = named.filter_map(|(.., names)| names.last()?.text.as_deref());
        words.kinds.extend(names.map(sanitise));
    }
    words
}

/// Reads an expression.
///
/// # Errors
/// The error message.
pub fn read(model: &Model, text: &str) -> Result<Expr, String> {
    query::parse(text, &vocabulary(model)).map_err(|error| error.to_string())
}

/// The filter as text; empty where everything shows.
pub fn text(model: &Model) -> String {
    let expr = model.list.page.filter.expr();
    if expr.is_everything() { String::new() } else { expr.to_string() }
}

/// Sets the filter from text.
pub fn set_text(model: &mut Model, text: &str) {
    match read(model, text) {
        Ok(expr) => set(model, expr),
        Err(error) => model.fail(error),
    }
}

/// Sets the filter; the cursor stays at its row or goes to the next one shown.
pub fn set(model: &mut Model, expr: Expr) {
    let before = std::mem::replace(&mut model.list.page.filter, Filter::new(expr));
    model.settings.previous_filter = Some(before.expr().clone());
}

/// The filter before this one.
pub fn previous(model: &mut Model) {
    let before = model.settings.previous_filter.clone().unwrap_or_else(Expr::everything);
    set(model, before);
}

/// All rows, and back to the filter before.
pub fn toggle(model: &mut Model) {
    if model.list.page.filter.is_everything() { previous(model) } else { set(model, Expr::everything()) }
}
