//! `-` and `+`: hide rows like the one under the cursor, or show only them.

use spytui_engine::{
    list::RowSource,
    present::{Role, clock::grouped},
    store::{intern::Intern, tables::Tables},
};
use spytui_plugin_api::{Row, row::RowFlags};

use super::state::App;
use crate::action::{Action, quoted};

/// What rows may have in common with the one under the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trait {
    Kind,
    Group,
    Object,
    Signal,
    Core,
}

impl Trait {
    fn of(act: Action) -> Option<(Trait, bool)> {
        Some(match act {
            Action::HideKind => (Trait::Kind, true),
            Action::HideGroup => (Trait::Group, true),
            Action::HideObject => (Trait::Object, true),
            Action::HideSignal => (Trait::Signal, true),
            Action::HideCore => (Trait::Core, true),
            Action::OnlyKind => (Trait::Kind, false),
            Action::OnlyGroup => (Trait::Group, false),
            Action::OnlyObject => (Trait::Object, false),
            Action::OnlySignal => (Trait::Signal, false),
            Action::OnlyCore => (Trait::Core, false),
            _ => return None,
        })
    }

    fn title(self) -> &'static str {
        match self {
            Trait::Object => "object",
            Trait::Signal => "signal",
            other => other.word(),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Trait::Kind => "kind",
            Trait::Group => "group",
            Trait::Object => "obj",
            Trait::Signal => "sig",
            Trait::Core => "core",
        }
    }
}

impl App {
    /// Adds a term to the filter.
    pub(super) fn narrow(&mut self, act: Action) {
        let Some((common, hide)) = Trait::of(act) else { return };
        if self.cursor_role() != Some(Role::Record) {
            return self.say("losses, resets and the link pass every filter");
        }
        let Some(value) = self.value_of(common) else {
            return self.say(format!("this row has no {}", common.title()));
        };
        let sign = if hide { "-" } else { "" };
        let before = self.filter_text();
        let both = if before.contains(" or ") { format!("({before})") } else { before };
        self.filter_from_text(format!("{both} {sign}{}:{}", common.word(), quoted(&value)).trim());
    }

    /// What an action is offered with: where it takes something of this row, that with the number of rows that have
    /// it (`Tran 52`); `None` = this row has nothing for it.
    #[must_use]
    pub fn offer(&self, act: Action) -> Option<String> {
        let Some((common, _)) = Trait::of(act) else { return Some(act.entry().doc.to_owned()) };
        let value = self.value_of(common)?;
        Some(format!("{value} {}", grouped(self.rows_with(common)?)))
    }

    fn cursor_role(&self) -> Option<Role> {
        self.list.cursor_entry().map(|i| self.list.entries[i].line.role)
    }

    fn value_of(&self, common: Trait) -> Option<String> {
        let line = &self.list.entries.get(self.list.cursor_entry()?)?.line;
        let value = match common {
            Trait::Kind => line.kind.clone(),
            Trait::Group => line.group.clone(),
            Trait::Object => line.object.clone(),
            Trait::Core => line.core.clone(),
            Trait::Signal => return self.signal_here(),
        };
        Some(value).filter(|v| !v.is_empty())
    }

    /// The signal of the row under the cursor, from its details.
    fn signal_here(&self) -> Option<String> {
        let details = super::details::details(&self.rows, self.list.cursor)?;
        let field = details.fields.into_iter().find(|f| f.name == "sig")?;
        Some(if field.meaning.is_empty() || field.meaning == "no name" { field.value } else { field.meaning })
    }

    fn rows_with(&self, common: Trait) -> Option<u64> {
        let row = self.rows.row(self.list.cursor)?;
        let rows = self.rows.read_all().iter().map(|state| rows_with(state.rows.tables(), common, &row)).sum();
        (common != Trait::Signal || row.has(RowFlags::HAS_ITEM)).then_some(rows)
    }
}

/// Rows of a source that have this in common with a row.
fn rows_with(tables: &Tables, common: Trait, row: &Row) -> u64 {
    let shapes = |fits: fn(&Row, &Row) -> bool| {
        tables.shapes.tally().filter(|(shape, ..)| fits(&shape.row(), row)).map(|t| t.1).sum()
    };
    let keys = |all: &Intern, wanted| all.iter().find(|k| k.0 == wanted).map_or(0, |k| k.1);
    match common {
        Trait::Kind => shapes(|a, b| a.kind == b.kind),
        Trait::Group => shapes(|a, b| a.group == b.group && a.is_record()),
        Trait::Core => shapes(|a, b| a.core == b.core),
        Trait::Object => keys(&tables.objs, row.obj),
        Trait::Signal => keys(&tables.items, row.item),
    }
}
