//! Rendered rows, with everything that a view, filter or export may ask of them.
//!
//! | module | what is in it |
//! |---|---|
//! | [`item`] | one rendered row, or a block of them |
//! | [`row`] | renders one row |

pub mod item;
pub mod row;

pub use item::{Block, Item};
pub use row::{gather, not_rendered, render_row};
