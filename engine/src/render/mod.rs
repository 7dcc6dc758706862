//! Rendered rows, with everything a view, filter or export may use.
//!
//! | module | what is in it |
//! |---|---|
//! | [`filter`] | which rows pass, decided before rendering where possible |
//! | [`given`] | word and text of a row that do not come from its decoder |
//! | [`item`] | a rendered row, or a block of them |
//! | [`row`] | renders rows |
//! | [`known_names`] | why a filter matches nothing |

pub mod filter;
pub mod given;
pub mod item;
pub mod known_names;
pub mod row;

pub use filter::RowFilter;
pub use given::GivenText;
pub use item::{Item, RenderedBlock};
pub use known_names::why_nothing_matches;
pub use row::{gather, render_rows};
