//! Statistics of a whole trace: rates, times between records, CPU shares, fill levels; by kind, group, object, signal
//! and core. Only rows and activities are used, so they work for every protocol. Missing information is not estimated
//! but counted and reported.
//!
//! | module | what is in it |
//! |---|---|
//! | [`measure`] | what is measured, and in which quantity |
//! | [`columns`] | the columns that figures are grouped by |
//! | [`tally`] | sums of the measured values, in bounded memory |
//! | `moments` | intervals, and what could not be measured |
//! | `events` | events from post to end of step, messages from sending to reply |
//! | `tasks` | tasks by state |
//! | `sections` | interrupts, critical sections, locks and spans |
//! | `processor` | what each core does |
//! | [`collect`] | collects statistics row by row |
//! | [`figure`] | the figures of a table row, and its sort keys |
//! | [`table`] | figures grouped by columns, with names |

pub mod collect;
pub mod columns;
mod events;
pub mod figure;
pub mod measure;
mod moments;
mod processor;
mod sections;
pub mod table;
pub mod tally;
mod tasks;

#[cfg(test)]
mod tests;

pub use collect::Statistics;
pub use columns::{Column, Columns};
pub use figure::{Figure, Sort, StatisticsRow, Unit};
pub use measure::Measure;
pub use table::{StatisticsTable, Tables};
