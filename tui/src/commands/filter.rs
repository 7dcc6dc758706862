//! `:filter`: which rows are shown.

use spytui_engine::query::Expr;

use crate::{
    input::{Arg, ArgKind, FilterArg},
    model::{Effect, filter, settings::Command},
};

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
