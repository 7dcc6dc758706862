//! Actions that are valid everywhere; the others go to their pane.

use std::time::Duration;

use spytui_engine::trace::list::Direction;

use crate::{
    config::Origin,
    input::{Action, PromptKind, RECORDS},
    model::{
        Effect, Model, RowSelection, filter, jump, links,
        panes::with_pane,
        prompt::{Help, Question},
        search, target,
    },
};

/// Two `^c` within this time quit.
const TWICE: Duration = Duration::from_secs(1);
/// Columns of a step sideways, and the furthest.
const SIDEWAYS: (usize, usize) = (8, 4096);

pub(super) fn act(model: &mut Model, action: Action) {
    // Whoever goes somewhere else is not taken back.
    model.list.wanted = None;
    match action {
        Action::ShowPane(pane) => model.panes.show(pane),
        Action::OfPane(pane, _) => with_pane(model, pane, |pane, model| pane.handle(action, model)),
        Action::PaneNext => model.panes.turn(1),
        Action::PanePrevious => model.panes.turn(-1),
        Action::Zoom => model.panes.zoom = !model.panes.zoom,
        Action::Strip => toggle_strip(model),
        Action::SourceNext => links::turn(model, 1),
        Action::SourcePrevious => links::turn(model, -1),
        Action::Hold => hold_or_follow(model),
        Action::Left => model.screen.sideways = model.screen.sideways.saturating_sub(SIDEWAYS.0),
        Action::Right => model.screen.sideways = (model.screen.sideways + SIDEWAYS.0).min(SIDEWAYS.1),
        Action::Search => _ = model.prompt.open(PromptKind::Search, ""),
        Action::SearchNext => search::again(model, Direction::Forward),
        Action::SearchPrevious => search::again(model, Direction::Backward),
        Action::EditFilter => {
            let text = filter::text(model);
            model.prompt.open(PromptKind::Filter, &text);
        }
        Action::Command => _ = model.prompt.open(PromptKind::Command, ""),
        Action::ChooseDecoder => {
            let likely = model.links.first().autodetect.other().unwrap_or_default();
            let text = format!("proto {likely}");
            model.prompt.open(PromptKind::Command, &text);
        }
        Action::Back => jump::back(model),
        Action::Forward => jump::forward(model),
        Action::Copy => copy_rows(model),
        Action::Advise => target::fill(model, None),
        Action::Help => model.prompt.help = Some(Help::default()),
        Action::Close => {
            if !close(model) {
                ask_to_quit(model);
            }
        }
        Action::Leave => {
            if !close(model) && !search::hide(model) {
                model.say("nothing is open; q or :q quits");
            }
        }
        Action::Redraw => model.ask_for(Effect::Redraw),
        Action::Suspend => model.ask_for(Effect::Suspend),
        Action::Interrupt => interrupt(model),
        _ => {
            let front = model.panes.front();
            with_pane(model, front, |pane, model| pane.handle(action, model));
        }
    }
}

fn hold_or_follow(model: &mut Model) {
    let list = &mut model.list;
    if list.page.follows() { list.page.hold(&list.rows) } else { list.page.end() }
}

/// Copies the selected rows, or the cursor row, as the list shows them.
fn copy_rows(model: &mut Model) {
    let range = model.list.selection();
    model.list.selected_from = None;
    let (rows, page) = (model.list.rows.clone(), &model.list.page);
    let (collapse, expr) = (page.collapse, page.filter.expr().clone());
    model.ask_for(Effect::CopyRows(RowSelection { rows, range, expr }, collapse));
}

/// Closes what is open, one thing at a time; `false` if nothing is.
fn close(model: &mut Model) -> bool {
    if model.list.selected_from.take().is_some() || model.prompt.notice.take().is_some() {
        return true;
    }
    if model.panes.zoom {
        model.panes.zoom = false;
        return true;
    }
    let other_pane = !model.panes.is_list_in_front();
    if other_pane {
        model.panes.show(RECORDS);
    }
    other_pane
}

fn ask_to_quit(model: &mut Model) {
    let recording = model.links.first().status.recording.is_some();
    let is_on_disk = model.links.sources.iter().all(|source| source.log().file_path().is_some());
    model.prompt.question = Some(if model.links.has_recording_failed() {
        Question::new("a recording failed; quit?", "q yes · s save everything elsewhere", true)
    } else if recording {
        Question::new("quit?", "q yes, recording stops", false)
    } else if is_on_disk {
        Question::new("quit?", "q yes", false)
    } else {
        let marks = match model.marks() {
            0 => String::new(),
            1 => " (the mark is not saved)".to_owned(),
            _ => " (marks are not saved)".to_owned(),
        };
        Question::new("quit?", format!("q yes · s save data{marks}"), true)
    });
}

fn interrupt(model: &mut Model) {
    if search::interrupt(model) || filter::interrupt(model) {
        return;
    }
    if model.prompt.interrupted.is_some_and(|at| model.now.duration_since(at) < TWICE) {
        model.quit = Some(130);
    }
    model.prompt.interrupted = Some(model.now);
    model.say("^c again within a second quits; :q too");
}

/// Shows or hides the strip of the timeline, until the program ends.
fn toggle_strip(model: &mut Model) {
    let now = if model.settings.config.on("ui.strip") { "false" } else { "true" };
    if let Err(error) = model.settings.config.set("ui.strip", now, Origin::Typed) {
        model.fail(error);
    }
}
