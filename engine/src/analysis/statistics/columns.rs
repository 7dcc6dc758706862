//! The columns that figures are grouped by.

use spytui_plugin_api::{RowKind, nearest::nearest};

use super::{measure::Measure, tally::Subject};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// Kind of the record; for times, of the record at the end.
    Kind,
    Group,
    /// The object, task, queue … concerned.
    Object,
    /// Signal, or another second key.
    Signal,
    Core,
}

/// In table order.
pub const ALL: [Column; 5] = [Column::Kind, Column::Group, Column::Object, Column::Signal, Column::Core];

impl Column {
    pub fn word(self) -> &'static str {
        match self {
            Column::Kind => "kind",
            Column::Group => "group",
            Column::Object => "object",
            Column::Signal => "signal",
            Column::Core => "core",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Columns(u8);

impl Columns {
    pub fn of(columns: &[Column]) -> Columns {
        Columns(columns.iter().fold(0, |bits, column| bits | 1 << *column as u8))
    }

    pub fn usual(measure: Measure) -> Columns {
        match measure {
            Measure::Rate => Columns::of(&[Column::Kind, Column::Group]),
            Measure::Cpu => Columns::of(&[Column::Object, Column::Core]),
            Measure::Critical | Measure::Locked => Columns::of(&[Column::Core]),
            Measure::Wait | Measure::Latency | Measure::Step | Measure::Response | Measure::Span => {
                Columns::of(&[Column::Object, Column::Signal])
            }
            _ => Columns::of(&[Column::Object]),
        }
    }

    pub fn has(self, column: Column) -> bool {
        self.0 & 1 << column as u8 != 0
    }

    /// Adds or removes a column.
    pub fn with(self, column: Column, is_there: bool) -> Columns {
        let bit = 1 << column as u8;
        Columns(if is_there { self.0 | bit } else { self.0 & !bit })
    }

    /// A subject reduced to these columns.
    pub(super) fn only(self, subject: &Subject) -> Subject {
        Subject {
            kind: if self.has(Column::Kind) { subject.kind } else { RowKind::default() },
            group: if self.has(Column::Group) { subject.group } else { 0 },
            core: if self.has(Column::Core) { subject.core } else { 0 },
            object: subject.object.filter(|_| self.has(Column::Object)),
            signal: subject.signal.filter(|_| self.has(Column::Signal)),
        }
    }

    /// In table order.
    pub fn iter(self) -> impl Iterator<Item = Column> {
        ALL.into_iter().filter(move |column| self.has(*column))
    }

    /// `object, signal`; `all` without columns.
    pub fn text(self) -> String {
        let words: Vec<&str> = self.iter().map(Column::word).collect();
        if words.is_empty() { "all".to_owned() } else { words.join(", ") }
    }

    /// Parses `object,signal`; `all` means no columns, that is a single row.
    ///
    /// # Errors
    /// The unknown column, and the valid ones.
    pub fn parse(text: &str) -> Result<Columns, String> {
        let mut columns = Columns::default();
        for word in text.split(',').map(str::trim).filter(|word| *word != "all") {
            let found = ALL.into_iter().find(|column| column.word() == word);
            let near = nearest(word, ALL.map(Column::word));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let unknown = || format!("unknown column `{word}`: use kind, group, object, signal, core or all{near}");
            columns = columns.with(found.ok_or_else(unknown)?, true);
        }
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_in_any_order() {
        assert_eq!(Columns::parse("signal, object"), Ok(Columns::of(&[Column::Object, Column::Signal])));
        assert_eq!(Columns::parse("signal,object").unwrap().text(), "object, signal");
        assert_eq!((Columns::parse("all").unwrap(), Columns::default().text().as_str()), (Columns::default(), "all"));
        assert!(Columns::parse("sgnal").unwrap_err().contains("signal"));
    }
}
