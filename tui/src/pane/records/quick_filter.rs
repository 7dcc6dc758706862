//! `-` and `+`: hide rows like the one under the cursor, or show only them.

use spytui_engine::{
    list::RowSource,
    present::{Role, clock::grouped},
    store::{intern::Intern, tables::Tables},
};
use spytui_plugin_api::{Row, row::RowFlags};

use crate::{
    action::{Action, quoted},
    model::{Model, details::details, filter},
};

/// Property shared with the row under the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Common {
    Kind,
    Group,
    Object,
    Signal,
    Core,
}

impl Common {
    fn of(act: Action) -> Option<(Common, bool)> {
        Some(match act {
            Action::HideKind => (Common::Kind, true),
            Action::HideGroup => (Common::Group, true),
            Action::HideObject => (Common::Object, true),
            Action::HideSignal => (Common::Signal, true),
            Action::HideCore => (Common::Core, true),
            Action::OnlyKind => (Common::Kind, false),
            Action::OnlyGroup => (Common::Group, false),
            Action::OnlyObject => (Common::Object, false),
            Action::OnlySignal => (Common::Signal, false),
            Action::OnlyCore => (Common::Core, false),
            _ => return None,
        })
    }

    fn title(self) -> &'static str {
        match self {
            Common::Object => "object",
            Common::Signal => "signal",
            other => other.word(),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Common::Kind => "kind",
            Common::Group => "group",
            Common::Object => "obj",
            Common::Signal => "sig",
            Common::Core => "core",
        }
    }
}

/// Adds a term to the filter, if the action does that.
pub(super) fn apply(model: &mut Model, action: Action) {
    let Some((common, hide)) = Common::of(action) else { return };
    if model.list.cursor_entry().map(|entry| entry.line.role) != Some(Role::Record) {
        return model.say("losses, resets and link rows pass every filter");
    }
    let Some(value) = value_of(model, common) else {
        return model.say(format!("this row has no {}", common.title()));
    };
    let sign = if hide { "-" } else { "" };
    let before = filter::text(model);
    let both = if before.contains(" or ") { format!("({before})") } else { before };
    filter::set_text(model, format!("{both} {sign}{}:{}", common.word(), quoted(&value)).trim());
}

/// The property of the cursor row that an action uses, with the number of rows that have it (`Tran 52`); `None` if the
/// row has no such property.
pub(super) fn offer(model: &Model, action: Action) -> Option<String> {
    let (common, _) = Common::of(action)?;
    let value = value_of(model, common)?;
    Some(format!("{value} {}", grouped(count_of(model, common)?)))
}

/// `true` if the action uses a property of the cursor row.
pub(super) fn is_about_row(action: Action) -> bool {
    Common::of(action).is_some()
}

fn value_of(model: &Model, common: Common) -> Option<String> {
    let line = &model.list.cursor_entry()?.line;
    let value = match common {
        Common::Kind => line.kind.clone(),
        Common::Group => line.group.clone(),
        Common::Object => line.object.clone(),
        Common::Core => line.core.clone(),
        Common::Signal => return signal_here(model),
    };
    Some(value).filter(|v| !v.is_empty())
}

/// The signal of the row under the cursor, from its details.
fn signal_here(model: &Model) -> Option<String> {
    let details = details(&model.list.rows, model.list.page.cursor)?;
    let field = details.fields.into_iter().find(|f| f.name == "sig")?;
    Some(if field.meaning.is_empty() || field.meaning == "no name" { field.value } else { field.meaning })
}

fn count_of(model: &Model, common: Common) -> Option<u64> {
    let rows = &model.list.rows;
    let row = rows.row(model.list.page.cursor)?;
    let count = rows.read_all().iter().map(|state| rows_with(state.rows.tables(), common, &row)).sum();
    (common != Common::Signal || row.has(RowFlags::HAS_ITEM)).then_some(count)
}

/// Rows of a source that have this in common with a row.
fn rows_with(tables: &Tables, common: Common, row: &Row) -> u64 {
    let shapes = |fits: fn(&Row, &Row) -> bool| {
        tables.shapes.tally().filter(|(shape, ..)| fits(&shape.row(), row)).map(|t| t.1).sum()
    };
    let keys = |all: &Intern, wanted| all.iter().find(|k| k.0 == wanted).map_or(0, |k| k.1);
    match common {
        Common::Kind => shapes(|a, b| a.kind == b.kind),
        Common::Group => shapes(|a, b| a.group == b.group && a.is_record()),
        Common::Core => shapes(|a, b| a.core == b.core),
        Common::Object => keys(&tables.objs, row.obj),
        Common::Signal => keys(&tables.items, row.item),
    }
}
