//! `:filter`, `:find`, `:goto`, `:mark`: filtering rows and going to rows.

use spytui_engine::query::Expr;

use crate::{
    input::{Arg, ArgKind, FilterArg, LOG, RECORDS},
    model::{Effect, filter, jump, search, settings::Command},
};

pub(super) const FIND: Command =
    Command::new(&["find"], &[Arg::must("EXPR", ArgKind::Search)], "go to the next row that passes", |given, model| {
        if let Some(expr) = given.search(0, model) {
            let text = expr.to_string();
            search::begin(model, expr, text);
        }
    });

pub(super) const GOTO: Command = Command::new(
    &["goto"],
    &[Arg::must("WHERE", ArgKind::Where)],
    "go to #714, 12.5ms, @0x1a4f0, 'mark, gap, error, reset, first or last",
    |given, model| {
        if let Some(location) = given.location(0) {
            jump::to_location(model, &location);
            if model.panes.front() == LOG {
                // Elsewhere the cursor would not be visible.
                model.panes.show(RECORDS);
            }
        }
    },
)
.alias(&["g"]);

pub(super) const MARK: Command = Command::new(
    &["mark"],
    &[Arg::may("NAME", ArgKind::NewName), Arg::may("NOTE", ArgKind::Text)],
    "mark the cursor row",
    |given, model| jump::mark(model, given.text(0).map(str::to_owned), given.must(1)),
);

pub(super) const FILTER: Command = Command::new(
    &["filter"],
    &[Arg::may("EXPR|@name|-", ArgKind::Filter)],
    "show only rows that pass; alone shows all, - the filter before",
    |given, model| match given.filter(0, model) {
        FilterArg::Clear => filter::set(model, Expr::everything()),
        FilterArg::Previous => filter::previous(model),
        FilterArg::Saved(name) => match model.settings.saved_filters.get(&name).cloned() {
            Some(text) => filter::set_text(model, &text),
            None => model.fail(format!("@{name}: no such filter; :filter save {name} keeps the present one")),
        },
        FilterArg::Expr(expr) => filter::set(model, expr),
    },
)
.alias(&["f"]);

pub(super) const WHY: Command =
    Command::new(&["filter", "why"], &[], "how many rows each term of the filter passes and hides", |_, model| {
        filter::ask_why(model)
    });

pub(super) const SAVE: Command = Command::new(
    &["filter", "save"],
    &[Arg::must("NAME", ArgKind::NewName)],
    "keep the filter under a name",
    |given, model| {
        let (name, expr) = (given.must(0), model.list.page.filter.expr().to_string());
        if !name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
            return model.fail(format!("{name}: a name has letters, digits, - and _"));
        }
        model.say(format!("@{name} = {expr}"));
        model.ask_for(Effect::SaveFilter(name.clone(), expr.clone()));
        model.settings.saved_filters.insert(name, expr);
    },
);
