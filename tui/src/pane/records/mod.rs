//! The record list. Its rows and its page are in the model because other panes and commands use them, too.

mod columns;
mod draw;
mod narrow;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::trace::list::Direction;

use super::table::lines_moved;
use crate::{
    input::{Action, JumpTarget, PaneKeys, PromptKind, RECORDS, quoted},
    model::{
        Model, details, filter, incident, jump,
        list::ListEntry,
        panes::{ActionOffer, Pane},
        screen::{ScreenLayout, TimeStyle, turn_time},
        search,
    },
    term::Role,
};
use narrow::{PropertyCounts, apply, change_target_filter};

const SIGNS: &str = "░░: a loss: records missing or bytes damaged; \
    ══: a start or reset of the target, the link, a command; !: a warning or an error; •: marked; \
    ┌ │ └: begin, inside and end of a step or an interval; ┊: more are open than columns are shown; \
    ~: uncertain: records were lost since it began; ×3: 3 equal rows";
const KEYS: PaneKeys =
    PaneKeys { id: RECORDS, title: "records", tab: Some("Rec"), actions: &[], hints: &[], signs: SIGNS };

#[derive(Debug, Default)]
pub(super) struct RecordsPane {
    counts: PropertyCounts,
}

impl Pane for RecordsPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn is_of_all(&self) -> bool {
        true
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        use Direction::{Backward, Forward};
        let height = model.screen.list_height();
        if let Some(by) = lines_moved(action, height) {
            let list = &mut model.list;
            return list.page.step(&list.rows, by, height);
        }
        match action {
            Action::Top => jump::to_top(model),
            Action::Follow => bottom(model),
            Action::Open => open(model),
            Action::AllRows => filter::toggle(model),
            Action::Fold => {
                let text = model.list.turn_collapse();
                model.say(text);
            }
            Action::LossNext => jump::to_next(model, JumpTarget::Loss, Forward),
            Action::LossPrevious => jump::to_next(model, JumpTarget::Loss, Backward),
            Action::ErrorNext => jump::to_next(model, JumpTarget::Error, Forward),
            Action::ErrorPrevious => jump::to_next(model, JumpTarget::Error, Backward),
            Action::WarningNext => jump::to_next(model, JumpTarget::Warning, Forward),
            Action::WarningPrevious => jump::to_next(model, JumpTarget::Warning, Backward),
            Action::ObjectNext => same_object(model, Forward),
            Action::ObjectPrevious => same_object(model, Backward),
            Action::Cause => details::go(model, Backward),
            Action::Effect => details::go(model, Forward),
            Action::Mark => toggle_mark(model),
            Action::MarkNote => {
                let here = model.list.position_of(model.list.page.cursor).and_then(|at| model.list.mark_at(at));
                let note = here.and_then(|mark| model.list.marks.get(mark)).map(|mark| mark.note.clone());
                model.prompt.open(PromptKind::Note, &note.unwrap_or_default());
            }
            Action::MarkNext => jump::to_mark(model, Forward),
            Action::MarkPrevious => jump::to_mark(model, Backward),
            Action::MarkList if model.list.marks.is_empty() => model.say("no marks; m sets one"),
            // As completions of `:goto`: Tab chooses, Enter goes.
            Action::MarkList => model.prompt.open(PromptKind::Command, "goto '").is_list = true,
            Action::TimeColumn => turn_time(model),
            Action::Measure => measure(model),
            Action::Select => select(model),
            other if change_target_filter(model, other) => {}
            other => apply(model, other),
        }
    }

    fn offer(&self, action: Action, model: &Model) -> ActionOffer {
        self.counts.offer(action, model)
    }

    /// Offers are counted while a key that begins an action is pressed.
    fn work(&mut self, model: &mut Model) -> bool {
        !model.prompt.pressed.is_empty() && self.counts.work(model)
    }

    fn forget_rows(&mut self) {
        self.counts = PropertyCounts::default();
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        click(at, model);
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(model, area, buffer);
    }
}

fn bottom(model: &mut Model) {
    jump::remember(model);
    model.list.page.follow = true;
    if model.links.is_over() && model.is_all_there() {
        // No more rows will arrive: the last row, without following.
        let height = model.screen.list_height();
        model.list.fill_page(height, model.now);
        model.list.page.hold(&model.list.rows);
    }
}

/// Opens the details, or shows them completely.
fn open(model: &mut Model) {
    if model.list.cursor_entry().is_some_and(ListEntry::folds_names) {
        model.list.page.folds_names = false;
        return model.say("names are shown as rows");
    }
    if let Some(row) = model.list.cursor_entry().map(|entry| entry.first).filter(|row| incident::is_failed(model, *row))
    {
        return incident::open(model, row);
    }
    let is_low = ScreenLayout::is_low(model.screen.size.1);
    let panes = &mut model.panes;
    if panes.details_open && !is_low {
        panes.details_large = !panes.details_large;
    } else {
        panes.toggle_details(is_low);
    }
}

fn same_object(model: &mut Model, direction: Direction) {
    let Some(object) = model.list.cursor_entry().map(|entry| entry.line.object.clone()) else { return };
    if object.is_empty() {
        return model.say("this row has no object");
    }
    match filter::read(model, &format!("obj:{}", quoted(&object))) {
        Ok(expr) => search::start(model, Some(expr), direction),
        Err(error) => model.fail(error),
    }
}

fn toggle_mark(model: &mut Model) {
    let Some(position) = model.list.position_of(model.list.page.cursor) else { return };
    match model.list.unmark(position) {
        Some(name) => model.say(format!("mark {name} removed")),
        None => jump::mark(model, None, String::new()),
    }
}

fn measure(model: &mut Model) {
    let Some(time) = model.list.cursor_entry().and_then(|entry| entry.time) else {
        return model.say("this row has no time stamp");
    };
    model.list.measure_from = Some(time);
    model.screen.time_style = TimeStyle::SinceMark;
    model.say("times are relative to this row; t changes that");
}

fn select(model: &mut Model) {
    if model.list.selected_from.take().is_some() {
        return;
    }
    model.list.selected_from = Some(model.list.page.cursor);
    model.say("selecting: move, then y copies; v cancels");
}

fn click(at: Position, model: &mut Model) {
    let layout = &model.screen.layout;
    if layout.heading == Some(at.y) {
        return column(at.x, model);
    }
    let Some(line) = at.y.checked_sub(layout.list_area.y).map(usize::from) else { return };
    let Some(entry) = model.list.page.entries.get(line) else { return };
    let (row, is_cursor) = (entry.first, model.list.page.cursor_entry() == Some(line));
    // As in a file manager: the first click selects, the next one opens.
    if is_cursor && !model.list.page.follow {
        return open(model);
    }
    let list = &mut model.list;
    list.page.hold(&list.rows);
    list.page.put_back((row, line, false));
}

/// The time column switches to the next style; other columns begin a filter.
fn column(x: u16, model: &mut Model) {
    let Some(column) = draw::column_at(model, x) else { return };
    if column.role == Role::Time {
        return turn_time(model);
    }
    let Some(test) = column.test else { return };
    let text = format!("{} {test}", filter::text(model));
    model.prompt.open(PromptKind::Filter, text.trim_start());
}
