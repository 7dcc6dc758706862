//! Judges expectations on a stream; the verdicts as text, and as a JUnit file.

use std::{
    io::{self, Write as _},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use spytui_plugin_api::{Info, Want};

use super::{
    capture::{ExportError, into_file, unplaced},
    replay_sink::{FindingsSink, StatisticsSink},
};
use crate::{
    analysis::{
        check::{Check, Expectation, Outcome, Verdict},
        findings::Findings,
        objects::Wording,
        statistics::StatisticsTables,
    },
    present::clock::grouped,
    query::Expr,
    row::RowView,
    trace::{list::row_list::number_text, stream::Sink},
};

/// Judges rows as they come.
#[derive(Debug)]
pub struct CheckSink {
    check: Check,
    findings: FindingsSink,
    statistics: StatisticsSink,
    certain: Arc<AtomicBool>,
    /// Number of the last record.
    last: String,
}

impl CheckSink {
    /// `certain` is set as soon as no later row can change a verdict.
    pub fn new(info: &Info, expectations: Vec<Expectation>, certain: Arc<AtomicBool>) -> CheckSink {
        let (findings, statistics) = (FindingsSink::new(info), StatisticsSink::new(info));
        CheckSink { check: Check::new(expectations), findings, statistics, certain, last: String::new() }
    }

    /// The verdicts, with the names known so far; `absent` says which name of an expression nothing has.
    pub fn report(&self, wording: &Wording<'_>, absent: &dyn Fn(&Expr) -> Option<String>) -> CheckReport {
        let clock = self.statistics.clock();
        let figures = StatisticsTables { statistics: &self.statistics.replay, wording: *wording, clock };
        CheckReport(self.check.outcomes(&Findings::new(&self.findings.replay, wording), &figures, absent))
    }
}

impl Sink for CheckSink {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        self.findings.row(view)?;
        self.statistics.row(view)?;
        if let Some(n) = view.n {
            self.last = number_text(view.source, n);
        }
        if self.check.row(view, &self.last) {
            self.certain.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The verdicts on all expectations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport(Vec<Outcome>);

impl CheckReport {
    /// Whether each expectation holds; an unknown one only if it allows that.
    pub fn passes(&self) -> bool {
        let is_good = |outcome: &Outcome| {
            outcome.verdict == Verdict::Holds || outcome.verdict == Verdict::Unknown && outcome.allows_unknown
        };
        self.0.iter().all(is_good)
    }

    pub fn text(&self) -> String {
        let count = |verdict| self.0.iter().filter(|outcome| outcome.verdict == verdict).count();
        let [ok, failed, unknown] = [Verdict::Holds, Verdict::Failed, Verdict::Unknown].map(count);
        let outcome = |outcome: &Outcome| {
            let word = match outcome.verdict {
                Verdict::Holds => "ok",
                Verdict::Failed => "FAILED",
                Verdict::Unknown => "unknown",
            };
            format!("{word:<8} {}: {}\n{}", outcome.name, outcome.text, lines(outcome, "         "))
        };
        let outcomes: String = self.0.iter().map(outcome).collect();
        format!("{outcomes}\n{ok} ok, {failed} failed, {unknown} unknown\n")
    }

    /// Writes a new JUnit file; `suite` = what was checked. An unknown verdict is an error, or skipped if it is allowed.
    pub fn write_junit(&self, path: &Path, replace: bool, suite: &str) -> Result<(), ExportError> {
        into_file(path, replace, |file| file.write_all(self.junit(suite).as_bytes()).map_err(unplaced))
    }

    fn junit(&self, suite: &str) -> String {
        let suite = xml(suite);
        let [mut failures, mut errors, mut skipped] = [0; 3];
        let mut cases = String::new();
        for outcome in &self.0 {
            let (element, count) = match outcome.verdict {
                Verdict::Holds => ("", &mut 0),
                Verdict::Failed => ("failure", &mut failures),
                Verdict::Unknown if outcome.allows_unknown => ("skipped", &mut skipped),
                Verdict::Unknown => ("error", &mut errors),
            };
            *count += 1;
            cases.push_str(&format!("<testcase classname=\"{suite}\" name=\"{}\">", xml(&outcome.name)));
            if !element.is_empty() {
                let (text, lines) = (xml(&outcome.text), xml(&lines(outcome, "")));
                cases.push_str(&format!("\n<{element} message=\"{text}\">{lines}</{element}>\n"));
            }
            cases.push_str("</testcase>\n");
        }
        let tests = self.0.len();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{suite}\" tests=\"{tests}\" \
             failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">\n{cases}</testsuite>\n</testsuites>\n"
        )
    }
}

/// The evidence.
fn lines(outcome: &Outcome, indent: &str) -> String {
    let lines: String = outcome.evidence.lines.iter().map(|line| format!("{indent}{line}\n")).collect();
    match outcome.evidence.count - outcome.evidence.lines.len() as u64 {
        0 => lines,
        more => format!("{lines}{indent}and {} more\n", grouped(more)),
    }
}

/// Text in XML, also within quotes. What XML forbids is replaced.
fn xml(text: &str) -> String {
    let is_forbidden = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(is_forbidden, "\u{fffd}").replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
