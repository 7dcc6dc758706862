//! `:find`: the next row that passes.

use crate::{
    action::{Arg, ArgKind},
    model::{search, settings::Command},
};

pub(super) const FIND: Command =
    Command::new(&["find"], &[Arg::must("EXPR", ArgKind::Search)], "go to the next row that passes", |given, model| {
        if let Some(expr) = given.search(0, model) {
            let text = expr.to_string();
            search::begin(model, expr, text);
        }
    });
