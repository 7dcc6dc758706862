//! What every object was doing at a record, as text, JSON or CSV.

use super::{
    json::{self, Object},
    table_text::{columns, csv_line},
};
use crate::{
    analysis::objects::{ObjectLine, ObjectTable, Wording},
    open::Decoder,
    present::clock::grouped,
    replay::{Key, Moment},
    store::{Dictionary, Names, View},
    trace::list::row_list::number_text,
};

/// Objects with what is needed to name them.
#[derive(Debug, Clone, Copy)]
pub struct NamedObjects<'a> {
    /// The decoder.
    pub decoder: &'a Decoder,
    /// Its names.
    pub names: &'a Dictionary,
    /// The target has several sources.
    pub several: bool,
    /// The objects.
    pub table: &'a ObjectTable,
}

impl NamedObjects<'_> {
    fn lines(&self) -> Vec<ObjectLine> {
        let (dictionary, view) = (self.names, View::Effective);
        let names = Names { dictionary, others: &[], row: u64::MAX, rows: &[], view, short: false };
        let of_formats = |key: Key| self.decoder.formatting.track_name(key.space, key.key);
        Wording { info: &self.decoder.info, names: &names, of_formats: &of_formats }.lines(self.table)
    }

    fn number(&self, at: &Moment) -> String {
        number_text(self.several.then_some(at.source), at.n)
    }

    /// One line each, in columns; at most 80 columns wide if names are not long.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.lines();
        let heading = ["object", "state", "since", "last event", "queue", "in state", "events"].map(str::to_owned);
        let rows: Vec<[String; 7]> =
            std::iter::once(heading).chain(lines.iter().map(|line| self.cells(line))).collect();
        let mut text = columns(&rows, &[5, 6]);
        if lines.iter().any(|line| line.is_unsure || line.is_level_unsure) {
            text.push_str("~ uncertain since a loss\n");
        }
        if self.table.refused() > 0 {
            text.push_str(&format!("{} activities of more objects than are kept\n", grouped(self.table.refused())));
        }
        text
    }

    fn cells(&self, line: &ObjectLine) -> [String; 7] {
        let mark = |is_unsure: bool, text: &str| if is_unsure { format!("~{text}") } else { text.to_owned() };
        let last = line.last.as_ref().map_or_else(String::new, |last| {
            let sign = if last.warns { "! " } else { "" };
            format!("{sign}{} {}", last.kind, last.item).trim_end().to_owned()
        });
        [
            line.name.clone(),
            mark(line.is_unsure, &line.state),
            line.since.map_or_else(String::new, |since| self.number(&since)),
            last,
            mark(line.is_level_unsure, &line.level),
            line.permille.map_or_else(String::new, percent),
            grouped(line.events),
        ]
    }

    /// One JSON object, ended by a newline; `docs/output.md` has its keys.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.number("schema", SCHEMA);
        json::objects(object.key(b"objects"), self.lines(), |object, line| self.json_line(object, &line));
        object.close();
        out.push(b'\n');
        out
    }

    fn json_line(&self, object: &mut Object<'_>, line: &ObjectLine) {
        object.string("object", line.name.as_bytes());
        object.string("kind", line.kind.word().as_bytes());
        if let Some(since) = line.since {
            object.string("state", line.state.as_bytes());
            self.json_record(object, ["since", "since_source"], &since);
            json::boolean(object.key(b"uncertain"), line.is_unsure);
        }
        if let Some(permille) = line.permille {
            object.number("in_state_permille", permille);
        }
        for (name, number) in LEVELS.iter().zip(levels(line)) {
            if let Some(number) = number {
                object.number(name, number);
            }
        }
        if line.level_numbers.is_some() {
            json::boolean(object.key(b"level_uncertain"), line.is_level_unsure);
        }
        if let Some(last) = &line.last {
            object.string("event", last.kind.as_bytes());
            if !last.item.is_empty() {
                object.string("item", last.item.as_bytes());
            }
            self.json_record(object, ["at", "at_source"], &last.at);
        }
        object.number("events", line.events);
    }

    fn json_record(&self, object: &mut Object<'_>, [number, source]: [&'static str; 2], at: &Moment) {
        object.number(number, at.n);
        if self.several {
            object.number(source, at.source);
        }
    }

    /// A header and one line for each object.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = CSV_HEADER.join(",") + "\n";
        for line in self.lines() {
            let last = line.last.as_ref();
            let [used, free, min_free, max_used] = levels(&line).map(|n| n.map_or_else(String::new, |n| n.to_string()));
            let cells = [
                line.name.clone(),
                line.kind.word().to_owned(),
                if line.since.is_some() { line.state.clone() } else { String::new() },
                line.is_unsure.to_string(),
                line.since.map_or_else(String::new, |since| self.number(&since)),
                line.permille.map_or_else(String::new, |permille| permille.to_string()),
                used,
                free,
                min_free,
                max_used,
                line.is_level_unsure.to_string(),
                last.map_or_else(String::new, |last| last.kind.clone()),
                last.map_or_else(String::new, |last| last.item.clone()),
                last.map_or_else(String::new, |last| self.number(&last.at)),
                line.events.to_string(),
            ];
            text.push_str(&csv_line(&cells));
        }
        text
    }
}

/// Version of the object: greater where a key goes or gets another meaning. New keys may come at any time.
const SCHEMA: u64 = 1;
const LEVELS: [&str; 4] = ["used", "free", "min_free", "max_used"];
const CSV_HEADER: [&str; 15] = [
    "object",
    "kind",
    "state",
    "uncertain",
    "since",
    "in_state_permille",
    "used",
    "free",
    "min_free",
    "max_used",
    "level_uncertain",
    "event",
    "item",
    "at",
    "events",
];

/// Used and free elements, fewest free and most used ones, as far as they are known.
fn levels(line: &ObjectLine) -> [Option<u64>; 4] {
    let level = line.level_numbers.as_ref();
    let used = level.and_then(|level| level.used());
    [used, level.and_then(|level| level.free()), level.and_then(|l| l.fewest_free), level.and_then(|l| l.most_used)]
}

/// `12.3 %`
#[must_use]
pub fn percent(permille: u16) -> String {
    format!("{}.{} %", permille / 10, permille % 10)
}
