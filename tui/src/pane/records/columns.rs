//! The columns of the list, and which of them are shown.

use std::borrow::Cow;

use spytui_engine::present::Widths;
use spytui_plugin_api::row::Severity;

use crate::{
    model::{
        Model,
        links::Source,
        list::ListEntry,
        screen::{TimeStyle, host_time, time_text},
    },
    term::{Role, width},
};

pub(super) struct ListColumn {
    name: &'static str,
    heading: &'static str,
    /// Width of the column; 0 = hidden.
    cells: fn(&Widths) -> usize,
    text: fn(&ListEntry) -> Cow<'_, str>,
    pub(super) role: Role,
    /// The filter test that a click on its heading begins.
    pub(super) test: Option<&'static str>,
}

/// All columns except the text, which is always the last one.
const COLUMNS: [ListColumn; 13] = [
    column("number", "record", |_| 8, |entry| entry.n.map_or("".into(), |n| format!("#{n}").into())),
    column("host", "received", |_| 16, |_| "".into()),
    column("seq", "seq", |_| 5, |entry| entry.extra.seq.map_or("".into(), |n| n.to_string().into())),
    column("epoch", "ep", |_| 3, |entry| (u64::from(entry.extra.epoch) + 1).to_string().into()),
    column("bytes", "bytes", |_| 5, |entry| entry.extra.bytes.to_string().into()),
    column("severity", "level", |_| 7, |entry| severity(entry.line.severity).into()),
    column("time", "", |w| w.time, |_| "".into()).role(Role::Time),
    column("delta", "Δ", |w| w.delta, |entry| entry.line.delta.as_str().into()).test("dt>"),
    column("lane", "cpu", |w| w.core, |entry| entry.line.core.as_str().into()).role(Role::Group),
    column("group", "grp", |w| w.group, |entry| entry.line.group.as_str().into()).role(Role::Group).test("group:"),
    column(GUTTER, "", |w| w.gutter, |entry| entry.gutter.as_str().into()).role(Role::Gutter),
    column("kind", "kind", |w| w.kind, |entry| entry.line.kind.as_str().into()).role(Role::Kind).test("kind:"),
    column("object", "object", |w| w.object, |entry| entry.line.object.as_str().into()).role(Role::Object).test("obj:"),
];
const GUTTER: &str = "gutter";
const USUAL: [&str; 6] = ["time", "delta", "group", "kind", "object", "what"];

const fn column(
    name: &'static str,
    heading: &'static str,
    cells: fn(&Widths) -> usize,
    text: fn(&ListEntry) -> Cow<'_, str>,
) -> ListColumn {
    ListColumn { name, heading, cells, text, role: Role::Delta, test: None }
}

impl ListColumn {
    const fn role(self, role: Role) -> ListColumn {
        ListColumn { role, ..self }
    }

    const fn test(self, test: &'static str) -> ListColumn {
        ListColumn { test: Some(test), ..self }
    }

    pub(super) fn cells(&self, shape: &ListShape) -> usize {
        (self.cells)(&shape.widths)
    }

    pub(super) fn gap(&self) -> u16 {
        u16::from(self.name != GUTTER)
    }

    pub(super) fn text<'e>(&self, model: &Model, entry: &'e ListEntry, shape: &ListShape) -> Cow<'e, str> {
        match self.name {
            "time" => {
                // Digits are more important than the blanks between them; the sign before them is separate.
                let (text, room) = (time_text(model, shape.style, entry, shape.widths.time), shape.widths.time);
                Cow::from(if width(&text) > room { in_few_cells(&text, room.saturating_sub(1)) } else { text })
            }
            "host" => host_time(model, entry).into(),
            "lane" if model.list.rows.is_joint => owner(model, entry).into(),
            _ => (self.text)(entry),
        }
    }

    pub(super) fn heading(&self, shape: &ListShape) -> &'static str {
        match self.name {
            "time" => shape.style.heading(),
            "delta" if shape.in_micros => "Δ us",
            "lane" if shape.is_joint => "source",
            "lane" if shape.widths.core < 3 => "c",
            _ => self.heading,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self.role, Role::Time | Role::Delta)
    }
}

/// Name of the source of a row, without the words that begin or end the names of all: `drops` of `oven-drops.bin`
/// beside `oven-flips.bin`.
pub(super) fn owner(model: &Model, entry: &ListEntry) -> String {
    let names: Vec<String> = model.links.shown().map(Source::name).collect();
    names.get(entry.source).map_or_else(String::new, |name| own_words(name, &names).to_owned())
}

fn own_words<'n>(name: &'n str, names: &[String]) -> &'n str {
    let edges = |text: &'n str| text.match_indices(|c: char| !c.is_alphanumeric());
    let begin = edges(name)
        .map(|(at, edge)| at + edge.len())
        .rfind(|at| names.iter().all(|other| other.starts_with(&name[..*at])));
    let own = &name[begin.unwrap_or(0)..];
    let end = edges(own).map(|(at, _)| at).find(|at| names.iter().all(|other| other.ends_with(&own[*at..])));
    let own = &own[..end.unwrap_or(own.len())];
    if own.is_empty() || names.iter().all(|other| other == name) { name } else { own }
}

/// A time without its blanks, with as many decimals as fit.
fn in_few_cells(time: &str, cells: usize) -> String {
    let mut digits = time.replace(' ', "");
    if digits.find('.').is_some_and(|point| point < cells) {
        digits.truncate(cells);
    }
    digits
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::NORMAL => "normal",
        Severity::INFO => "info",
        Severity::WARNING => "warning",
        _ => "error",
    }
}

/// The columns shown, their widths, and the style of the time.
pub(super) struct ListShape {
    pub(super) columns: Vec<&'static ListColumn>,
    pub(super) what: bool,
    pub(super) widths: Widths,
    pub(super) style: TimeStyle,
    /// Each row says whose it is.
    is_joint: bool,
    in_micros: bool,
}

impl ListShape {
    /// The columns configured for the decoder, or the usual ones.
    pub(super) fn of(model: &Model, widths: Widths, style: TimeStyle) -> ListShape {
        let id = &model.list.rows.source(0).decoder.info.id;
        let configured = model.settings.config.list(&format!("columns.{id}"));
        let names =
            if configured.is_empty() { USUAL.to_vec() } else { configured.iter().map(String::as_str).collect() };
        let (what, is_joint) = (names.contains(&"what"), model.list.rows.is_joint);
        let named = |name| COLUMNS.iter().find(|column| column.name == name);
        let columns = in_order(names).into_iter().filter_map(named).collect();
        ListShape { columns, what, widths, style, is_joint, in_micros: model.list.rows.measures_seconds() }
    }

    pub(super) fn shown(&self) -> impl Iterator<Item = (&'static ListColumn, usize)> {
        self.columns.iter().map(|column| (*column, column.cells(self))).filter(|(_, cells)| *cells > 0)
    }
}

/// Varying cores are always shown, and the gutter stays with the kind.
fn in_order(mut names: Vec<&str>) -> Vec<&str> {
    if !names.contains(&"lane") {
        let after = names.iter().rposition(|name| matches!(*name, "time" | "delta")).map_or(0, |at| at + 1);
        names.insert(after, "lane");
    }
    if let Some(at) = names.iter().position(|name| *name == "kind") {
        names.insert(at, GUTTER);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn names_of_sources_are_as_long_as_it_takes_to_distinguish_them() {
        let own = |names: [&str; 2]| names.map(|name| own_words(name, &names.map(str::to_owned)).to_owned());
        assert_eq!(own(["oven-734-drops.bin", "oven-734-flips.bin"]), ["drops", "flips"]);
        assert_eq!(own(["tcp 127.0.0.1:7001", "tcp 127.0.0.1:7002"]), ["7001", "7002"]);
        assert_eq!(own(["ttyUSB0", "ttyUSB1"]), ["ttyUSB0", "ttyUSB1"]);
        assert_eq!(own(["oven.bin", "oven-2.bin"]), ["oven", "oven-2"]);
        assert_eq!(own(["a-", "a-b"]), ["a-", "b"]);
        assert_eq!(own(["oven.bin", "oven.bin"]), ["oven.bin", "oven.bin"]);
    }

    #[test]
    fn lane_and_gutter_have_their_places() {
        assert_eq!(in_order(USUAL.to_vec()), ["time", "delta", "lane", "group", "gutter", "kind", "object", "what"]);
        assert_eq!(in_order(vec!["kind", "time", "number"]), ["gutter", "kind", "time", "lane", "number"]);
        assert_eq!(in_order(vec!["object", "what"]), ["lane", "object", "what"]);
    }

    #[test]
    fn a_click_on_a_heading_begins_a_filter_of_that_column() {
        let tests = COLUMNS.iter().filter_map(|column| Some((column.name, column.test?)));
        let expected = [("delta", "dt>"), ("group", "group:"), ("kind", "kind:"), ("object", "obj:")];
        assert_eq!(tests.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_column_can_be_configured() {
        let own = COLUMNS.iter().map(|column| column.name).filter(|name| *name != GUTTER).chain(["what"]);
        assert_eq!(own.collect::<Vec<_>>(), config::COLUMNS);
    }

    #[test]
    fn a_long_time_loses_blanks_first_and_then_decimals() {
        let times = ["100.000 858 69", "83126.440 425 81", "12 345 678 901 234"].map(|time| in_few_cells(time, 12));
        assert_eq!(times, ["100.00085869", "83126.440425", "12345678901234"]);
    }
}
