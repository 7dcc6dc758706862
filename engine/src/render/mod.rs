//! Rendered rows, with everything a view, filter or export may use.
//!
//! | module | what is in it |
//! |---|---|
//! | [`item`] | a rendered row, or a block of them |
//! | [`row`] | renders rows |

pub mod item;
pub mod row;

pub use item::{Block, Item};
pub use row::{gather, render_rows};
