//! The store: rows in columns, names with their history, counters. Filled by one session, read by every view.
//!
//! | module | what is in it |
//! |---|---|
//! | [`dictionary`] | names, owned here, with the rows from which they hold |
//! | [`names`] | a block of rows' view of the dictionary |
//! | [`intern`] | keys as 16-bit numbers |
//! | [`shape`] | the few combinations of what rows have in common |
//! | [`tables`] | both, and how often each came |
//! | `row_classes` | the combinations of shape and keys in a segment |
//! | [`columns`] | rows at 8 bytes each, coming back exactly |
//! | `packed_rows` | what is kept of each row |
//! | `positions` | where rows begin, mostly told by their lengths |
//! | `times` | bases of their times |
//! | [`segment`] | a stretch of rows that can be dropped and decoded again |
//! | [`rows`] | all rows of a source, within a memory budget |
//! | [`counters`] | the decoder's counters and the accounting |

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
pub mod tables;
mod times;

pub use columns::Columns;
pub use counters::Counters;
pub use dictionary::Dictionary;
pub use names::{Names, RowNames, View};
pub use rows::Rows;
pub use segment::Segment;
pub use shape::{Shape, Span};
