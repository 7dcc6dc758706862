//! Statistics of a whole trace: rates, times between records, CPU shares, fill levels; by kind, group, object, signal
//! and core. Only rows and activities are used, so they work for every protocol. Missing information is not estimated
//! but counted and reported.
//!
//! | module | what is in it |
//! |---|---|
//! | [`measure`] | what is measured, and the columns that figures are grouped by |
//! | [`tally`] | sums of the measured values, in bounded memory |
//! | `tasks` | what tasks and cores do |
//! | [`collect`] | collects statistics row by row |
//! | [`table`] | figures grouped by columns, with names and sort keys |
//! | [`worst`] | the worst figure of each measure |

pub mod collect;
pub mod measure;
pub mod table;
pub mod tally;
mod tasks;
pub mod worst;

#[cfg(test)]
mod tests;

pub use collect::Statistics;
pub use measure::{Measure, SubjectColumn, SubjectColumns};
pub use table::{Figure, FigureUnit, Sort, StatisticsRow, StatisticsTable, StatisticsTables};
pub use worst::WorstFigure;
