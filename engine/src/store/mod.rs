//! The store: rows in columns, dictionary with history, counters. Written by one session, read by all views.
//!
//! | module | what is in it |
//! |---|---|
//! | [`dictionary`] | names with the rows where they become valid, and lookups for a block of rows |
//! | [`columns`] | the rows of a segment, 8 bytes each; what many rows share |
//! | [`rows`] | all rows of a source within a memory budget, in segments |
//! | [`counters`] | counters and accounting, as of any row |

pub mod columns;
pub mod counters;
pub mod dictionary;
pub mod rows;

pub use columns::{Columns, Shape, Span};
pub use counters::{Counters, Sums};
pub use dictionary::{BlockNames, Dictionary, NameChange, RowNames, View};
pub use rows::{RowSegment, Rows};
