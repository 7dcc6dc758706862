//! Expectations over a trace, judged row by row in bounded memory. What a loss may hide is unknown: an expectation neither
//! holds nor fails because of it.

use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;
use spytui_plugin_api::{RowFlags, RowKind, Severity};

use super::{
    findings::Findings,
    statistics::{self, Figure, FigureUnit, Measure, StatisticsTables, SubjectColumns, tally},
};
use crate::{
    present::{RowLine, clock::grouped},
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
    After {
        row: E,
        comes: E,
        within: Quantity,
    },
    /// No row matches; or none after a row that matches the first of two expressions, until one matches the second.
    Never {
        row: E,
        between: Option<(E, E)>,
    },
    Count {
        row: E,
        min: Option<u64>,
        max: Option<u64>,
    },
    /// Figures of a measure, by its usual columns, are within bounds.
    Measure(Bounds),
    /// At most this many rows say that something was lost, dropped or damaged.
    Losses(u64),
    /// No finding is this severe.
    Findings(LeastSeverity),
}

#[derive(Debug, Clone, Deserialize)]
pub struct Bounds {
    of: String,
    /// Only those with this name, of an object or signal.
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
        use ExpectationKind::{After, Count, Findings, Losses, Measure, Never};
        let kind = match self.kind {
            After { row, comes, within } => After { row: read(row)?, comes: read(comes)?, within },
            Never { row, between: None } => Never { row: read(row)?, between: None },
            Never { row, between: Some((from, to)) } => {
                Never { row: read(row)?, between: Some((read(from)?, read(to)?)) }
            }
            Count { row, min, max } => Count { row: read(row)?, min, max },
            Measure(bounds) => {
                let of = statistics::Measure::named(&bounds.of)?;
                let is_bound = |word: &String| Figure::of_word(word, of).is_some_and(Figure::is_value);
                if of.has_share() || bounds.figures.is_empty() || !bounds.figures.keys().all(is_bound) {
                    return Err("a time or level takes bounds: min, median, p95, p99, max".to_owned());
                }
                Measure(bounds)
            }
            Losses(most) => Losses(most),
            Findings(least) => Findings(least),
        };
        Ok(Expectation { name: self.name, allows_unknown: self.allows_unknown, kind })
    }
}

impl ExpectationKind<Expr> {
    /// What is looked for.
    fn row(&self) -> Option<&Expr> {
        match self {
            Self::After { row, .. } | Self::Never { row, .. } | Self::Count { row, .. } => Some(row),
            _ => None,
        }
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
#[derive(Debug, Default)]
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

    /// Number, columns and what it shows.
    fn shown(&self, why: &str) -> String {
        let RowLine { time, kind, object, what, .. } = self.view.line();
        let (number, kind) = match self.view.n {
            Some(_) => (self.last.to_owned(), kind),
            None if self.last.is_empty() => ("before #1".to_owned(), String::new()),
            None => (format!("after {}", self.last), String::new()),
        };
        let parts = [&number, &time, &kind, &object, &what, why];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
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
        Check { judges, ..Check::default() }
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
            ExpectationKind::Count { min, max: None, .. } => judge.seen >= min.unwrap_or(0),
            _ => judge.failed.count > 0,
        })
    }

    /// The verdicts at the end; `absent` says which name of an expression nothing has.
    pub fn outcomes(
        &self,
        findings: &Findings,
        figures: &StatisticsTables<'_>,
        absent: &dyn Fn(&Expr) -> Option<String>,
    ) -> Vec<Outcome> {
        let outcome = |judge: &Judge| {
            let Expectation { name, allows_unknown, kind } = &judge.expectation;
            let (verdict, text, evidence) = match kind {
                _ if self.records == 0 => (Verdict::Unknown, "there are no records".to_owned(), self.losses.clone()),
                ExpectationKind::Measure(bounds) => of_measure(figures, bounds),
                ExpectationKind::Findings(least) => of_findings(findings, *least, &self.losses),
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
const CUT: &str = "records may be missing before it";

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
    /// What is looked for came.
    has_come: bool,
}

impl Judge {
    fn new(expectation: Expectation) -> Judge {
        let (seen, failed, unknown, waiting, inside, has_come) = Default::default();
        Judge { expectation, seen, failed, unknown, waiting, inside, has_come }
    }

    fn row(&mut self, row: &CheckedRow<'_>) {
        let all_came_late = Some(MissingRecords { count: 0, is_exact: true });
        let is_loss = || row.view.row.kind.is_loss() && MissingRecords::of(row.view.attachments) != all_came_late;
        let is_it = self.expectation.kind.row().is_some_and(|what| row.matches(what));
        self.has_come |= is_it;
        let (is_seen, most) = match &self.expectation.kind {
            ExpectationKind::After { .. } => return self.comes(row, is_it),
            ExpectationKind::Never { between: Some(_), .. } => return self.between(row, is_it),
            ExpectationKind::Never { .. } => (is_it, 0),
            ExpectationKind::Count { max, .. } => (is_it, max.unwrap_or(u64::MAX)),
            ExpectationKind::Losses(most) => (is_loss(), *most),
            ExpectationKind::Measure(_) | ExpectationKind::Findings(_) => return,
        };
        self.seen += u64::from(is_seen);
        if is_seen && self.seen > most {
            self.failed.add(|| row.shown(""));
        }
    }

    fn comes(&mut self, row: &CheckedRow<'_>, is_it: bool) {
        let Judge { expectation, seen, failed, unknown, waiting, .. } = self;
        let ExpectationKind::After { comes, within, .. } = &expectation.kind else { return };
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
        let ends = !waiting.is_empty() && row.matches(comes);
        if ends {
            waiting.clear();
        }
        *seen += u64::from(is_it);
        match now {
            None if ends || is_it => unknown.add(|| row.shown("has no time to compare")),
            Some(_) if is_it && waiting.len() >= MOST_WAITING => unknown.add(|| row.shown("too many wait at once")),
            Some(now) if is_it => {
                let until = now.saturating_add(within.value() as u64);
                waiting.push_back(Waiting { until, shown: row.shown(""), is_cut: false });
            }
            _ => {}
        }
    }

    fn between(&mut self, row: &CheckedRow<'_>, is_it: bool) {
        let ExpectationKind::Never { between: Some((from, to)), .. } = &self.expectation.kind else { return };
        let (begins, ends) = (row.matches(from), row.matches(to));
        self.inside = self.inside.map(|is_cut| is_cut || row.view.row.may_hide_records());
        match self.inside {
            Some(true) if ends || begins || is_it => self.unknown.add(|| row.shown(CUT)),
            Some(false) if !ends && is_it => self.failed.add(|| row.shown("")),
            _ => {}
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
            ExpectationKind::Count { min: Some(min), .. } if *seen < min => (true, true, false),
            ExpectationKind::Count { max, .. } => (false, max.is_some(), false),
            _ => (false, false, false),
        };
        let unseen = self.expectation.kind.row().filter(|_| !self.has_come);
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
    let mut table = all.table(measure, SubjectColumns::usual(measure));
    let is_asked = |names: &[String]| bounds.object.as_ref().is_none_or(|object| names.contains(object));
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

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{
        Info, RenderedRow, Row, RowIn,
        info::{GroupInfo, KindInfo},
    };

    use super::*;
    use crate::{
        present::{Clock, Labels},
        query::{Vocabulary, parse},
        store::{BlockNames, Dictionary, View},
    };

    /// Kinds A, B, C and D; a gap, and a reset.
    const KINDS: [&str; 4] = ["A", "B", "C", "D"];

    /// The verdict on an expectation over rows as `A10 gap B12`, with their times in ticks, and its number of failed and
    /// unknown rows.
    fn judged(kind: ExpectationKind<&str>, rows: &str) -> (Verdict, u64, u64) {
        let kinds = KINDS.iter().zip(1..).map(|(name, id)| KindInfo::new(RowKind(id), name, 1));
        let groups = vec![GroupInfo::new(1, "G", "")];
        let info = Info { kinds: kinds.collect::<Vec<_>>().into(), groups: groups.into(), ..Info::default() };
        let (names, labels) = (Dictionary::default(), Labels::new(&info));
        let names =
            BlockNames { dictionary: &names, others: &[], row: 0, rows: &[], view: View::Effective, short: false };
        let expectation = Expectation { name: String::new(), allows_unknown: false, kind };
        let read = |text: &str| parse(text, &Vocabulary::default()).map_err(|error| error.to_string());
        let mut check = Check::new(vec![expectation.read(&read).unwrap()]);
        let (mut epoch, mut n) = (0, 0);
        for word in rows.split_whitespace() {
            let (name, time) = word.split_at(1);
            let (flags, time) = time.parse().map_or((RowFlags::empty(), 0), |time| (RowFlags::TIME_OWN, time));
            let id = KINDS.iter().zip(1..).find(|(kind, _)| **kind == name).map(|(_, id)| RowKind(id));
            let row = Row { kind: id.unwrap_or(RowKind::GAP), group: 1, time, flags, ..Row::default() };
            epoch += u32::from(word == "reset");
            n += u64::from(row.is_record());
            let row = if word == "reset" { Row { kind: RowKind::RESET, ..row } } else { row };
            let input =
                RowIn { row: &row, raw: Default::default(), attachments: Default::default(), blob: Default::default() };
            let view = RowView::new(&info, &labels, input, &names, RenderedRow::default());
            let n = row.is_record().then_some(n);
            check.row(&RowView { n, epoch, clock: Clock::default(), ..view }, "#1");
        }
        let outcome = check.judges[0].outcome(&check.losses, &|_| None);
        (outcome.0, check.judges[0].failed.count, check.judges[0].unknown.count)
    }

    fn after(rows: &str) -> (Verdict, u64, u64) {
        let within = Quantity::try_from("5".to_owned()).unwrap();
        judged(ExpectationKind::After { row: "kind:A", comes: "kind:B", within }, rows)
    }

    fn between(rows: &str) -> (Verdict, u64, u64) {
        judged(ExpectationKind::Never { row: "kind:A", between: Some(("kind:B", "kind:C")) }, rows)
    }

    fn count(min: u64, max: Option<u64>, rows: &str) -> Verdict {
        judged(ExpectationKind::Count { row: "kind:A", min: Some(min), max }, rows).0
    }

    use Verdict::{Failed, Holds, Unknown};

    #[test]
    fn what_follows_in_time_is_good_what_a_loss_may_hide_is_unknown() {
        for (rows, verdict) in [
            ("A10 B15 D30", (Holds, 0, 0)),
            ("A10 B16", (Failed, 1, 0)),
            ("A10 A11 B15 D30", (Holds, 0, 0)),
            ("A10 D16 A20 D30", (Failed, 2, 0)),
            ("B10 A10 D30", (Failed, 1, 0)),
            ("A10 gap B15", (Holds, 0, 0)),
            ("A10 gap D16", (Unknown, 0, 1)),
            ("gap A10 D16", (Failed, 1, 0)),
            ("A10 D16 gap", (Failed, 1, 0)),
            ("A10 reset B3", (Unknown, 0, 1)),
            ("A10 B", (Unknown, 0, 1)),
            ("A B12", (Unknown, 0, 1)),
            ("A10 B12 A14", (Holds, 0, 0)),
            ("A10", (Unknown, 0, 0)),
            ("D10", (Unknown, 0, 0)),
        ] {
            assert_eq!(after(rows), verdict, "{rows}");
        }
    }

    #[test]
    fn what_must_not_come_between_may_come_elsewhere() {
        for (rows, verdict) in [
            ("A1 B2 D3 C4 A5", (Holds, 0, 0)),
            ("B2 A3 C4 B5 A6", (Failed, 2, 0)),
            ("B2 gap D3 C4", (Unknown, 0, 1)),
            ("B2 gap A3 C4", (Unknown, 0, 2)),
            ("B2 A3 gap C4", (Failed, 1, 1)),
            ("B2 gap B3 A4 C5", (Failed, 1, 1)),
            ("B2 gap D3", (Unknown, 0, 0)),
            ("gap B2 C3 gap", (Holds, 0, 0)),
            ("A1 C2", (Unknown, 0, 0)),
        ] {
            assert_eq!(between(rows), verdict, "{rows}");
        }
    }

    #[test]
    fn a_loss_hides_what_is_counted_unless_that_is_certain() {
        assert_eq!(["A1 A2", "A1 A2 A3", "A1"].map(|rows| count(2, Some(2), rows)), [Holds, Failed, Failed]);
        assert_eq!(
            ["A1 A2 gap", "A1 gap A2 A3", "gap A1"].map(|rows| count(2, Some(2), rows)),
            [Unknown, Failed, Unknown]
        );
        assert_eq!(["A1 gap A2", "gap A1"].map(|rows| count(2, None, rows)), [Holds, Unknown]);
        let never = |rows| judged(ExpectationKind::Never { row: "kind:A", between: None }, rows).0;
        assert_eq!(["B1", "B1 gap", "A1 gap"].map(never), [Holds, Unknown, Failed]);
        let losses = |rows| judged(ExpectationKind::Losses(1), rows).0;
        assert_eq!(["B1", "gap", "gap B1 gap"].map(losses), [Holds, Holds, Failed]);
    }

    #[test]
    fn evidence_and_what_waits_are_bounded() {
        let rows: String = (0..2 * MOST_WAITING).map(|_| "A1 ").collect();
        assert_eq!(after(&rows), (Unknown, 0, MOST_WAITING as u64));
        let mut evidence = EvidenceRows::default();
        (0..100).for_each(|_| evidence.add(String::new));
        assert_eq!((evidence.count, evidence.lines.len()), (100, MOST_LINES));
    }
}
