//! The store: rows in columns, dictionary with history, counters. Written by one session, read by all views.
//!
//! | module | what is in it |
//! |---|---|
//! | [`dictionary`] | names with the rows where they become valid |
//! | [`names`] | dictionary lookups for a block of rows |
//! | [`shape`] | combinations of kind, flags, core … shared by many rows, and keys as 16-bit numbers |
//! | [`columns`] | the rows of a segment, 8 bytes each |
//! | [`rows`] | all rows of a source within a memory budget, in segments |
//! | [`counters`] | counters and accounting, as of any row |

pub mod columns;
pub mod counters;
pub mod dictionary;
pub mod names;
pub mod rows;
pub mod shape;

pub use columns::Columns;
pub use counters::{Counters, Sums};
pub use dictionary::{Dictionary, NameChange};
pub use names::{Names, RowNames, View};
pub use rows::{Rows, Segment};
pub use shape::{Shape, Span};
