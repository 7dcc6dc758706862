//! Rendered rows, with everything a view, filter or export may use.
//!
//! | module | what is in it |
//! |---|---|
//! | [`filter`] | which rows pass, decided before rendering where possible |
//! | [`item`] | a rendered row, or a block of them |
//! | [`row`] | renders rows |
//! | [`known_names`] | why a filter matches nothing |

pub mod filter;
pub mod item;
pub mod known_names;
pub mod row;

pub use filter::RowFilter;
pub use item::{Item, RenderedBlock};
pub use known_names::why_nothing_matches;
pub use row::{gather, render_rows};
