//! The worst figure of each measure, worst first.

use std::cmp::Reverse;

use super::{
    measure::{Measure, SubjectColumns},
    table::{Figure, FigureUnit, Sort, StatisticsRow, StatisticsTable, StatisticsTables},
    tally::IDLE,
};
use crate::replay::Moment;

/// The worst figure of a measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorstFigure {
    pub measure: Measure,
    pub subject: String,
    /// The subject, as in the table.
    pub names: Vec<String>,
    /// The figure with its unit, and what it is.
    pub text: String,
    /// The usual value; empty for shares.
    pub median: String,
    /// The record that shows it.
    pub at: Option<Moment>,
    /// It has not ended, is over its deadline, or nothing is free.
    pub is_alarming: bool,
    /// The worst has the lowest number.
    rank: (u8, Reverse<u64>),
}

impl StatisticsTables<'_> {
    /// The worst figure of each measure that has values; `deadline` = the longest time that it may have, ns.
    pub fn worst(&self, deadline: impl Fn(Measure) -> Option<u64>) -> Vec<WorstFigure> {
        let tables = Measure::all().map(|measure| self.table(measure, SubjectColumns::usual(measure)));
        // An idle task is ready, and runs, for long.
        let is_idle = |row: &StatisticsRow| {
            row.subject.object.is_some_and(|object| object == IDLE || self.wording.is_idle(object))
        };
        let mut worst: Vec<WorstFigure> = tables.filter_map(|table| of_table(table, is_idle, &deadline)).collect();
        worst.sort_by_key(|worst| (worst.rank, worst.measure));
        worst
    }
}

fn of_table(
    mut table: StatisticsTable,
    is_idle: impl Fn(&StatisticsRow) -> bool,
    deadline: impl Fn(Measure) -> Option<u64>,
) -> Option<WorstFigure> {
    let (measure, unit) = (table.measure, table.unit);
    table.sort(Sort::usual(measure), false);
    let row = table.rows.iter().find(|row| !is_idle(row))?;
    // A machine is always in a state.
    let open = row.greatest_open().filter(|_| measure != Measure::State);
    let figure = match measure {
        Measure::Rate | Measure::Cpu | Measure::State => Figure::Share,
        measure if measure.is_low_worse() => Figure::Min,
        _ => Figure::Max,
    };
    let longest = open.map_or(row.ends[1], |open| open.value);
    let exceeded = deadline(measure).filter(|deadline| unit == FigureUnit::Ns && longest > *deadline);
    let is_empty = measure == Measure::Free && row.ends[0] == 0;
    let median =
        if figure == Figure::Share { String::new() } else { Figure::Median.text(row, |value| unit.text(value)) };
    // How far the worst is from what is usual says more than times of different kinds.
    let times = Figure::Max.key(row) / row.percentiles[0].max(1);
    let rank = match measure {
        _ if open.is_some() => 0,
        _ if is_empty || exceeded.is_some() => 1,
        Measure::Rate => 5,
        Measure::Cpu | Measure::State => 4,
        Measure::Free | Measure::Used | Measure::Value => 3,
        _ => 2,
    };
    let note = match exceeded {
        Some(deadline) => format!(" over {}", unit.text(deadline)),
        None if figure == Figure::Min => " left".to_owned(),
        None if figure == Figure::Max && unit == FigureUnit::Ticks => " ticks".to_owned(),
        None => String::new(),
    };
    Some(WorstFigure {
        measure,
        subject: SubjectColumns::usual(measure).words(&row.names),
        names: row.names.clone(),
        text: format!("{}{note}", figure.text(row, |value| unit.text(value))),
        median,
        at: row.extreme(measure).map(|extreme| extreme.at).filter(|_| open.is_none() && figure != Figure::Share),
        is_alarming: open.is_some() || exceeded.is_some() || is_empty,
        rank: (rank, Reverse(if rank == 2 || rank == 0 { times } else { 0 })),
    })
}
