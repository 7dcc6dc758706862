//! Rendered rows, with everything a view, filter or export may use.
//!
//! | module | what is in it |
//! |---|---|
//! | `classes` | verdicts on rows of which everything that counts is the same |
//! | `asked` | the fields that an expression is about |
//! | [`filter`] | which rows pass, decided before rendering where possible |
//! | [`given`] | word and text of a row that do not come from its decoder |
//! | [`item`] | a rendered row, or a block of them |
//! | [`row`] | the bytes of a row |
//! | [`subject`] | a row as the subject of a filter expression |
//! | `verdicts` | what tests of entities say of each of them |
//! | [`known_names`] | why a filter matches nothing |

mod asked;
mod classes;
pub mod filter;
pub mod given;
pub mod item;
pub mod known_names;
pub mod row;
pub mod subject;
mod verdicts;

pub use filter::RowFilter;
pub use given::GivenText;
pub use item::{Item, RenderedBlock};
pub use known_names::why_nothing_matches;
pub use row::gather;
