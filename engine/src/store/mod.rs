//! The store: rows in columns, dictionary with history, counters. Written by one session, read by all views.
//!
//! | module | what is in it |
//! |---|---|
//! | [`dictionary`] | names with the rows from which they are valid |
//! | [`names`] | dictionary lookups for a block of rows |
//! | [`intern`] | keys as 16-bit numbers |
//! | [`shape`] | shapes: combinations of kind, flags, core … shared by many rows |
//! | [`tables`] | shapes with their counts, keys |
//! | `row_classes` | combinations of shape and keys in a segment |
//! | [`columns`] | the rows of a segment, 8 bytes each |
//! | `packed_rows` | the 8 bytes of a row |
//! | `positions` | positions of rows, mostly derived from their lengths |
//! | `times` | times of rows, as 32-bit offsets |
//! | [`segment`] | a range of rows that can be dropped and decoded again |
//! | [`rows`] | all rows of a source within a memory budget |
//! | [`counters`] | counters and accounting |
//! | [`sums`] | the counters as of any row |

pub mod columns;
pub mod counters;
pub mod dictionary;
pub mod intern;
pub mod names;
mod packed_rows;
mod positions;
mod row_classes;
pub mod rows;
pub mod segment;
pub mod shape;
pub mod sums;
pub mod tables;
mod times;

pub use columns::Columns;
pub use counters::Counters;
pub use dictionary::{Dictionary, NameChange};
pub use names::{Names, RowNames, View};
pub use rows::Rows;
pub use segment::Segment;
pub use shape::{Shape, Span};
pub use sums::Sums;
