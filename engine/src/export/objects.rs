//! Objects at a record, as a table.

use super::table::{ALL, CSV, ColumnFit, DATA, JSON, PANE, Report, SHOWN, Table, Value, json_object};
use crate::{
    analysis::objects::{ObjectLine, ObjectTable, Wording, object::Level},
    io::log::format::percent,
    present::{Clock, clock::grouped},
};

#[derive(Debug, Clone)]
pub struct NamedObjects {
    lines: Vec<ObjectLine>,
    /// Number of activities ignored because of too many objects.
    refused: u64,
}

impl NamedObjects {
    pub fn new(table: &ObjectTable, wording: &Wording<'_>) -> NamedObjects {
        NamedObjects { lines: wording.lines(table), refused: table.refused() }
    }
}

impl Report for NamedObjects {
    /// One line each, in columns; at most 80 characters wide unless names are long.
    fn text(&self, several: bool) -> String {
        let mut text = table(&self.lines, several, None).text(false);
        if self.lines.iter().any(|line| line.is_unsure || line.is_level_unsure) {
            text.push_str("~ uncertain since a loss\n");
        }
        if self.refused > 0 {
            text.push_str(&format!("{} activities of more objects than are kept\n", grouped(self.refused)));
        }
        text
    }

    fn json(&self, several: bool) -> Vec<u8> {
        json_object(|object| table(&self.lines, several, None).json().json(object, "objects", false))
    }

    fn csv(&self, several: bool) -> String {
        table(&self.lines, several, None).csv()
    }
}

/// Objects with all columns; `now` = the end of present states, and its clock.
pub fn table(lines: &[ObjectLine], several: bool, now: Option<(u64, Clock)>) -> Table<'_, ObjectLine> {
    let number = |of: fn(&Level) -> Option<u64>| move |line: &ObjectLine| line.level_numbers.as_ref().and_then(of);
    let last = |line: &ObjectLine| line.last.clone();
    Table::new(lines, several)
        .column(ALL, "object", |line| line.name.clone())
        .fit(ColumnFit { rank: 0, ..ColumnFit::new(8, 17) })
        .column(DATA, "kind", |line| line.kind.word())
        .column(DATA, "state", |line| line.since.map(|_| line.state.clone()))
        .column(SHOWN, "state", |line| marked(&line.state, line.is_unsure))
        .fit(ColumnFit { rank: 3, ..ColumnFit::new(8, 18) })
        .column(CSV, "uncertain", |line| line.is_unsure)
        .column(ALL, "since", |line| line.since)
        .fit(ColumnFit { rank: 1, ..ColumnFit::new(6, 8) })
        .column(JSON, "uncertain", |line| line.since.map(|_| line.is_unsure))
        .column(PANE, "for", move |line| lasts(line, now))
        .fit(ColumnFit { rank: 5, from: 96, ..ColumnFit::number(8) })
        .column(SHOWN, "last event", event)
        .fit(ColumnFit { rank: 4, from: 50, cuts_end: true, ..ColumnFit::new(13, 24) })
        .column(SHOWN, "queue", |line| marked(&line.level, line.is_level_unsure))
        .fit(ColumnFit { rank: 2, from: 60, cuts_end: true, is_optional: true, ..ColumnFit::new(6, 20) })
        .column(SHOWN, "in state", |line| line.permille.map(|n| percent(n.into())))
        .fit(ColumnFit { rank: 6, from: 72, is_optional: true, ..ColumnFit::number(8) })
        .column(DATA, "in_state_permille", |line| line.permille.map(u64::from))
        .column(DATA, "used", number(Level::used))
        .column(DATA, "free", number(Level::free))
        .column(DATA, "min_free", number(|level| level.fewest_free))
        .column(DATA, "max_used", number(|level| level.most_used))
        .column(CSV, "level_uncertain", |line| line.is_level_unsure)
        .column(JSON, "level_uncertain", |line| line.level_numbers.map(|_| line.is_level_unsure))
        .column(DATA, "event", move |line| last(line).map(|last| last.kind))
        .column(DATA, "item", move |line| last(line).map(|last| last.item).filter(|item| !item.is_empty()))
        .column(DATA, "at", move |line| last(line).map(|last| last.at))
        .column(ALL, "events", |line| line.events)
        .fit(ColumnFit { rank: 7, from: 104, ..ColumnFit::number(7) })
}

/// Objects that have changed: what was there and what is.
pub fn changes(lines: &[ObjectLine], several: bool) -> Table<'_, ObjectLine> {
    let wide = ColumnFit { cuts_end: true, ..ColumnFit::new(8, 60) };
    Table::new(lines, several)
        .column(PANE, "object", |line| line.name.clone())
        .fit(ColumnFit { rank: 0, ..ColumnFit::new(8, 17) })
        .column(PANE, "state", |line| marked(&line.state, line.is_unsure))
        .fit(ColumnFit { rank: 1, ..wide })
        .column(PANE, "queue", |line| marked(&line.level, line.is_level_unsure))
        .fit(ColumnFit { rank: 2, is_optional: true, ..wide })
        .column(PANE, "since", |line| line.since)
        .fit(ColumnFit { rank: 3, ..ColumnFit::new(6, 8) })
}

fn marked(text: &str, is_unsure: bool) -> Value {
    if is_unsure { Value::Warning(format!("~{text}")) } else { text.into() }
}

fn event(line: &ObjectLine) -> Value {
    let Some(last) = &line.last else { return Value::Nothing };
    let text = format!("{} {}", last.kind, last.item);
    if last.warns { Value::Warning(format!("! {}", text.trim_end())) } else { text.trim_end().into() }
}

/// Duration of the state: `12.3ms`.
fn lasts(line: &ObjectLine, now: Option<(u64, Clock)>) -> Option<String> {
    let (now, clock) = now?;
    let text = clock.delta_text(line.since?.time?, now);
    text.strip_prefix('+').map(str::to_owned)
}
