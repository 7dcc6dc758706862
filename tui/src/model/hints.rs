//! The last line while there is no message: keys for what is on the screen.

use spytui_engine::present::{Role as RowRole, clock::grouped};
use spytui_plugin_api::row::{RowFlags, Severity};

use super::{Model, jump, list::Entry, screen::TICK_RATE};
use crate::input::{Action, Hint, JumpTarget, PaneId, RECORDS};

/// While the newest row is kept in sight, whatever it is: a line that changes with each row would only flicker.
const FOLLOWING: &[Hint] = &[
    Hint(&[Action::Command], "command"),
    Hint(&[Action::Search], "find"),
    Hint(&[Action::LossNext], "losses"),
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::Hold], "hold"),
    Hint(&[Action::ShowPane(PaneId("counters"))], "counters"),
    Hint(&[Action::Help], "all keys"),
];
const RECORD: &[Hint] = &[
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::Effect], "then"),
    Hint(&[Action::HideKind], "hide"),
    Hint(&[Action::OnlyKind], "only"),
    Hint(&[Action::ObjectNext], "next of object"),
    Hint(&[Action::Mark], "mark"),
    Hint(&[Action::Follow], "newest"),
];
const LOSS: &[Hint] = &[
    Hint(&[Action::Effect], "after"),
    Hint(&[Action::Open], "details"),
    Hint(&[Action::ShowPane(PaneId("counters"))], "counters"),
    Hint(&[Action::Advise], "advice"),
];
const ERROR: &[Hint] = &[
    Hint(&[Action::ErrorNext, Action::ErrorPrevious], "errors"),
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::HideKind], "hide"),
    Hint(&[Action::Mark], "mark"),
    Hint(&[Action::Follow], "newest"),
];
const RESET: &[Hint] = &[
    Hint(&[Action::WarningNext, Action::WarningPrevious], "warnings and resets"),
    Hint(&[Action::ShowPane(PaneId("target"))], "target"),
    Hint(&[Action::Follow], "newest"),
];
const DICTIONARY: &[Hint] = &[
    Hint(&[Action::Open], "unfold"),
    Hint(&[Action::ShowPane(PaneId("dictionary"))], "dictionary"),
    Hint(&[Action::Follow], "newest"),
];

/// Makes the line again, once for every frame.
pub fn refresh(model: &mut Model) {
    model.screen.hint = if model.settings.config.on("ui.hints") { line(model) } else { String::new() };
}

fn line(model: &mut Model) -> String {
    let front = model.panes.front();
    if front != RECORDS {
        let own = model.panes.get(front).map_or(&[][..], |pane| pane.keys().hints);
        return format!("{} · {}", keys(model, own), keys(model, &[Hint(&[Action::ShowPane(RECORDS)], "records")]));
    }
    if !model.prompt.touched && has_ticks(model) {
        return "times are ticks; :set ticks-per-second 1000000 makes them seconds".to_owned();
    }
    if model.list.page.follows() {
        return keys(model, FOLLOWING);
    }
    let Some(entry) = model.list.cursor_entry().cloned() else { return keys(model, FOLLOWING) };
    let (about, hints) = of_row(model, &entry);
    let losses = if about == "a loss" { losses(model) } else { String::new() };
    let on = if about.is_empty() { String::new() } else { format!("on {about}: ") };
    format!("{on}{losses}{}", keys(model, hints))
}

/// Whether times are ticks because nobody said how long one is.
fn has_ticks(model: &Model) -> bool {
    let info = &model.list.decoding().decoder.info;
    let clock = model.list.rows.clock();
    info.option(TICK_RATE).is_some() && !clock.known() && model.list.page.entries.iter().any(|e| e.time.is_some())
}

/// What a row is, if that matters, and the keys for it.
fn of_row(model: &Model, entry: &Entry) -> (&'static str, &'static [Hint]) {
    let flags = model.list.rows.shape(entry.first).map(|shape| shape.flags).unwrap_or_default();
    match entry.line.role {
        RowRole::Loss => ("a loss", LOSS),
        RowRole::Note if entry.folds_names() => ("", DICTIONARY),
        RowRole::Event if flags.contains(RowFlags::EPOCH) => ("a reset", RESET),
        RowRole::Event | RowRole::Note | RowRole::Console => ("", RESET),
        RowRole::Record if entry.line.severity >= Severity::ERROR => ("an error", ERROR),
        RowRole::Record => ("", RECORD),
    }
}

/// `x X losses 2/2 · `
fn losses(model: &mut Model) -> String {
    let about = (model.list.page.cursor(), model.list.rows.rows_of(|shape| shape.kind.is_loss()));
    let known = model.screen.loss_place.filter(|(of, _)| *of == about);
    let (_, place) = known.unwrap_or_else(|| (about, jump::place(model, about.0, JumpTarget::Loss)));
    model.screen.loss_place = Some((about, place));
    let keys = keys(model, &[Hint(&[Action::LossNext, Action::LossPrevious], "losses")]);
    match place {
        Some((place, total)) => format!("{keys} {}/{} · ", grouped(place), grouped(total)),
        None => format!("{keys} · "),
    }
}

/// `x X losses · c why`; an action without a key is left out.
fn keys(model: &Model, hints: &[Hint]) -> String {
    let (keymap, front) = (&model.settings.keymap, model.panes.front());
    let key = |action: &Action| keymap.keys(front, *action).into_iter().next();
    let words = hints.iter().filter_map(|Hint(actions, words)| {
        // Of a sequence the first key: it offers the others.
        let first = |keys: String| keys.split(' ').next().map(str::to_owned);
        let keys: Vec<String> = actions.iter().filter_map(key).filter_map(first).collect();
        (!keys.is_empty()).then(|| format!("{} {words}", keys.join(" ")))
    });
    words.collect::<Vec<_>>().join(" · ")
}
