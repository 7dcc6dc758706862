//! What an expert would spot in a capture, as text, JSON or CSV.

use spytui_plugin_api::Severity;

use super::{
    json::{self, Object},
    table_text::{columns, csv_line},
};
use crate::{
    analysis::{
        findings::{Finding, FindingTable, Findings},
        objects::Wording,
    },
    open::Decoder,
    present::clock::grouped,
    replay::{Key, Moment},
    store::{Dictionary, Names, View},
    trace::list::row_list::number_text,
};

/// Findings with what is needed to print them.
#[derive(Debug, Clone)]
pub struct NamedFindings {
    findings: Findings,
    /// The target has several sources.
    several: bool,
}

impl NamedFindings {
    /// What a table found, in the words of a decoder and its dictionary.
    #[must_use]
    pub fn new(table: &FindingTable, decoder: &Decoder, dictionary: &Dictionary, several: bool) -> Self {
        let view = View::Effective;
        let names = Names { dictionary, others: &[], row: u64::MAX, rows: &[], view, short: false };
        let of_formats = |key: Key| decoder.formatting.track_name(key.space, key.key);
        let wording = Wording { info: &decoder.info, names: &names, of_formats: &of_formats };
        NamedFindings::of(Findings::new(table, &wording), several)
    }

    /// Findings that are in words.
    #[must_use]
    pub fn of(findings: Findings, several: bool) -> Self {
        NamedFindings { findings, several }
    }

    fn number(&self, at: &Moment) -> String {
        number_text(self.several.then_some(at.source), at.n)
    }

    /// A table, why each matters and what to do next, and what was looked at.
    #[must_use]
    pub fn text(&self) -> String {
        let list = &self.findings.list;
        let heading = ["severity", "finding", "object", "count", "first", "worst", "latest"].map(str::to_owned);
        let rows: Vec<[String; 7]> =
            std::iter::once(heading).chain(list.iter().map(|finding| self.cells(finding))).collect();
        let mut text = if list.is_empty() { "nothing found\n".to_owned() } else { columns(&rows, &[3]) };
        if !list.is_empty() {
            text.push('\n');
        }
        for finding in list {
            let (why, next) = (finding.why(), finding.next());
            text.push_str(&format!("{}\n    {why}\n    {next}\n", finding.headline()));
        }
        if !list.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.findings.scope());
        text.push('\n');
        text
    }

    fn cells(&self, finding: &Finding) -> [String; 7] {
        let [first, worst, latest] = self.evidence(finding);
        [
            severity_word(finding.severity()).to_owned(),
            if finding.more > 0 { finding.headline() } else { finding.rule.title().to_owned() },
            finding.object.clone(),
            grouped(finding.count),
            first,
            worst,
            latest,
        ]
    }

    /// Numbers of the first, the worst and the latest row, each row once.
    fn evidence(&self, finding: &Finding) -> [String; 3] {
        ["first", "worst", "latest"].map(|word| {
            let found = finding.evidence.iter().find(|(known, _)| *known == word);
            found.map_or_else(String::new, |(_, at)| self.number(at))
        })
    }

    /// One JSON object, ended by a newline; `docs/output.md` has its keys.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.number("schema", SCHEMA);
        json::objects(object.key(b"findings"), &self.findings.list, |object, finding| {
            self.json_finding(object, finding)
        });
        json::objects(object.key(b"judged"), &self.findings.judged, |object, judged| {
            object.string("what", judged.what.as_bytes());
            object.string("needs", judged.needs.as_bytes());
            object.number("seen", judged.seen);
        });
        object.close();
        out.push(b'\n');
        out
    }

    fn json_finding(&self, object: &mut Object<'_>, finding: &Finding) {
        object.string("finding", finding.rule.word().as_bytes());
        object.string("severity", severity_word(finding.severity()).as_bytes());
        object.string("title", finding.rule.title().as_bytes());
        if !finding.object.is_empty() {
            object.string("object", finding.object.as_bytes());
        }
        if !finding.detail.is_empty() {
            object.string("detail", finding.detail.as_bytes());
        }
        object.string("why", finding.why().as_bytes());
        object.string("next", finding.next().as_bytes());
        object.number("count", finding.count);
        if finding.more > 0 {
            object.number("more", finding.more);
        }
        json::objects(object.key(b"evidence"), &finding.evidence, |object, (word, at)| {
            object.string("is", word.as_bytes());
            object.number("at", at.n);
            if self.several {
                object.number("at_source", at.source);
            }
        });
    }

    /// A header and one line for each finding.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = CSV_HEADER.join(",") + "\n";
        for finding in &self.findings.list {
            let [first, worst, latest] = self.evidence(finding);
            text.push_str(&csv_line(&[
                finding.rule.word().to_owned(),
                severity_word(finding.severity()).to_owned(),
                finding.object.clone(),
                finding.detail.clone(),
                finding.count.to_string(),
                first,
                worst,
                latest,
            ]));
        }
        text
    }
}

/// Version of the object: greater where a key goes or gets another meaning. New keys may come at any time.
const SCHEMA: u64 = 1;
const CSV_HEADER: [&str; 8] = ["finding", "severity", "object", "detail", "count", "first", "worst", "latest"];

/// `error`, `warning` or `note`
#[must_use]
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::ERROR => "error",
        Severity::WARNING => "warning",
        _ => "note",
    }
}
