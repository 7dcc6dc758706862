//! Expectations over a trace, judged row by row in bounded memory. What a loss may hide is unknown: an expectation neither
//! holds nor fails because of it.

use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;
use spytui_plugin_api::{RowFlags, RowKind, Severity};

use super::{
    findings::Findings,
    statistics::{Figure, FigureUnit, Measure, StatisticsTables, SubjectColumn, SubjectColumns, tally},
};
use crate::{
    present::{clock::grouped, sanitise::text_of},
    query::{Expr, NumberLiteral},
    replay::MissingRecords,
    row::RowView,
};

/// What is expected of a trace. `E` = its expressions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation<E = Expr> {
    pub name: String,
    /// If it is unknown whether it holds, the check passes nevertheless.
    #[serde(default, rename = "allow-unknown")]
    pub allows_unknown: bool,
    #[serde(flatten)]
    pub kind: ExpectationKind<E>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum ExpectationKind<E> {
    /// After each row that matches one expression, a row that matches the other comes in time.
    After { row: E, comes: E, within: Quantity },
    /// No row matches; or none after a row that matches the first of two expressions, until one matches the second.
    Never { row: E, between: Option<(E, E)> },
    Count {
        row: E,
        #[serde(default)]
        min: u64,
        max: Option<u64>,
    },
    /// Figures of a measure, by its usual columns, are within bounds.
    Measure(Bounds),
    /// At most so many rows say that something was lost, dropped or damaged.
    Losses(u64),
    /// No finding is this severe.
    Findings(LeastSeverity),
}

#[derive(Debug, Clone, Deserialize)]
pub struct Bounds {
    of: String,
    /// Of this object only.
    object: Option<String>,
    /// The greatest value of each figure by its heading; of `min` the least one.
    #[serde(flatten)]
    figures: BTreeMap<String, Quantity>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeastSeverity {
    Error,
    Warning,
    Note,
}

/// A time, or a number such as `500ticks`; not negative.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Quantity(NumberLiteral);

impl TryFrom<String> for Quantity {
    type Error = String;

    fn try_from(text: String) -> Result<Quantity, String> {
        let quantity = NumberLiteral::read(&text).map(Quantity).filter(|quantity| quantity.value() >= 0.0);
        quantity.ok_or_else(|| format!("not a time or number: `{text}`; use 50ms, 500ticks or 12"))
    }
}

impl Quantity {
    /// In ns if it is a time.
    fn value(&self) -> f64 {
        self.0.nanoseconds().or(self.0.whole()).map_or(-1.0, |value| value as f64)
    }
}

impl<E> Expectation<E> {
    /// Reads its expressions. Errors: what is wrong with one, or with a measure.
    pub fn read(self, read: &impl Fn(E) -> Result<Expr, String>) -> Result<Expectation, String> {
        let Expectation { name, allows_unknown, kind } = self;
        let kind = kind.read(read).map_err(|why| format!("{name}: {why}"))?;
        Ok(Expectation { name, allows_unknown, kind })
    }
}

impl<E> ExpectationKind<E> {
    fn read(self, read: &impl Fn(E) -> Result<Expr, String>) -> Result<ExpectationKind<Expr>, String> {
        Ok(match self {
            Self::After { row, comes, within } => {
                ExpectationKind::After { row: read(row)?, comes: read(comes)?, within }
            }
            Self::Never { row, between } => {
                let between = between.map(|(from, to)| Ok::<_, String>((read(from)?, read(to)?))).transpose()?;
                ExpectationKind::Never { row: read(row)?, between }
            }
            Self::Count { row, min, max } => ExpectationKind::Count { row: read(row)?, min, max },
            Self::Measure(bounds) => {
                let measure = Measure::named(&bounds.of)?;
                let is_bound = |word: &&String| Figure::of_word(word, measure).is_some_and(Figure::is_value);
                if measure.has_share() || bounds.figures.keys().any(|word| !is_bound(&word)) {
                    return Err("only times and levels have bounds: min, median, p95, p99 or max".to_owned());
                }
                ExpectationKind::Measure(bounds)
            }
            Self::Losses(most) => ExpectationKind::Losses(most),
            Self::Findings(least) => ExpectationKind::Findings(least),
        })
    }
}

/// The first rows that show something, as lines that are safe for a terminal, and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvidenceRows {
    pub count: u64,
    pub lines: Vec<String>,
}

const MOST_LINES: usize = 5;

impl EvidenceRows {
    fn add(&mut self, line: impl FnOnce() -> String) {
        self.count += 1;
        if self.lines.len() < MOST_LINES {
            self.lines.push(line());
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Failed,
    Unknown,
}

/// The verdict on an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub name: String,
    pub allows_unknown: bool,
    pub verdict: Verdict,
    /// What was found.
    pub text: String,
    pub evidence: EvidenceRows,
}

/// Judges all expectations.
#[derive(Debug)]
pub struct Check {
    judges: Vec<Judge>,
    epoch: Option<u32>,
    records: u64,
    /// A record is an error, which is a finding.
    has_errors: bool,
    /// Rows before which records may be missing.
    losses: EvidenceRows,
}

/// A row with its place.
struct CheckedRow<'a> {
    view: &'a RowView<'a>,
    last: &'a str,
    /// Times before it and from it on are not comparable.
    breaks_time: bool,
}

impl CheckedRow<'_> {
    /// A loss matches nothing.
    fn matches(&self, expr: &Expr) -> bool {
        !self.view.row.kind.is_loss() && expr.matches(self.view)
    }

    /// Number, time, text and what it shows.
    fn shown(&self, why: &str) -> String {
        let mut line = if self.view.n.is_some() { self.last.to_owned() } else { format!("after {}", self.last) };
        let (mut time, mut text) = (Vec::new(), Vec::new());
        self.view.push_time(&mut time);
        self.view.push_words(&mut text);
        for part in [&text_of(time), &text_of(text), why].into_iter().filter(|part| !part.is_empty()) {
            line.push_str("  ");
            line.push_str(part);
        }
        line
    }

    /// Own time in ns or ticks; `None` if it has none, or it can't be compared.
    fn time(&self, in_ns: bool) -> Option<u64> {
        let ticks = self.view.row.has(RowFlags::TIME_OWN).then_some(self.view.row.time)?;
        // Sources may have different rates.
        if in_ns { self.view.clock.ns(ticks) } else { Some(ticks).filter(|_| self.view.source.is_none()) }
    }
}

impl Check {
    pub fn new(expectations: Vec<Expectation>) -> Check {
        let judges = expectations.into_iter().map(Judge::new).collect();
        Check { judges, epoch: None, records: 0, has_errors: false, losses: EvidenceRows::default() }
    }

    /// Judges a row; returns whether no later row can change a verdict. `last` = number of the last record.
    pub fn row(&mut self, view: &RowView<'_>, last: &str) -> bool {
        let begins_epoch = self.epoch.replace(view.epoch).is_some_and(|before| before != view.epoch);
        self.records += u64::from(view.row.is_record());
        self.has_errors |= view.row.is_record() && view.severity >= Severity::ERROR;
        let row = CheckedRow { view, last, breaks_time: begins_epoch || view.row.kind == RowKind::TIME_BACK };
        if view.row.may_hide_records() {
            self.losses.add(|| row.shown(""));
        }
        self.judges.iter_mut().for_each(|judge| judge.row(&row));
        self.judges.iter().all(|judge| match judge.expectation.kind {
            ExpectationKind::Findings(_) => self.has_errors,
            ExpectationKind::Count { min, max: None, .. } => judge.seen >= min,
            _ => judge.failed.count > 0,
        })
    }

    /// The verdicts at the end, with the findings and figures that expectations are about; `absent` says which name of an
    /// expression nothing has.
    pub fn outcomes(
        &self,
        findings: Option<&Findings>,
        figures: Option<&StatisticsTables<'_>>,
        absent: &dyn Fn(&Expr) -> Option<String>,
    ) -> Vec<Outcome> {
        let outcome = |judge: &Judge| {
            let Expectation { name, allows_unknown, kind } = &judge.expectation;
            let (verdict, text, evidence) = match (kind, figures, findings) {
                _ if self.records == 0 => (Verdict::Unknown, "there are no records".to_owned(), self.losses.clone()),
                (ExpectationKind::Measure(bounds), Some(all), _) => of_measure(all, bounds),
                (ExpectationKind::Findings(least), _, Some(findings)) => of_findings(findings, *least, &self.losses),
                _ => judge.outcome(&self.losses, absent),
            };
            Outcome { name: name.clone(), allows_unknown: *allows_unknown, verdict, text, evidence }
        };
        self.judges.iter().map(outcome).collect()
    }
}

type Judged = (Verdict, String, EvidenceRows);

/// Rows that wait for another one; more are unknown.
const MOST_WAITING: usize = 1 << 14;

const MISSING: &str = "records may be missing";

#[derive(Debug)]
struct Waiting {
    /// Latest time of what is awaited.
    until: u64,
    shown: String,
    /// Records may be missing since.
    is_cut: bool,
}

/// Judges one expectation.
#[derive(Debug)]
struct Judge {
    expectation: Expectation,
    /// Rows that match what is expected, or not; spans for what must not come in one.
    seen: u64,
    failed: EvidenceRows,
    unknown: EvidenceRows,
    waiting: VecDeque<Waiting>,
    /// Within a span; whether records may be missing since its begin.
    inside: Option<bool>,
    /// What must not come in a span came, there or elsewhere.
    has_come: bool,
}

impl Judge {
    fn new(expectation: Expectation) -> Judge {
        let (failed, unknown, waiting) = Default::default();
        Judge { expectation, seen: 0, failed, unknown, waiting, inside: None, has_come: false }
    }

    fn row(&mut self, row: &CheckedRow<'_>) {
        let all_came_late = Some(MissingRecords { count: 0, is_exact: true });
        let is_loss = || row.view.row.kind.is_loss() && MissingRecords::of(row.view.attachments) != all_came_late;
        let (is_seen, most) = match &self.expectation.kind {
            ExpectationKind::After { .. } => return self.comes(row),
            ExpectationKind::Never { between: Some(_), .. } => return self.between(row),
            ExpectationKind::Never { row: what, between: None } => (row.matches(what), 0),
            ExpectationKind::Count { row: what, max, .. } => (row.matches(what), max.unwrap_or(u64::MAX)),
            ExpectationKind::Losses(most) => (is_loss(), *most),
            ExpectationKind::Measure(_) | ExpectationKind::Findings(_) => return,
        };
        self.seen += u64::from(is_seen);
        if is_seen && self.seen > most {
            self.failed.add(|| row.shown(""));
        }
    }

    fn comes(&mut self, row: &CheckedRow<'_>) {
        let Judge { expectation, seen, failed, unknown, waiting, .. } = self;
        let ExpectationKind::After { row: after, comes, within } = &expectation.kind else { return };
        let now = row.time(within.0.is_time());
        waiting.iter_mut().for_each(|before| before.is_cut |= row.view.row.may_hide_records());
        let is_over = |before: &Waiting| row.breaks_time || now.is_some_and(|now| now > before.until);
        let over = waiting.iter().take_while(|before| is_over(before)).count();
        for Waiting { shown, is_cut, .. } in waiting.drain(..over) {
            match (row.breaks_time, is_cut) {
                (true, _) => unknown.add(|| format!("{shown}  then a reset, or time went back")),
                (_, true) => unknown.add(|| format!("{shown}  {MISSING} in the {} after it", within.0)),
                _ => failed.add(|| format!("{shown}  not within {}", within.0)),
            }
        }
        let untimed = || row.shown("has no time to compare");
        if !waiting.is_empty() && row.matches(comes) {
            waiting.clear();
            if now.is_none() {
                unknown.add(untimed);
            }
        }
        if !row.matches(after) {
            return;
        }
        *seen += 1;
        match now {
            Some(now) if waiting.len() < MOST_WAITING => {
                let until = now.saturating_add(within.value() as u64);
                waiting.push_back(Waiting { until, shown: row.shown(""), is_cut: false });
            }
            Some(_) => unknown.add(|| row.shown("too many wait at once")),
            None => unknown.add(untimed),
        }
    }

    fn between(&mut self, row: &CheckedRow<'_>) {
        let ExpectationKind::Never { row: what, between: Some((from, to)) } = &self.expectation.kind else { return };
        let (comes, begins, ends) = (row.matches(what), row.matches(from), row.matches(to));
        self.has_come |= comes;
        if let Some(is_cut) = &mut self.inside {
            *is_cut |= row.view.row.may_hide_records();
            match *is_cut {
                true if ends || begins || comes => {
                    self.unknown.add(|| row.shown(&format!("{MISSING} before it")));
                }
                false if !ends && comes => self.failed.add(|| row.shown("")),
                _ => {}
            }
        }
        if begins {
            self.seen += 1;
            self.inside = Some(false);
        } else if ends {
            self.inside = None;
        }
    }

    fn outcome(&self, losses: &EvidenceRows, absent: &dyn Fn(&Expr) -> Option<String>) -> Judged {
        let Judge { seen, failed, unknown, waiting, .. } = self;
        let open = waiting.len() as u64;
        let (is_too_few, is_hidden, is_untested) = match self.expectation.kind {
            ExpectationKind::After { .. } => (false, false, *seen == open),
            ExpectationKind::Never { between: Some(_), .. } => (false, self.inside == Some(true), *seen == 0),
            ExpectationKind::Never { .. } => (false, true, false),
            ExpectationKind::Count { min, max, .. } => (*seen < min, max.is_some() || *seen < min, false),
            _ => (false, false, false),
        };
        let unseen = match &self.expectation.kind {
            ExpectationKind::Never { between: Some((from, _)), .. } if *seen == 0 => Some(from),
            ExpectationKind::Never { row, between: Some(_) } if !self.has_come => Some(row),
            ExpectationKind::Never { between: Some(_), .. } => None,
            ExpectationKind::After { row, .. }
            | ExpectationKind::Never { row, .. }
            | ExpectationKind::Count { row, .. } => Some(row).filter(|_| *seen == 0),
            _ => None,
        };
        let mut text = format!("{} seen", grouped(*seen));
        let counts = [(failed.count, "failed"), (unknown.count, "unknown"), (open, "open at the end of the trace")];
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(", {} {what}", grouped(count)));
        }
        match losses.count > 0 && (is_hidden || is_untested) {
            _ if failed.count > 0 => (Verdict::Failed, text, failed.clone()),
            _ if unknown.count > 0 => (Verdict::Unknown, text, unknown.clone()),
            _ if let Some(absent) = unseen.and_then(absent) => (Verdict::Unknown, absent, failed.clone()),
            true => hidden(&text, losses),
            _ if is_too_few => (Verdict::Failed, format!("only {text}"), failed.clone()),
            _ if is_untested => (Verdict::Unknown, format!("{text}: not put to the test"), failed.clone()),
            _ => (Verdict::Holds, text, failed.clone()),
        }
    }
}

fn hidden(text: &str, losses: &EvidenceRows) -> Judged {
    (Verdict::Unknown, format!("{text}, but {MISSING}"), losses.clone())
}

fn of_findings(findings: &Findings, least: LeastSeverity, losses: &EvidenceRows) -> Judged {
    let least = [Severity::ERROR, Severity::WARNING, Severity::INFO][least as usize];
    let mut evidence = EvidenceRows::default();
    for finding in findings.list.iter().filter(|finding| finding.rule.severity() >= least) {
        let first = finding.evidence.first().map_or_else(String::new, |(_, at)| format!("#{}  ", at.n));
        evidence.add(|| format!("{first}{}", finding.headline()));
    }
    match (evidence.count, losses.count) {
        (0, 0) => (Verdict::Holds, "none found".to_owned(), evidence),
        (0, _) => hidden("none found", losses),
        (count, _) => (Verdict::Failed, format!("{} found", grouped(count)), evidence),
    }
}

fn of_measure(all: &StatisticsTables<'_>, bounds: &Bounds) -> Judged {
    let measure = Measure::of_word(&bounds.of).unwrap_or(Measure::Value);
    let by = SubjectColumns::usual(measure).with(SubjectColumn::Object, true);
    let mut table = all.table(measure, by);
    let at = by.iter().position(|column| column == SubjectColumn::Object);
    let is_asked =
        |names: &[String]| bounds.object.is_none() || at.and_then(|at| names.get(at)) == bounds.object.as_ref();
    table.rows.retain(|row| row.count > 0 && is_asked(&row.names));
    let (mut over, mut is_comparable) = (EvidenceRows::default(), true);
    for (word, bound) in &bounds.figures {
        let Some(figure) = Figure::of_word(word, measure) else { continue };
        let is_least = figure == Figure::Min;
        is_comparable &= bound.0.is_time() == (table.unit == FigureUnit::Ns);
        for row in &table.rows {
            let key = figure.key(row);
            let value = if table.unit == FigureUnit::Numbers { tally::number_of_key(key) } else { key as f64 };
            let at = if is_least { row.sum.least } else { row.sum.greatest }.map_or(0, |extreme| extreme.at.n);
            if if is_least { value < bound.value() } else { value > bound.value() } {
                let shown = table.unit.text(key);
                over.add(|| format!("#{at}  {}  {word} {shown}, not {}", row.names.join(" "), bound.0));
            }
        }
    }
    let counts = all.statistics.tally.counts(measure);
    let text = format!("{} values", grouped(table.rows.iter().map(|row| row.count).sum()));
    let why = match (is_comparable, counts.cut + counts.untimed + counts.unsure) {
        _ if table.rows.is_empty() => measure.needs().to_owned(),
        (false, _) => format!("in {}, unlike a bound", table.unit.word()),
        (true, 1..) if over.count == 0 => "others could not be measured".to_owned(),
        (true, _) if over.count == 0 => return (Verdict::Holds, text, over),
        (true, _) => return (Verdict::Failed, text, over),
    };
    (Verdict::Unknown, format!("{text}: {why}"), EvidenceRows::default())
}
