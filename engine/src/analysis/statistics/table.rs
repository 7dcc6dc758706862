//! Figures grouped by columns, with names and sort keys.

use std::{cmp::Reverse, collections::BTreeMap};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{
    collect::Statistics,
    measure::{Measure, SubjectColumn, SubjectColumns},
    tally::{Extreme, IDLE, REST, StillOpen, Subject, Sum, number_of_key},
};
use crate::{
    analysis::objects::Wording,
    present::{
        Clock,
        clock::{grouped, ns_in, short_count, short_ns, unit_of_ns},
        words::{group_tag, kind_name},
    },
    replay::Key,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureUnit {
    Bytes,
    Ns,
    /// Ticks of a clock with an unknown rate.
    Ticks,
    Elements,
    /// Numbers by [`number_of_key`].
    Numbers,
}

impl FigureUnit {
    pub fn word(self) -> &'static str {
        match self {
            FigureUnit::Bytes => "B",
            FigureUnit::Ns => "ns",
            FigureUnit::Ticks => "ticks",
            FigureUnit::Elements => "elements",
            FigureUnit::Numbers => "numbers",
        }
    }

    /// A value in at most eight characters.
    pub fn text(self, value: u64) -> String {
        match self {
            FigureUnit::Ns => short_ns(value),
            FigureUnit::Numbers => short_number(number_of_key(value)),
            _ => count(value),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsRow {
    /// Names by column, in table order.
    pub names: Vec<String>,
    /// The subject; an attribute that is not a column is taken from any of its values.
    pub subject: Subject,
    pub count: u64,
    /// Their sum, if meaningful.
    pub total: Option<u64>,
    /// Share of the total, per mille.
    pub permille: Option<u16>,
    /// `None` if the rate of the clock is unknown.
    pub per_second: Option<f64>,
    /// `None` except for records.
    pub bytes_per_second: Option<f64>,
    /// Median, 95th and 99th percentile.
    pub percentiles: [u64; 3],
    /// Least and greatest value, exact.
    pub ends: [u64; 2],
    /// All values in ticks, bytes or elements, with the records at both extremes.
    pub sum: Sum,
    /// The longest open interval.
    pub open: Option<StillOpen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    Count,
    PerSecond,
    Total,
    Share,
    BytesPerSecond,
    Min,
    Median,
    P95,
    P99,
    Max,
    /// The record with the greatest value; for free elements, with the least.
    At,
}

impl Figure {
    pub fn shown(measure: Measure) -> &'static [Figure] {
        use Figure::{At, BytesPerSecond, Count, Max, Median, Min, P95, P99, PerSecond, Share, Total};
        match measure {
            Measure::Rate => &[Count, PerSecond, Total, Share, BytesPerSecond, Median, Max, At],
            Measure::Cpu => &[Share, Total, Count, Median, P95, P99, Max, At],
            Measure::Free | Measure::Used | Measure::Value => &[Count, Min, Median, P95, Max, At],
            Measure::State => &[Share, Total, Count, Min, Median, P95, Max, At],
            _ => &[Count, Min, Median, P95, P99, Max, At],
        }
    }

    pub fn heading(self, measure: Measure) -> &'static str {
        match (self, measure) {
            (Figure::Count, Measure::Rate) => "records",
            (Figure::Count, _) => "count",
            (Figure::PerSecond, _) => "/s",
            (Figure::Total, Measure::Rate) => "bytes",
            (Figure::Total, _) => "total",
            (Figure::Share, _) => "share",
            (Figure::BytesPerSecond, _) => "B/s",
            (Figure::Min, _) => "min",
            (Figure::Median, _) => "median",
            (Figure::P95, _) => "p95",
            (Figure::P99, _) => "p99",
            (Figure::Max, _) => "max",
            (Figure::At, measure) if measure.is_low_worse() => "min at",
            (Figure::At, _) => "max at",
        }
    }

    pub fn of_word(word: &str, measure: Measure) -> Option<Figure> {
        Figure::shown(measure).iter().copied().find(|figure| figure.heading(measure) == word)
    }

    /// Whether it is a value rather than a count or sum.
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Figure::Min | Figure::Median | Figure::P95 | Figure::P99 | Figure::Max)
    }

    pub(crate) fn key(self, row: &StatisticsRow) -> u64 {
        match self {
            Figure::Count | Figure::PerSecond => row.count,
            Figure::Total | Figure::Share | Figure::BytesPerSecond => row.total.unwrap_or(0),
            Figure::Min => row.ends[0],
            Figure::Median => row.percentiles[0],
            Figure::P95 => row.percentiles[1],
            Figure::P99 => row.percentiles[2],
            Figure::Max => row.greatest_open().map_or(row.ends[1], |open| open.value),
            Figure::At => 0,
        }
    }

    /// The figure in at most eight characters; empty if unknown. Records are left to the caller.
    pub fn text(self, row: &StatisticsRow, value: impl Fn(u64) -> String) -> String {
        let known = |of: u64| if row.count == 0 { String::new() } else { value(of) };
        match self {
            Figure::Count => count(row.count),
            Figure::PerSecond => row.per_second.map_or_else(String::new, rate),
            Figure::Total => row.total.map_or_else(String::new, &value),
            Figure::Share => row.permille.map_or_else(String::new, |n| format!("{}.{} %", n / 10, n % 10)),
            Figure::BytesPerSecond => row.bytes_per_second.map_or_else(String::new, rate),
            // For some subjects only the target reports the least value.
            Figure::Min => row.sum.least.map_or_else(String::new, |_| value(row.ends[0])),
            Figure::Median => known(row.percentiles[0]),
            Figure::P95 => known(row.percentiles[1]),
            Figure::P99 => known(row.percentiles[2]),
            Figure::Max => {
                row.greatest_open().map_or_else(|| known(row.ends[1]), |open| format!("≥{}", value(open.value)))
            }
            Figure::At => row.greatest_open().map_or_else(String::new, |_| "open".to_owned()),
        }
    }
}

/// A number in at most eight characters.
fn short_number(number: f64) -> String {
    let texts = [number.to_string(), format!("{number:.2}"), format!("{number:.0}"), format!("{number:.1e}")];
    let last = texts.last().cloned().unwrap_or_default();
    texts.into_iter().find(|text| text.len() <= 8).unwrap_or(last)
}

fn count(n: u64) -> String {
    if n < 1_000_000 { grouped(n) } else { short_count(n) }
}

fn rate(n: f64) -> String {
    match n {
        n if n >= 1000.0 => count(n.round() as u64),
        n if n >= 10.0 => format!("{n:.1}"),
        _ => format!("{n:.2}"),
    }
}

impl StatisticsRow {
    /// The most interesting value: the greatest one, or the least number of free elements.
    pub fn extreme(&self, measure: Measure) -> Option<Extreme> {
        if measure.is_low_worse() { self.sum.least } else { self.sum.greatest }
    }

    /// The open interval, if longer than all completed ones.
    pub fn greatest_open(&self) -> Option<StillOpen> {
        self.open.filter(|open| open.value > self.ends[1])
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Name(SubjectColumn),
    Figure(Figure),
}

impl Sort {
    /// All sort keys of a table, in column order.
    pub fn all(measure: Measure, by: SubjectColumns) -> Vec<Sort> {
        // These would sort like the count or the sum.
        let is_own = |figure: &&Figure| {
            !matches!(figure, Figure::At | Figure::PerSecond | Figure::Share | Figure::BytesPerSecond)
        };
        let figures = Figure::shown(measure).iter().filter(is_own).map(|figure| Sort::Figure(*figure));
        by.iter().map(Sort::Name).chain(figures).collect()
    }

    /// The default sort key of a measure.
    pub fn usual(measure: Measure) -> Sort {
        Sort::Figure(match measure {
            Measure::Rate | Measure::Cpu | Measure::State => Figure::Total,
            measure if measure.is_low_worse() => Figure::Min,
            _ => Figure::Max,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsTable {
    pub measure: Measure,
    pub by: SubjectColumns,
    pub unit: FigureUnit,
    pub rows: Vec<StatisticsRow>,
    pub notes: Vec<String>,
}

impl StatisticsTable {
    /// Writes a figure of any row: times of a column have the same unit.
    pub fn writes(&self, figure: Figure) -> impl Fn(&StatisticsRow) -> String {
        let most = self.rows.iter().map(|row| figure.key(row)).max().unwrap_or(0);
        let (own, unit) = (self.unit, unit_of_ns(most));
        move |row| figure.text(row, |value| if own == FigureUnit::Ns { ns_in(value, unit) } else { own.text(value) })
    }
}

/// Builds tables with the names known so far.
#[derive(Clone, Copy)]
pub struct StatisticsTables<'a> {
    pub statistics: &'a Statistics,
    pub wording: Wording<'a>,
    pub clock: Clock,
}

impl StatisticsTables<'_> {
    /// A measure's figures by columns, sorted by name.
    pub fn table(&self, measure: Measure, by: SubjectColumns) -> StatisticsTable {
        // Group without names first: names take longer than sums.
        let mut unnamed: IndexMap<Subject, (Subject, Sum), FxBuildHasher> = IndexMap::default();
        for (subject, sum) in self.statistics.tally.sums(measure) {
            unnamed.entry(by.only(subject)).or_insert_with(|| (*subject, Sum::default())).1.merge(sum);
        }
        let names = |subject: &Subject| by.iter().map(|column| self.name(subject, column)).collect();
        let mut sums: BTreeMap<Vec<String>, (Subject, Sum, Option<StillOpen>)> = BTreeMap::new();
        for (subject, sum) in unnamed.into_values() {
            sums.entry(names(&subject)).or_insert_with(|| (subject, Sum::default(), None)).1.merge(&sum);
        }
        for (subject, open) in self.statistics.open(measure, by) {
            let longest = &mut sums.entry(names(&subject)).or_insert_with(|| (subject, Sum::default(), None)).2;
            if longest.is_none_or(|longest| open.value > longest.value) {
                *longest = Some(open);
            }
        }
        let whole = match measure {
            Measure::Cpu => self.statistics.cores().map(|(_, known, unknown)| u128::from(known + unknown)).sum(),
            _ => sums.values().map(|(_, sum, _)| sum.total).sum(),
        };
        let rows = sums.into_iter().map(|(names, found)| self.row(measure, by, names, found, whole));
        StatisticsTable { measure, by, unit: self.unit(measure), rows: rows.collect(), notes: self.notes(measure) }
    }

    pub fn unit(&self, measure: Measure) -> FigureUnit {
        match measure {
            Measure::Rate => FigureUnit::Bytes,
            Measure::Free | Measure::Used => FigureUnit::Elements,
            Measure::Value => FigureUnit::Numbers,
            _ if self.clock.shows_seconds() => FigureUnit::Ns,
            _ => FigureUnit::Ticks,
        }
    }

    fn row(
        &self,
        measure: Measure,
        by: SubjectColumns,
        names: Vec<String>,
        (subject, sum, open): (Subject, Sum, Option<StillOpen>),
        whole: u128,
    ) -> StatisticsRow {
        let ns = |value: u64| self.clock.shown_ns(value).filter(|_| measure.is_time());
        let given = |value: u64| ns(value).unwrap_or(value);
        let whole = match measure {
            Measure::State if by.has(SubjectColumn::Object) => self.time_of_states(subject.object, by),
            Measure::Cpu if by.has(SubjectColumn::Core) => self.time_of(subject.core),
            _ => whole,
        };
        // A state lasts while nothing is known to have ended it.
        let so_far = open.filter(|_| measure == Measure::State && by.has(SubjectColumn::Object));
        let all = sum.total + so_far.map_or(0, |open| u128::from(open.value));
        let total = u64::try_from(all).unwrap_or(u64::MAX);
        let share = |total: u128| u16::try_from((total * 1000 + whole / 2).checked_div(whole)?).ok();
        let is_rate = measure == Measure::Rate;
        StatisticsRow {
            names,
            subject,
            count: sum.values.count,
            total: measure.has_total().then(|| given(total)),
            permille: if measure.has_share() { share(all) } else { None },
            per_second: self.per_second(sum.values.count as f64),
            bytes_per_second: self.per_second(sum.total as f64).filter(|_| is_rate),
            percentiles: [50, 95, 99].map(|percent| given(sum.values.percentile(percent))),
            ends: [sum.least, sum.greatest].map(|end| given(end.map_or(0, |end| end.value))),
            open: open.map(|open| StillOpen { value: given(open.value), ..open }),
            sum,
        }
    }

    fn time_of(&self, core: u16) -> u128 {
        let found = self.statistics.cores().find(|(number, ..)| *number == core);
        found.map_or(0, |(_, known, unknown)| u128::from(known) + u128::from(unknown))
    }

    /// Time in which the state of an object is known.
    fn time_of_states(&self, object: Option<Key>, by: SubjectColumns) -> u128 {
        let ended = self.statistics.tally.sums(Measure::State).filter(|(subject, _)| subject.object == object);
        let open = self.statistics.open(Measure::State, by).filter(|(subject, _)| subject.object == object);
        ended.map(|(_, sum)| sum.total).chain(open.map(|(_, open)| open.value.into())).sum()
    }

    fn per_second(&self, n: f64) -> Option<f64> {
        let ns = self.clock.shown_ns(self.statistics.ticks()).filter(|ns| *ns > 0)?;
        Some(n * 1e9 / ns as f64)
    }

    pub fn name(&self, subject: &Subject, column: SubjectColumn) -> String {
        let info = self.wording.info;
        let key = |key: Option<Key>| key.map_or_else(|| "–".to_owned(), |key| self.wording.bare_name(key));
        match column {
            SubjectColumn::Kind => {
                self.wording.given_kind(subject.kind).unwrap_or_else(|| kind_name(info, subject.kind).replace(' ', "_"))
            }
            SubjectColumn::Group => group_tag(info, subject.group).to_owned(),
            SubjectColumn::Core => subject.core.to_string(),
            SubjectColumn::Object => match subject.object {
                Some(IDLE) => "idle".to_owned(),
                Some(REST) => "(others)".to_owned(),
                object => key(object),
            },
            SubjectColumn::Signal => key(subject.signal),
        }
    }

    fn notes(&self, measure: Measure) -> Vec<String> {
        let counts = self.statistics.tally.counts(measure);
        let mut notes = Vec::new();
        let mut say = |n: u64, what: &str| {
            if n > 0 {
                notes.push(format!("{} {what}", grouped(n)));
            }
        };
        say(counts.cut, "not counted: records were lost between begin and end");
        say(counts.untimed, "not counted: a record has no time stamp, or the clock went back");
        say(counts.unsure, "not counted: which post they belong to is not certain");
        say(self.statistics.tally.rest, "of more objects and signals than are kept, counted as (others)");
        let is_empty = self.statistics.tally.sums(measure).all(|(_, sum)| sum.values.count == 0);
        if is_empty && counts.begun > 0 && counts.cut == 0 && counts.untimed == 0 {
            say(counts.begun, "begin, but none ends: the records of the end are masked, or never sent");
        }
        if measure == Measure::Cpu {
            notes.extend(self.cpu_notes());
        }
        let is_time = measure.is_time();
        if !self.clock.shows_seconds() && (is_time || measure == Measure::Rate) && !is_empty {
            let why = if self.clock.known() { "in doubt" } else { "not known" };
            let so = if is_time { "times are in ticks" } else { "nothing is said per second" };
            notes.push(format!("the rate of the target's clock is {why}: {so}"));
        }
        let bits = self.statistics.tally.sums(measure).filter_map(|(_, sum)| sum.values.bits).min();
        notes.extend(bits.map(|bits| format!("many values: median and percentiles are within 1/{}", 1 << (bits - 1))));
        notes
    }

    fn cpu_notes(&self) -> Vec<String> {
        let unknown = self.statistics.cores().filter(|(_, _, unknown)| *unknown > 0);
        let note = |(core, known, unknown): (u16, u64, u64)| {
            let permille = u128::from(unknown) * 1000 / (u128::from(known) + u128::from(unknown)).max(1);
            let share =
                if permille == 0 { "less than 0.1".to_owned() } else { format!("{}.{}", permille / 10, permille % 10) };
            format!("core {core}: for {share} % of the time no record says what it did")
        };
        unknown.map(note).collect()
    }
}

impl StatisticsTable {
    /// Sorts the rows: greatest value first, fewest free elements first, names alphabetically. Equal rows stay sorted
    /// by name.
    pub fn sort(&mut self, sort: Sort, is_reversed: bool) {
        let column = |name| self.by.iter().position(|column| column == name);
        let low = self.measure.is_low_worse();
        self.rows.sort_by(|a, b| a.names.cmp(&b.names));
        match sort {
            Sort::Name(name) => {
                let at = column(name).unwrap_or(0);
                self.rows.sort_by(|a, b| a.names.get(at).cmp(&b.names.get(at)));
            }
            Sort::Figure(figure) if low && figure.is_value() => self.rows.sort_by_key(|row| figure.key(row)),
            Sort::Figure(figure) => self.rows.sort_by_key(|row| Reverse(figure.key(row))),
        }
        if is_reversed {
            self.rows.reverse();
        }
    }
}
