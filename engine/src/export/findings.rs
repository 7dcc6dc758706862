//! Findings as a table.

use spytui_plugin_api::Severity;

use super::table::{ALL, CSV, ColumnFit, DATA, JSON, PANE, Report, TEXT, Table, json_object};
use crate::analysis::findings::{Finding, Findings};

/// Findings with all columns; with `several` sources, record numbers include the source.
pub fn table(findings: &[Finding], several: bool) -> Table<'_, Finding> {
    let some = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
    let evidence = |word: &'static str| {
        move |finding: &Finding| finding.evidence.iter().find(|(known, _)| *known == word).map(|(_, at)| *at)
    };
    // The entry for unlisted findings has no object.
    let of = |finding: &Finding| if finding.more > 0 { finding.detail.clone() } else { finding.object.clone() };
    let detail = |finding: &Finding| Some(finding.detail.clone()).filter(|_| finding.more == 0);
    Table::new(findings, several)
        .column(DATA, "finding", |finding| finding.rule.word())
        .column(ALL, "severity", |finding| severity_word(finding.rule.severity()))
        .fit(ColumnFit::new(7, 7))
        .column(TEXT, "issue", title)
        .column(PANE, "issue", |finding| finding.rule.title())
        .fit(ColumnFit { most: 28, ..ColumnFit::new(12, 28) })
        .column(JSON, "title", |finding| finding.rule.title())
        .column(TEXT | DATA, "object", move |finding| some(&finding.object))
        .column(PANE, "object", of)
        .fit(ColumnFit { most: 20, ..ColumnFit::new(8, 20) })
        .column(DATA, "detail", move |finding| some(&finding.detail))
        .column(PANE, "detail", detail)
        .fit(ColumnFit { from: 72, roomy: usize::MAX, rank: 1, ..ColumnFit::new(0, 0) })
        .column(JSON, "why", |finding| finding.rule.why())
        .column(JSON, "next", Finding::next)
        .column(ALL, "count", |finding| finding.count)
        .fit(ColumnFit::number(7))
        .column(JSON, "more", |finding| Some(finding.more).filter(|more| *more > 0))
        .column(TEXT | CSV, "first", evidence("first"))
        .column(TEXT | CSV, "worst", evidence("worst"))
        .column(TEXT | CSV, "latest", evidence("latest"))
        .column(JSON, "evidence", move |finding| {
            let rows = Table::new(&finding.evidence, several);
            rows.column(JSON, "is", |(word, _)| *word).column(JSON, "at", |(_, at)| *at).json()
        })
}

fn title(finding: &Finding) -> String {
    if finding.more > 0 { finding.headline() } else { finding.rule.title().to_owned() }
}

impl Report for Findings {
    /// A table, why each finding matters and what to do next, and what was examined.
    fn text(&self, several: bool) -> String {
        let list = &self.list;
        let mut text =
            if list.is_empty() { "nothing found\n".to_owned() } else { table(list, several).text(false) + "\n" };
        for finding in list {
            let (why, next) = (finding.rule.why(), finding.next());
            text.push_str(&format!("{}\n    {why}\n    {next}\n", finding.headline()));
        }
        if !list.is_empty() {
            text.push('\n');
        }
        text + &self.scope() + "\n"
    }

    fn json(&self, several: bool) -> Vec<u8> {
        let judged = Table::new(&self.judged, several)
            .column(JSON, "what", |judged| judged.what)
            .column(JSON, "needs", |judged| judged.needs)
            .column(JSON, "seen", |judged| judged.seen);
        json_object(|object| {
            table(&self.list, several).json().json(object, "findings", false);
            judged.json().json(object, "judged", false);
        })
    }

    fn csv(&self, several: bool) -> String {
        table(&self.list, several).csv()
    }
}

/// `error`, `warning` or `note`
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::ERROR => "error",
        Severity::WARNING => "warning",
        _ => "note",
    }
}
