//! The figures of a table row, and its sort keys.

use super::{
    columns::{Column, Columns},
    measure::{Measure, Quantity},
    tally::{Extreme, Subject, Sum},
};
use crate::present::clock::{grouped, short_count, short_ns};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Ns,
    /// Ticks of a clock with an unknown rate.
    Ticks,
    Elements,
}

impl Unit {
    pub fn word(self) -> &'static str {
        match self {
            Unit::Bytes => "B",
            Unit::Ns => "ns",
            Unit::Ticks => "ticks",
            Unit::Elements => "elements",
        }
    }
}

/// A row of statistics.
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

/// An interval still open, with its length so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StillOpen {
    pub value: u64,
    pub row: u64,
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
    /// The figures that a measure's table shows.
    pub fn shown(measure: Measure) -> &'static [Figure] {
        use Figure::{At, BytesPerSecond, Count, Max, Median, Min, P95, P99, PerSecond, Share, Total};
        match measure {
            Measure::Rate => &[Count, PerSecond, Total, Share, BytesPerSecond, Median, Max, At],
            Measure::Cpu => &[Share, Total, Count, Median, P95, P99, Max, At],
            _ => match measure.quantity() {
                Quantity::Elements => &[Count, Min, Median, P95, Max, At],
                _ => &[Count, Min, Median, P95, P99, Max, At],
            },
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
    pub(super) fn is_value(self) -> bool {
        matches!(self, Figure::Min | Figure::Median | Figure::P95 | Figure::P99 | Figure::Max)
    }

    /// Sort key of the figure.
    pub(super) fn key(self, row: &StatisticsRow) -> u64 {
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
    pub fn text(self, row: &StatisticsRow, unit: Unit) -> String {
        let value = |value: u64| unit.text(value);
        let known = |value: u64| if row.count == 0 { String::new() } else { value_text(value, unit) };
        match self {
            Figure::Count => count(row.count),
            Figure::PerSecond => row.per_second.map_or_else(String::new, rate),
            Figure::Total => row.total.map_or_else(String::new, value),
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

impl Unit {
    /// A value in at most eight characters.
    pub fn text(self, value: u64) -> String {
        value_text(value, self)
    }
}

fn value_text(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => short_ns(value),
        _ => count(value),
    }
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
    Name(Column),
    Figure(Figure),
}

impl Sort {
    /// All sort keys of a table, in column order.
    pub fn all(measure: Measure, by: Columns) -> Vec<Sort> {
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
            Measure::Rate | Measure::Cpu => Figure::Total,
            measure if measure.is_low_worse() => Figure::Min,
            _ => Figure::Max,
        })
    }

    pub fn word(self, measure: Measure) -> &'static str {
        match self {
            Sort::Name(column) => column.word(),
            Sort::Figure(figure) => figure.heading(measure),
        }
    }
}
