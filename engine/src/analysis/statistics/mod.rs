//! Figures of a whole trace: rates, times from one record to another, shares of the processor, fill levels; by kind,
//! group, object, signal and core. From rows and activities alone, so that they are the same for any protocol. What the
//! records do not say is not estimated: it is counted, and said.
//!
//! | module | what is in it |
//! |---|---|
//! | [`measure`] | what is measured, and in which quantity |
//! | [`columns`] | by which columns figures are summed up |
//! | [`tally`] | sums of what was measured, in bounded memory |
//! | `moments` | places in the trace, and times between them |
//! | `events` | events from their post to the end of their step, messages from their sending to the reply |
//! | `tasks` | tasks by state |
//! | `sections` | interrupts, critical sections, locks and spans |
//! | `processor` | what each core does |
//! | [`collect`] | the statistics, updated row by row |
//! | [`figure`] | the figures of one thing, and what rows can be sorted by |
//! | [`table`] | figures by the columns that are asked for, with names |

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
