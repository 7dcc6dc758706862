//! Actions about a property of the row under the cursor: they hide rows that share it, show only these, or mask them on
//! the target.

use spytui_engine::{
    device::switches::{About, of_row},
    present,
    query::Expr,
};
use spytui_plugin_api::Row;

use crate::{
    input::{Action, PromptKind, RECORDS, quoted},
    model::{
        Model,
        details::details,
        filter::{self, FilterTally},
        links::WayBack,
        panes::ActionOffer,
    },
};

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
pub(super) fn apply(model: &mut Model, action: Action) {
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
pub(super) struct PropertyCounts {
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

impl PropertyCounts {
    /// Counts some rows like the one under the cursor; `true` if there are more.
    pub(super) fn work(&mut self, model: &Model) -> bool {
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

    /// Help for an action: the property of the cursor row that it concerns, with the number of rows that have it
    /// (`Tran 52`).
    pub(super) fn offer(&self, action: Action, model: &Model) -> ActionOffer {
        if let Some(offer) = offer_change(model, action) {
            return offer;
        }
        let Some((common, _)) = Property::of(action) else { return ActionOffer::Usual };
        if let Some(why) = refusal(model) {
            return ActionOffer::Refused(why);
        }
        let counted = self.counts.iter().find(|(counted, _)| *counted == common);
        counted.map_or(ActionOffer::Nothing, |(_, tally)| ActionOffer::Words(tally.words()))
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
        _ => {
            let details = details(&model.list.rows, model.list.page.cursor)?;
            let field = details.fields.into_iter().find(|f| f.name == "sig")?;
            return Some(if ["", "no name"].contains(&field.meaning.as_str()) { field.value } else { field.meaning });
        }
    };
    Some(value.clone()).filter(|v| !v.is_empty())
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
pub(super) fn change_target_filter(model: &mut Model, action: Action) -> bool {
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
