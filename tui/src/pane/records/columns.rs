//! Which columns of the list are shown, in which order.

use std::borrow::Cow;

use spytui_plugin_api::row::Severity;

use crate::{
    model::{Model, list::Entry},
    term::Role,
};

/// The columns where nothing else is configured.
const USUAL: [&str; 6] = ["time", "delta", "group", "kind", "object", "what"];
/// The columns of every line, in the order in which they are given to [`Columns::arrange`].
const GIVEN: [&str; 7] = ["time", "delta", "lane", "group", "gutter", "kind", "object"];

/// The columns that not every list has: name, heading, width.
const OTHERS: [(&str, &str, usize); 6] = [
    ("number", "record", 8),
    ("host", "received", 16),
    ("seq", "seq", 5),
    ("epoch", "ep", 3),
    ("bytes", "bytes", 5),
    ("severity", "level", 7),
];

/// A cell: text, width, role, gap behind it.
pub(super) type Cell<'a> = (Cow<'a, str>, usize, Role, u16);

/// The columns shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns<'a> {
    names: Vec<&'a str>,
    /// The text is shown.
    pub(super) what: bool,
}

impl<'a> Columns<'a> {
    /// As configured for the decoder shown.
    pub(super) fn of(model: &'a Model) -> Columns<'a> {
        let id = &model.list.decoding().decoder.info.id;
        let configured = model.settings.config.list(&format!("columns.{id}"));
        match configured {
            [] => Columns::new(USUAL.to_vec()),
            names => Columns::new(names.iter().map(String::as_str).collect()),
        }
    }

    fn new(mut names: Vec<&'a str>) -> Columns<'a> {
        let what = names.contains(&"what");
        names.retain(|name| *name != "what");
        // Cores that differ are shown in any case, and the gutter belongs to the kind.
        if !names.contains(&"lane") {
            let after = names.iter().rposition(|name| matches!(*name, "time" | "delta")).map_or(0, |at| at + 1);
            names.insert(after, "lane");
        }
        if let Some(at) = names.iter().position(|name| *name == "kind") {
            names.insert(at, "gutter");
        }
        Columns { names, what }
    }

    /// Whether the object stands right behind the kind.
    pub(super) fn kind_before_object(&self) -> bool {
        self.names.windows(2).any(|pair| pair == ["kind", "object"])
    }

    /// The cells of a row that are shown, from those that every record has and from the others, by name and heading.
    pub(super) fn arrange<'c>(
        &self,
        given: [Cell<'c>; 7],
        other: impl Fn(&str, &'static str) -> Cow<'c, str>,
    ) -> Vec<Cell<'c>> {
        let mut given = given.map(Some);
        let mut cells = Vec::new();
        for name in &self.names {
            if let Some(at) = GIVEN.iter().position(|own| own == name) {
                cells.extend(given[at].take());
            }
            let others = OTHERS.iter().filter(|(own, ..)| own == name);
            cells.extend(others.map(|(_, heading, width)| (other(name, heading), *width, Role::Delta, 1)));
        }
        cells
    }
}

/// Text of a column that not every list has.
pub(super) fn extra(name: &str, entry: &Entry, host: &dyn Fn() -> String) -> String {
    let number = |number: Option<u64>| number.map(|n| n.to_string()).unwrap_or_default();
    match name {
        "number" => entry.n.map(|n| format!("#{n}")).unwrap_or_default(),
        "host" => host(),
        "seq" => number(entry.extra.seq),
        "epoch" => number(Some(u64::from(entry.extra.epoch) + 1)),
        "bytes" => number(Some(entry.extra.bytes)),
        _ => severity(entry.line.severity).to_owned(),
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::NORMAL => "normal",
        Severity::INFO => "info",
        Severity::WARNING => "warning",
        _ => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_and_gutter_have_their_places() {
        let shown = |names: &[&'static str]| Columns::new(names.to_vec());
        assert_eq!(shown(&USUAL).names, GIVEN);
        assert!(shown(&USUAL).what && !shown(&["kind"]).what);
        assert_eq!(shown(&["kind", "time", "number"]).names, ["gutter", "kind", "time", "lane", "number"]);
        assert_eq!(shown(&["object", "what"]).names, ["lane", "object"]);
    }
}
