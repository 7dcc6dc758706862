//! The record list. Its rows and its page are in the model because other panes and commands use them, too.

mod draw;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::{
    device::switches::{About, of_row},
    present,
    query::Expr,
    trace::list::Direction,
};
use spytui_plugin_api::Row;

use super::live::lines_moved;
use crate::{
    input::{Action, JumpTarget, PaneKeys, PromptKind, RECORDS, quoted},
    model::{
        Model,
        details::{self, details},
        filter::{self, FilterTally},
        jump,
        links::WayBack,
        list::ListEntry,
        panes::{ActionOffer, Pane},
        screen::{ScreenLayout, TimeStyle, turn_time},
        search,
    },
    term::Role,
};

const KEYS: PaneKeys = PaneKeys { id: RECORDS, title: "records", tab: Some("Rec"), actions: &[], hints: &[] };

#[derive(Debug, Default)]
pub(super) struct RecordsPane {
    counts: Counts,
}

impl Pane for RecordsPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        use Direction::{Backward, Forward};
        let height = model.screen.list_height();
        if let Some(by) = lines_moved(action, height) {
            return model.list.step(by, height);
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
            Action::MarkNote => _ = model.prompt.open(PromptKind::Note, &note_here(model)),
            Action::MarkNext => jump::to_mark(model, Forward),
            Action::MarkPrevious => jump::to_mark(model, Backward),
            Action::MarkList => list_marks(model),
            Action::TimeColumn => turn_time(model),
            Action::Measure => measure(model),
            Action::Select => select(model),
            other if change_target_filter(model, other) => {}
            other => apply(model, other),
        }
    }

    fn offer(&self, action: Action, model: &Model) -> ActionOffer {
        if let Some(offer) = offer_change(model, action) {
            return offer;
        }
        if Property::of(action).is_none() {
            return ActionOffer::Usual;
        }
        if let Some(why) = refusal(model) {
            return ActionOffer::Refused(why);
        }
        self.counts.offer(action).map_or(ActionOffer::Nothing, ActionOffer::Words)
    }

    /// Offers are counted while a key that begins an action is pressed.
    fn work(&mut self, model: &Model) -> bool {
        !model.prompt.pressed.is_empty() && self.counts.work(model)
    }

    fn forget_rows(&mut self) {
        self.counts.forget();
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        click(at, model);
    }

    fn prepare(&mut self, _model: &Model, _width: u16, _height: u16) {}

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(model, area, buffer);
    }
}

fn bottom(model: &mut Model) {
    jump::remember(model);
    model.list.page.end();
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

/// The note on the cursor row's mark.
fn note_here(model: &Model) -> String {
    let position = model.list.position_of(model.list.page.cursor);
    let mark = position.and_then(|position| model.list.marks.get(model.list.marks.name_at(position)?));
    mark.map_or_else(String::new, |mark| mark.note.clone())
}

/// Offers the marks as completions of `:goto`: Tab chooses, Enter goes.
fn list_marks(model: &mut Model) {
    if model.list.marks.iter().next().is_none() {
        return model.say("no marks; m sets one");
    }
    model.prompt.open(PromptKind::Command, "goto '").is_list = true;
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
    let height = model.screen.list_height();
    let list = &mut model.list;
    list.page.go_to(&list.rows, row, height);
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

/// A property of the row under the cursor: the actions that hide rows which share it and that show only these, the name
/// of its test, and its word.
#[derive(Debug, PartialEq, Eq)]
struct Property {
    hide: Action,
    only: Action,
    test: &'static str,
    word: &'static str,
}

static PROPERTIES: [Property; 5] = [
    Property { hide: Action::HideKind, only: Action::OnlyKind, test: "kind", word: "kind" },
    Property { hide: Action::HideGroup, only: Action::OnlyGroup, test: "group", word: "group" },
    Property { hide: Action::HideObject, only: Action::OnlyObject, test: "obj", word: "object" },
    Property { hide: Action::HideSignal, only: Action::OnlySignal, test: "sig", word: "signal" },
    Property { hide: Action::HideCore, only: Action::OnlyCore, test: "core", word: "core" },
];

impl Property {
    /// The property that an action concerns, and whether it hides.
    fn of(action: Action) -> Option<(&'static Property, bool)> {
        let found = PROPERTIES.iter().find(|own| own.hide == action || own.only == action)?;
        Some((found, found.hide == action))
    }
}

/// Adds a term to the filter if the action requires one.
fn apply(model: &mut Model, action: Action) {
    let Some((common, hide)) = Property::of(action) else { return };
    if let Some(why) = refusal(model) {
        return model.say(why);
    }
    let Some(term) = term(model, common) else {
        return model.say(format!("this row has no {}", common.word));
    };
    let sign = if hide { "-" } else { "" };
    let before = filter::text(model);
    let both = if before.contains(" or ") { format!("({before})") } else { before };
    filter::set_text(model, format!("{both} {sign}{term}").trim());
}

/// Why no filter hides the row under the cursor, if so.
fn refusal(model: &Model) -> Option<&'static str> {
    match model.list.cursor_entry()?.line.role {
        present::RowRole::Loss | present::RowRole::Event => Some("losses, resets and link rows pass every filter"),
        present::RowRole::Record | present::RowRole::Console | present::RowRole::Note => None,
    }
}

/// The term that rows like the one under the cursor pass: `kind:Tran`.
fn term(model: &Model, common: &Property) -> Option<String> {
    value_of(model, common).map(|value| format!("{}:{}", common.test, quoted(&value)))
}

/// Numbers of rows that the actions concern.
#[derive(Debug, Default)]
struct Counts {
    about: Option<Counted>,
    counts: Vec<(&'static Property, FilterTally)>,
}

/// What is counted: rows of this list, like this one, that pass this filter.
#[derive(Debug, PartialEq)]
struct Counted {
    list: usize,
    row: u64,
    filter: Expr,
}

impl Counts {
    /// Counts some rows like the one under the cursor; `true` if there are more.
    fn work(&mut self, model: &Model) -> bool {
        let filter = model.list.page.filter.expr();
        let about = Counted { list: model.links.list_shown(), row: model.list.page.cursor, filter: filter.clone() };
        if self.about.as_ref() != Some(&about) {
            let count = |common: &'static Property| Some((common, tally(model, common, filter)?));
            self.counts = PROPERTIES.iter().filter_map(count).collect();
            self.about = Some(about);
        }
        let mut more = false;
        for (_, tally) in &mut self.counts {
            more |= tally.work(&model.list.rows, model.now);
        }
        more
    }

    fn forget(&mut self) {
        *self = Counts::default();
    }

    /// The property of the cursor row that an action uses, with the number of rows that have it (`Tran 52`); `None` if
    /// the row has no such property.
    fn offer(&self, action: Action) -> Option<String> {
        let (common, _) = Property::of(action)?;
        self.counts.iter().find(|(counted, _)| *counted == common).map(|(_, tally)| tally.words())
    }
}

/// Counts the shown rows like the one under the cursor: exactly those that `+` keeps and `-` hides.
fn tally(model: &Model, common: &Property, filter: &Expr) -> Option<FilterTally> {
    let term = filter::read(model, &term(model, common)?).ok()?;
    Some(FilterTally::new(value_of(model, common)?, filter.clone().and(term)))
}

fn value_of(model: &Model, common: &Property) -> Option<String> {
    let line = &model.list.cursor_entry()?.line;
    let value = match common.hide {
        Action::HideKind => &line.kind,
        Action::HideGroup => &line.group,
        Action::HideObject => &line.object,
        Action::HideCore => &line.core,
        _ => return signal_here(model),
    };
    Some(value.clone()).filter(|v| !v.is_empty())
}

/// The signal of the row under the cursor, from its details.
fn signal_here(model: &Model) -> Option<String> {
    let details = details(&model.list.rows, model.list.page.cursor)?;
    let field = details.fields.into_iter().find(|f| f.name == "sig")?;
    Some(if field.meaning.is_empty() || field.meaning == "no name" { field.value } else { field.meaning })
}

/// The actions with the property they concern, and the sign of the change.
const CHANGES: [(Action, About, char); 8] = [
    (Action::MaskKind, About::Kind, '-'),
    (Action::MaskGroup, About::Group, '-'),
    (Action::MaskObject, About::Object, '-'),
    (Action::MaskSignal, About::Signal, '-'),
    (Action::AskKind, About::Kind, '='),
    (Action::AskGroup, About::Group, '='),
    (Action::AskObject, About::Object, '='),
    (Action::AskSignal, About::Signal, '='),
];

fn change(action: Action) -> Option<(About, char)> {
    CHANGES.iter().find(|own| own.0 == action).map(|&(_, about, sign)| (about, sign))
}

/// The filter command and its word for a property of the cursor row; or why there is none.
fn of_cursor_row(model: &Model, about: About) -> Result<(String, String), String> {
    let (rows, cursor) = (&model.list.rows, model.list.page.cursor);
    let here = rows.row(cursor).filter(Row::is_record);
    let row = here.ok_or_else(|| "only records can be masked on the target".to_owned())?;
    let decoding = rows.source(rows.locate(cursor).map_or(0, |(source, _)| source));
    of_row(&decoding.decoder.info, &decoding.read().dictionary, &row, about)
}

/// Puts a change of the target's filter into the command line if the action requires one; returns whether it does.
fn change_target_filter(model: &mut Model, action: Action) -> bool {
    let Some((about, sign)) = change(action) else { return false };
    match of_cursor_row(model, about) {
        Ok((command, word)) => {
            let text = format!("target {command} {sign}{word}");
            let line = model.prompt.open(PromptKind::Command, &text);
            line.filled = Some(text);
        }
        Err(why) => model.say(why),
    }
    true
}

/// Combined help for all actions with the same sign: `K G O on the target`; `None` for other actions.
fn offer_change(model: &Model, action: Action) -> Option<ActionOffer> {
    let (_, sign) = change(action)?;
    // A file has no target.
    let is_two_way = model.links.shown().any(|source| source.status.way_back != WayBack::Never);
    let fits = |own: &(Action, About, char)| is_two_way && own.2 == sign && of_cursor_row(model, own.1).is_ok();
    let mut usable = CHANGES.into_iter().filter(fits).map(|own| own.0);
    if usable.next() != Some(action) {
        return Some(ActionOffer::Nothing);
    }
    let keymap = &model.settings.keymap;
    let key = |action: Action| {
        keymap.keys(RECORDS, action).first().and_then(|keys| keys.split(' ').next_back().map(str::to_owned))
    };
    let keys: Vec<String> = usable.filter_map(key).chain(["on the target".to_owned()]).collect();
    Some(ActionOffer::Words(keys.join(" ")))
}
