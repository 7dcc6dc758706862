//! An incident as lines of text, JSON or CSV.

use super::table::{DATA, Report, Table, Value, json_object};
use crate::{
    analysis::incident::{Incident, IncidentLine, IncidentPart},
    present::clock::grouped,
    trace::list::row_list::number_text,
};

/// Width of what comes before the reason.
const BEFORE: usize = 46;

impl Incident {
    pub fn number(&self, several: bool) -> String {
        number_text(several.then_some(self.at.source), self.at.n)
    }

    /// `ASSERT control_task:210 at 62.510, #1017`
    pub fn headline(&self, several: bool) -> String {
        let time = if self.time.is_empty() { String::new() } else { format!(" at {}", self.time) };
        let number = self.number(several);
        let count =
            if self.count > 1 { format!(", the last of {} failures", grouped(self.count)) } else { String::new() };
        format!("{}{time}, {number}{count}", self.what)
    }
}

impl IncidentLine {
    /// What it says, without the reason.
    pub fn words(&self) -> String {
        let sign = match (self.part, self.is_unsure) {
            (IncidentPart::Verdict, false) => "⇒ ",
            (IncidentPart::Verdict, true) => "~ perhaps ",
            (_, true) => "~",
            _ => "",
        };
        let time = if self.part == IncidentPart::Object { format!("{:>8}", self.time) } else { self.time.clone() };
        let parts = [time.as_str(), self.object.as_str(), self.text.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{sign}{}", parts.join(" "))
    }

    /// What it says, with the reason in a column of its own.
    pub fn text(&self) -> String {
        let words = self.words();
        let text = format!("{words:<BEFORE$} {}{}", sign(self), self.because);
        text.trim_end().to_owned()
    }
}

/// What stands before the reason of a line.
pub fn sign(line: &IncidentLine) -> String {
    match line.part {
        _ if line.because.is_empty() => String::new(),
        IncidentPart::Wait => "◄─ ".to_owned(),
        _ => "· ".to_owned(),
    }
}

/// Heading of a part; the first ones have none.
pub fn heading(part: IncidentPart) -> &'static str {
    match part {
        IncidentPart::Event => "what happened",
        IncidentPart::Object => "last record of each object, and how long before",
        _ => "",
    }
}

impl Report for Incident {
    fn text(&self, several: bool) -> String {
        let mut text = self.headline(several) + "\n";
        let mut part = None;
        for line in &self.lines {
            let head = heading(line.part);
            if part.replace(line.part) != Some(line.part) && !head.is_empty() {
                text.push_str(&format!("\n{head}\n"));
            }
            text.push_str(&format!("  {}\n", line.text()));
        }
        text
    }

    fn json(&self, several: bool) -> Vec<u8> {
        json_object(|object| {
            object.string("what", self.what.as_bytes());
            Value::from(self.at).json(object, "at", several);
            object.string("time", self.time.as_bytes());
            table(&self.lines, several).json().json(object, "lines", false);
        })
    }

    fn csv(&self, several: bool) -> String {
        table(&self.lines, several).csv()
    }
}

fn table(lines: &[IncidentLine], several: bool) -> Table<'_, IncidentLine> {
    let some = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
    Table::new(lines, several)
        .column(DATA, "part", |line| line.part.word())
        .column(DATA, "time", move |line| some(&line.time))
        .column(DATA, "object", move |line| some(&line.object))
        .column(DATA, "text", |line| line.text.clone())
        .column(DATA, "because", move |line| some(&line.because))
        .column(DATA, "at", |line| line.at)
        .column(DATA, "uncertain", |line| line.is_unsure)
}
