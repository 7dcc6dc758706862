//! `:filter`: which rows are shown.

use spytui_engine::query::Expr;

use crate::{
    action::{Arg, ArgKind, CommandError, CommandSpec, FilterArg, Given},
    model::{Model, filter, settings::Command},
};

/// `:filter`
pub(super) const FILTER: Command = Command {
    spec: CommandSpec {
        words: &["filter"],
        aliases: &["f"],
        args: &[Arg::may("EXPR|@name|-", ArgKind::Filter)],
        doc: "show only rows that pass; alone shows all, - the filter before",
    },
    run,
};

/// `:filter save`
pub(super) const SAVE: Command = Command {
    spec: CommandSpec {
        words: &["filter", "save"],
        aliases: &[],
        args: &[Arg::must("NAME", ArgKind::NewName)],
        doc: "keep the filter under a name",
    },
    run: save,
};

fn run(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    match given.filter(0, model)? {
        FilterArg::Clear => filter::set(model, Expr::everything()),
        FilterArg::Previous => filter::previous(model),
        FilterArg::Saved(name) => match model.settings.saved_filters.get(&name).cloned() {
            Some(text) => filter::set_text(model, &text),
            None => model.fail(format!("@{name}: no such filter; :filter save {name} keeps the present one")),
        },
        FilterArg::Expr(expr) => filter::set(model, expr),
    }
    Ok(())
}

fn save(given: &Given, model: &mut Model) -> Result<(), CommandError> {
    let (name, expr) = (given.must(0), model.list.page.filter.expr().to_string());
    model.say(format!("@{name} = {expr}"));
    model.settings.saved_filters.insert(name, expr);
    Ok(())
}
