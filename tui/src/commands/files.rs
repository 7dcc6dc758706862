//! `:record`, `:write`, `:export`, `:wq`: writing to files.

use std::path::PathBuf;

use spytui_engine::{
    analysis::lifelines::Chosen,
    export::sequence::{Form, Wanted},
};

use crate::{
    input::{Arg, ArgKind, RowRange, Where, unescaped},
    model::{Effect, Model, RowSelection, jump, settings::Command},
};

pub(super) const RECORD: Command = Command::new(
    &["record"],
    &[Arg::may("PATH|stop", ArgKind::Recording)],
    "record what was received so far and what follows; never overwrites",
    |given, model| {
        let sources = model.links.scope.clone();
        match given.text(0) {
            Some("stop") => model.ask_for(Effect::StopRecording(sources)),
            path => {
                let path = path.map(|path| PathBuf::from(unescaped(path)));
                model.ask_for(Effect::Record { sources, path, quit: false });
            }
        }
    },
)
.alias(&["r"]);

pub(super) const PERFETTO: Command = Command::new(
    &["export", "perfetto"],
    &[Arg::must("PATH", ArgKind::Output)],
    "write everything received so far as a trace for the Perfetto viewer; never overwrites",
    |given, model| {
        let decoding = model.list.decoding().clone();
        model.ask_for(Effect::ExportPerfetto(decoding, given.path(0)));
    },
);

pub(super) const SEQUENCE: Command = Command::new(
    &["export", "sequence"],
    &[Arg::must("PATH", ArgKind::Output), Arg::may("EXPR", ArgKind::Expr)],
    "write messages and states as a sequence diagram: .mmd Mermaid, .puml PlantUML; never overwrites",
    |given, model| {
        let path = given.path(0);
        let form = match Form::of_file(&path) {
            Ok(form) => form,
            Err(error) => return model.fail(error),
        };
        let filter = given.expr(1, model).unwrap_or_else(|| model.list.page.filter.expr().clone());
        let lifelines = Chosen::parse(model.settings.config.text("ui.lifelines"));
        let wanted = Wanted { form, lifelines, filter, taken: false };
        model.ask_for(Effect::ExportSequence(model.list.rows.parts().to_vec(), wanted, path));
    },
);

pub(super) const WRITE: Command = Command::new(
    &["write"],
    &[Arg::must("PATH", ArgKind::Output), Arg::may("RANGE", ArgKind::Range), Arg::may("EXPR", ArgKind::Expr)],
    "write rows as .txt .jsonl .csv, bytes as .bin; RANGE as #10..#20, 1ms.., ...$, sel",
    |given, model| {
        let expr = given.expr(2, model).unwrap_or_else(|| model.list.page.filter.expr().clone());
        match range(model, given.range(1)) {
            Ok((from, to)) if from > to => model.fail(format!("{} runs backwards", given.must(1))),
            Ok(range) => {
                let selection = RowSelection { rows: model.list.rows.clone(), range, expr };
                model.ask_for(Effect::WriteRows(selection, given.path(0)));
            }
            Err(error) => model.fail(error),
        }
    },
)
.alias(&["w"]);

fn range(model: &Model, range: Option<RowRange>) -> Result<(u64, u64), String> {
    let end = model.list.rows.len().saturating_sub(1);
    match range {
        None => Ok((0, end)),
        Some(RowRange::Selection) => match model.list.selected_from {
            Some(_) => Ok(model.list.selection()),
            None => Err("nothing is selected; v begins a selection".to_owned()),
        },
        Some(RowRange::Between(from, to)) => {
            let row = |location: Option<Where>, open| location.map_or(Ok(open), |at| jump::row_of(model, &at));
            Ok((row(from, 0)?, row(to, end)?))
        }
    }
}

pub(super) const WRITE_QUIT: Command = Command::new(
    &["wq"],
    &[Arg::must("PATH", ArgKind::Output)],
    "record everything to PATH and quit",
    |given, model| {
        let sources = model.links.scope.clone();
        model.ask_for(Effect::Record { sources, path: Some(given.path(0)), quit: true });
    },
);
